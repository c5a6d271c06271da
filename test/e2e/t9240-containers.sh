# t9240-containers.sh - containers on a node share the directory of survival files, but not the PID namespace: processes
# of one are left alone in others, and killed ones are collected by the first that can
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

[ "$(id -u)" = 0 ] && unshare --pid --fork --mount-proc true 2>/dev/null || skip_all 'right to make PID namespaces'

survival=darshan-$(id -u)
recover=$DSN_PREFIX/bin/darshan-recover
check 'compiles' cc -g -Wall -o endings "$work/endings.c"
check 'compiles what refuses calls' cc -g -Wall -o refuse "$work/refuse.c"

# inside COMMAND...: in a container, which ends with the process that has made it
inside() {
    exec unshare --pid --fork --mount-proc --kill-child "$@"
}

outside() {
    exec "$@"
}

without_proc() {
    exec unshare --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
}

tool() {
    exec env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$@"
}

written() {
    [ -s data/own.0 ]
}

# nobody_runs: none of this test's programs does, in any container; they die with unshare, a little later
nobody_runs() {
    for nobody_line in /proc/[0-9]*/cmdline; do
        tr '\0' ' ' <"$nobody_line"
    done 2>/dev/null >cmdlines
    ! grep -qaE "(endings|program) $PWD/data" cmdlines
}

fresh() {
    fresh_logs
    rm -rf data
    mkdir data
}

# left_alone TEXT WHERE: darshan-recover, started there, takes the program for one that runs
left_alone() {
    (cd / && "$2" "$recover" --dry-run) >dry.out 2>&1
    check "$1: is said to run" grep -q 'still running' dry.out
    (cd / && "$2" "$recover" --mine) >recover.out 2>&1
    is "$? $(sed 's/ job [0-9]*,/ job N,/' recover.out)" '0 darshan-recover: left alone job N, for processes of it are still running or ending; try again later' \
        "$1: darshan-recover does nothing, and says so"
    is "$(count_logs) $(ls "$survival" | wc -l)" '0 1' "$1: what it has counted stays"
}

# collected TEXT WHERE
collected() {
    (cd / && "$2" "$recover" --mine) >recover.out 2>&1
    is "$? $(count_logs) $(ls "$survival")" '0 1 ' "$1: darshan-recover makes a log, nothing is left"
    echo 'POSIX * */own.0 POSIX_BYTES_WRITTEN 100
meta recovered 1' >collected.want
    check "$1: counters" decode "$(latest_log)" --strict --want collected.want
}

# lives_and_dies WHERE LOOKS [COMMAND]...: a program runs there, the others look there; then it is killed
lives_and_dies() {
    lives_where=$1 lives_looks=$2
    shift 2
    lives_text="runs $lives_where${*:+, ${*##*/}}, darshan-recover $lives_looks"
    fresh
    ("$lives_where" env DARSHAN_ENABLE_NONMPI=1 "$@" env "LD_PRELOAD=$preload" "$PWD/endings" "$PWD/data" waits) &
    lives_pid=$!
    check "$lives_text: begins" wait_until written
    check "$lives_text: is found" status 1 nobody_runs
    left_alone "$lives_text" "$lives_looks"
    kill -9 $lives_pid
    wait $lives_pid 2>/dev/null
    check "$lives_text: ends" wait_until nobody_runs
}

for way in 'inside outside' 'outside inside' 'inside inside' 'outside without_proc'; do
    # shellcheck disable=SC2086 # two words
    lives_and_dies $way
    collected "$lives_text: killed" "${way#* }"
done

# Where nothing can be held only those who live in the same space know.
if ./refuse ofd-locks 1 true; then
    lives_and_dies inside outside "$PWD/refuse" ofd-locks 1
    rm -f "$survival"/*
    lives_and_dies outside outside "$PWD/refuse" ofd-locks 1
    collected "$lives_text: killed" outside
    lives_and_dies outside inside "$PWD/refuse" fstatfs 38
    collected "$lives_text: killed" outside
else
    skip 'locks are refused' 'kernel: seccomp'
fi

# -- the same number
# reused [COMMAND]...: when the program has been killed its number is given to another process, which lives
reused() {
    fresh
    (inside sh -c '
        env DARSHAN_ENABLE_NONMPI=1 "$@" env "LD_PRELOAD=$0" ./endings "$PWD/data" waits & pid=$!
        while [ ! -s data/own.0 ]; do sleep 0.1; done
        kill -9 $pid
        wait $pid
        sleep 0.2
        echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
        sleep 60 & echo $pid $!
        "$DSN_PREFIX/bin/darshan-recover" --mine' "$preload" "$@") >reused.out 2>reused.err
}
for refuse in '' "$PWD/refuse ofd-locks 1"; do
    # shellcheck disable=SC2086 # words of a command
    reused $refuse
    check "its number is another process's${refuse:+, nothing is held}: it is" awk '$1 == $2 && NR == 1 { n = 1 } END { exit !n }' reused.out
    collected "its number is another process's${refuse:+, nothing is held}" outside
done

# taken TEXT COMMAND: the name of its survival file is; what COMMAND makes by the name $own stands there
taken() {
    fresh
    # shellcheck disable=SC2016 # the shell inside expands it
    timeout -k 5 20 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" sh -c '
        env -u LD_PRELOAD "MAKE=$2" sh -c '\''
            for file in "$1"/*.survival; do
                own=${file%-*}-$$.survival
            done
            rm -rf "$own"
            eval "$MAKE"
            exec env "LD_PRELOAD=$0" ./endings "$PWD/data" kill'\'' "$0" "$1"
        true' "$preload" "$survival" "$2" >taken.out 2>taken.err
    is "$? $(count_logs)" '0 1' "the name is taken by $1: one log"
    echo "POSIX * */own.0 POSIX_BYTES_WRITTEN 100" >taken.want
    check "the name is taken by $1: who is killed is in it" decode "$(latest_log)" --strict --want taken.want
    rm -rf "$survival"/*
}
taken 'a pipe' 'mkfifo "$own"'
taken 'an empty file' ': >"$own"'
taken 'a link to nothing' 'ln -s nothing "$own"'
taken 'a directory' 'mkdir "$own"'
taken 'what cannot be read' 'echo something else >"$own"; chmod 0 "$own"'

# Two containers of a process tree, in each of which the program is number 1; and what has made them, which is number 1 as well.
same_number() {
    fresh
    mkdir data/a data/b data/c
    # shellcheck disable=SC2016 # the shell inside expands it
    (inside env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" sh -c '
        for i in a b; do
            unshare --pid --fork --mount-proc --kill-child ./endings "$PWD/data/$i" $0 &
        done
        ./endings "$PWD/data/c" exit
        wait' "$1") >out 2>err &
    same_pid=$!
}
both_written() {
    [ -s data/a/own.0 ] && [ -s data/b/own.0 ] && [ -s data/c/own.0 ]
}
# all_three TEXT: in one log
all_three() {
    is "$(count_logs) $(ls "$survival")" '1 ' "$1: one log, nothing is left"
    for i in a b c; do
        echo "POSIX * */$i/own.0 POSIX_BYTES_WRITTEN 100"
    done >three.want
    check "$1: all of them are in it" decode "$(latest_log)" --strict --want three.want
}

