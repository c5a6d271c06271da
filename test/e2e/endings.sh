# endings.sh - shared by t9210 to t9212, without MPI and with each; to be sourced after lib.sh and known.sh
# SPDX-License-Identifier: BSD-3-Clause

ulimit -c unlimited 2>/dev/null

# as_it_ended COMMAND...: prints how it has ended, with its core
as_it_ended() {
    "$PYTHON3" -c '
import subprocess, sys, os
pid = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
status = os.waitpid(pid, 0)[1]
print("signal %d%s" % (os.WTERMSIG(status), " core" if os.WCOREDUMP(status) else "") if os.WIFSIGNALED(status) else
      "status %d" % os.WEXITSTATUS(status))' "$@" 2>err
    rm -f core core.*
}

# recovered: there is one log now, and nothing else
recovered() {
    wait_until_ended # an MPI_Abort kills ranks that end later than the launcher
    "$DSN_PREFIX/bin/darshan-recover" --mine >recover.out 2>&1 || { cat recover.out; return 1; }
    [ "$(count_logs)" = 1 ] || { echo "$(count_logs) logs"; cat recover.out; find "darshan-$(id -u)"; return 1; }
    [ -z "$(ls "darshan-$(id -u)" 2>/dev/null)" ] || { echo "left behind:"; ls "darshan-$(id -u)"; return 1; }
}

# right TEXT RANKS [WANT-LINE]...: the log of what each of RANKS ranks has done
right() {
    right_text=$1 right_ranks=$2
    shift 2
    check "$right_text: a log, and nothing else" recovered
    echo "job nprocs $right_ranks" >right.want
    right_n=0
    while [ $right_n -lt "$right_ranks" ]; do
        echo "POSIX * */own.$right_n POSIX_BYTES_WRITTEN 100
POSIX * */own.$right_n POSIX_OPENS 1
records POSIX 1 */own.$right_n" >>right.want
        right_n=$((right_n + 1))
    done
    for right_line; do
        echo "$right_line" >>right.want
    done
    [ "$(count_logs)" = 1 ] || return
    check "$right_text: counters" decode "$(latest_log)" --strict --want right.want
}

# lines WAY [KILLED]: what more is wanted after it
lines() {
    case $1 in
    *handled-and-dies) echo 'POSIX * */handler POSIX_BYTES_WRITTEN 9' ;;
    *exec) echo 'POSIX * */executed POSIX_BYTES_WRITTEN 3' ;;
    *exec-fails) echo 'POSIX * */after POSIX_BYTES_WRITTEN 7' ;;
    *) echo 'absent POSIX */executed' ;;
    esac
    case $1 in
    *kill | *segv | *abort | *term | *and-dies) echo "meta recovered ${2:-1}" ;;
    esac
}

# alone TEXT WAY ENVIRONMENT...: one process
alone() {
    alone_text=$1 alone_way=$2
    shift 2
    rm -rf data
    mkdir data
    bare=$(as_it_ended "$program" "$PWD/data" "$alone_way")
    rm -rf data
    mkdir data
    fresh_logs
    tool=$(as_it_ended env "LD_PRELOAD=$preload" "$@" "$program" "$PWD/data" "$alone_way")
    is "$tool" "$bare" "$alone_text, $alone_way: $bare"
    check "$alone_text, $alone_way: nothing of ours on stderr" sh -c '! grep "^darshan:" err'
    right "$alone_text, $alone_way" 1 "$(lines "$alone_way")"
}

# in_job_run HOW WAY: with the tool, or without; the exit status is then in HOW.status
in_job_run() {
    rm -rf data
    mkdir data
    fresh_logs
    in_job_preload=
    [ "$1" = plain ] || in_job_preload=$preload
    timeout -k 5 60 "$launcher" -n 2 env LD_PRELOAD="$in_job_preload" "$program" "$PWD/data" "$2" >out 2>err
    echo $? >"$1.status"
}

# in_job WAY [LIMIT]: two ranks; the exit status is that of the bare job
in_job() {
    in_job_run plain "$1"
    in_job_run preload "$1"
    # Open MPI's mpirun has been seen waiting for ever for ranks that had ended, without the tool
    [ "$(cat plain.status)" != 124 ] || cp preload.status plain.status
    rm -f core core.*
    in_job_status=$(cat preload.status)
    check "$MPI, $1: nothing of ours on stderr" sh -c '! grep -i "darshan.*:" err'
    right "$MPI, $1" 2 "$(lines "$1" '[12]')" # mpirun kills the other one
    # It is that of this rank, or of the other one, which mpirun kills, with MPICH also 0, and with Open MPI 139 on a busy machine:
    # with the tool it is one of those that bare jobs have. MPICH's also says 1, a hangup, of one in thirty jobs whose ranks execute
    # another program, with the tool or without: both are run again.
    for in_job_try in $(seq 20); do
        [ "$(cat plain.status)" != "$in_job_status" ] || break
        in_job_run plain "$1"
        [ "$(cat plain.status)" != "$in_job_status" ] || break
        in_job_run preload "$1"
        in_job_status=$(cat preload.status)
    done
    is "$in_job_status" "$(cat plain.status)" "$MPI, $1: exit status $(cat plain.status)"
}

# until_killed TEXT COMMAND...: runs two ranks of it until they have written and do not go on, then tells the launcher to stop,
# and kills it if it does not, as batch systems do
until_killed() {
    until_text=$1
    shift
    rm -rf data
    mkdir data
    fresh_logs
    "$launcher" -n 2 "$@" >out 2>err &
    until_pid=$!
    wait_until test -s data/own.0 -a -s data/own.1
    sleep 2
    check "$until_text: does not end by itself" readlink /proc/$until_pid/exe
    kill -TERM $until_pid
    wait_until eval '! readlink /proc/$until_pid/exe >/dev/null'
    kill -KILL $until_pid 2>/dev/null
    wait $until_pid 2>/dev/null
    wait_until_ended
}