same_number exit
wait $same_pid
all_three 'three with the same number'
same_number waits
check 'three with the same number, two stay: they run' wait_until both_written
"$recover" --mine >recover.out 2>&1
is "$(count_logs)" 0 'three with the same number, two stay: nothing is collected'
kill -9 $same_pid
wait $same_pid 2>/dev/null
check 'three with the same number, killed: they end' wait_until nobody_runs
# the kernel lets go of their locks a moment after their numbers
recovers() {
    "$recover" --mine >recover.out 2>&1
    [ "$(count_logs)" = 1 ]
}
wait_until recovers
all_three 'three with the same number, killed'

# -- another program is executed, which holds nothing
fresh
(inside env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" sh -c 'echo x >data/file; exec sleep 60.125') &
exec_pid=$!
check 'another program is executed: it runs' wait_until sh -c 'ps -eo args | grep -qx "sleep 60.125"'
(inside "$recover" --mine) >recover.out 2>&1
is "$(count_logs) $(ls "$survival" | grep -c survival)" '0 1' 'another program is executed: it is left alone'
kill -9 $exec_pid
wait $exec_pid 2>/dev/null
rm -f "$survival"/*

# -- each program that a process executes takes over the name of the survival file; each step of that takes a second here
fresh
# shellcheck disable=SC2016 # the shell inside expands it
(inside strace -f -o calls -E DARSHAN_ENABLE_NONMPI=1 -E "LD_PRELOAD=$preload" -e trace=unlinkat,rename,renameat2,link \
    -e inject=unlinkat,rename,renameat2,link:delay_enter=500000:delay_exit=500000 \
    sh -c 'echo x >data/file; exec sh -c "echo x >>data/file; exec sleep 60.126"') 2>err &
exec_pid=$!
check 'a name is taken over: the first program has counted' wait_until test -s data/file
slow_collected=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    (inside "$recover" --mine) >recover.out 2>&1
    slow_collected="$slow_collected$(count_logs)"
    sleep 0.25
done
is "$slow_collected" 0000000000000000 'a name is taken over: no moment in which the process seems to have ended'
check 'a name is taken over: it was, slowly' grep -q 'rename.*survival.*DELAYED' calls
kill -9 $exec_pid
wait $exec_pid 2>/dev/null
rm -f "$survival"/*

# -- ranks of MPI, each in a container of its own
# ranks WAY [OPTION]...: three
ranks() {
    ranks_way=$1
    shift
    fresh
    timeout -k 5 100 "$launcher" "$@" -n 3 unshare --pid --fork --mount-proc --kill-child env "LD_PRELOAD=$preload" \
        ./program "$PWD/data" "$ranks_way" >out 2>err
}
with_mpi() {
    launcher=$OPENMPI_RUN
    options='--mca btl tcp,self' # its shared memory is named by numbers of processes
    [ "$MPI" = openmpi ] || launcher=$MPICH_RUN options=
    check "$MPI: compiles" compile preload ./program endings.c
    # shellcheck disable=SC2086 # words of a command
    ranks finalize $options
    is "$? $(count_logs) $(ls "$survival")" '0 1 ' "$MPI, ranks with the same number: a log, nothing is left"
    printf 'job nprocs 3\nsum POSIX */own.* POSIX_BYTES_WRITTEN 300\n' >ranks.want
    check "$MPI, ranks with the same number: all of them are in it" decode "$(latest_log)" --strict --want ranks.want
    # shellcheck disable=SC2086
    ranks all-kill $options
    check "$MPI, ranks with the same number are killed: they end" wait_until nobody_runs
    "$recover" --mine >recover.out 2>&1
    is "$(count_logs) $(ls "$survival")" '1 ' "$MPI, ranks with the same number are killed: a log, nothing is left"
    check "$MPI, ranks with the same number are killed: all of them are in it" decode "$(latest_log)" --strict --want ranks.want
}
each_mpi with_mpi
finish