# on_two_nodes WAY: a job with two ranks on each, that is to say with directories of their own for survival files, and launchers that
# say so, makes a log of each node's ranks
on_two_nodes() {
    rm -rf data nodes
    mkdir data nodes nodes/a nodes/b
    nodes_size='OMPI_COMM_WORLD_LOCAL_SIZE=2 MPI_LOCALNRANKS=2'
    fresh_logs
    two_command_lines "env $nodes_size DARSHAN_MMAP_LOGPATH=$PWD/nodes/a LD_PRELOAD=$preload $program $PWD/data $1" \
        "env $nodes_size DARSHAN_MMAP_LOGPATH=$PWD/nodes/b LD_PRELOAD=$preload $program $PWD/data $1" >out 2>err
    for nodes_of in a b a b; do
        check "$MPI, $1 on two nodes: darshan-recover" env DARSHAN_MMAP_LOGPATH="$PWD/nodes/$nodes_of" \
            "$DSN_PREFIX/bin/darshan-recover" --mine
    done
    is "$(count_logs)" 2 "$MPI, $1 on two nodes: two logs"
    is "$(find nodes -type f)" '' "$MPI, $1 on two nodes: nothing is left behind"
    printf 'job nprocs 4\nsum POSIX */own.* POSIX_BYTES_WRITTEN 200\nrecords POSIX 2 */own.*\n' >nodes.want
    for nodes_log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
        decode "$nodes_log" --strict --want nodes.want >nodes.why || echo 'not as it should be'
        decode "$nodes_log" --text | grep -o '/own\.[0-9]' | sort -u
    done >nodes.out
    is "$(sort nodes.out | tr '\n' ' ')" '/own.0 /own.1 /own.2 /own.3 ' "$MPI, $1 on two nodes: each rank in one of them"
}

# outlived: a rank is killed, so that there is no log; children of the ranks go on, and make logs of their own
outlived() {
    outlived_how=--enable-recovery
    [ "$MPI" = openmpi ] || outlived_how=
    rm -rf data
    mkdir data
    fresh_logs
    timeout -k 2 8 "$launcher" $outlived_how -n 2 env DARSHAN_FINALIZE_TIMEOUT=2 "LD_PRELOAD=$preload" "$program" \
        "$PWD/data" outlived >out 2>err
    sleep 5
    wait_until eval '"$DSN_PREFIX/bin/darshan-recover" --mine >/dev/null; [ -z "$(ls "darshan-$(id -u)")" ]'
    is "$(ls "darshan-$(id -u)")" '' "$MPI, ranks with children are killed: nothing is left behind"
    for outlived_log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
        decode "$outlived_log" --text | grep -oE '/(own|child)\.[0-9]' | sort -u
    done >outlived.out
    is "$(sort outlived.out | tr '\n' ' ')" "$(ls data | sed 's,^,/,' | tr '\n' ' ')" \
        "$MPI, ranks with children are killed: all files are in one log"
}

# late: a rank calls MPI_Finalize when the tool, whose destructor has run, makes no log any more; the other one, which has
# come in time, is not to wait for it
late() {
    check "$MPI: compiles a library that finalizes late" build plain late.so "$work/late-finalize.c" -shared -fPIC
    rm -rf data
    mkdir data
    fresh_logs
    timeout -k 5 60 "$launcher" -n 2 env LD_PRELOAD="$preload $PWD/late.so" "$program" "$PWD/data" exit >out 2>err
    is $? 31 "$MPI, a rank finalizes after the tool: exit status 31"
    is "$(count_logs)" 1 "$MPI, a rank finalizes after the tool: a log by itself"
    right "$MPI, a rank finalizes after the tool" 2
}

with_mpi() {
    program=$PWD/$MPI
    launcher=$OPENMPI_RUN
    [ "$MPI" = openmpi ] || launcher=$MPICH_RUN
    check "$MPI: compiles" compile preload "$program" endings.c
    check "$MPI: compiles, static" cc -g -static -o "$program-static" "$work/endings.c"
    for way in exit _exit abort segv kill MPI_Abort exec exec-fails all-exit all-exec-static; do
        in_job "$way"
    done
    alone "$MPI, alone" quick_exit
    alone "$MPI, alone" segv
    check "$MPI: compiles a library that is stuck" build plain stuck.so "$work/stuck-finalize.c" -shared -fPIC
    until_killed "$MPI, MPI_Finalize behind ours never returns" \
        env "LD_PRELOAD=$preload $PWD/stuck.so" "$program" "$PWD/data" finalize
    right "$MPI, MPI_Finalize behind ours never returns" 2
    until_killed "$MPI, MPI_Finalize before ours never returns" \
        env "LD_PRELOAD=$PWD/stuck.so $preload" "$program" "$PWD/data" finalize
    right "$MPI, MPI_Finalize before ours never returns" 2
    late
    outlived
    # Debian 13's Open MPI, 5.0.7, crashes
    mkdir -p data
    if two_command_lines "$program $PWD/data finalize" "$program $PWD/data finalize" >out 2>&1; then
        on_two_nodes all-kill
        on_two_nodes all-_exit
    else
        skip "$MPI: on two nodes" "$MPI that starts a job of two command lines"
    fi
    until_killed "$MPI, a rank never comes" env "LD_PRELOAD=$preload" "$program" "$PWD/data" waits
    right "$MPI, a rank never comes" 2
}
