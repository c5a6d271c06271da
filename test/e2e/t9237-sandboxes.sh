# t9237-sandboxes.sh - a program that is killed for any other system call than its own runs as without instrumentation,
# and has a log
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

images=darshan-$(id -u)
case $(uname -m) in
x86_64 | aarch64) ;;
*) skip_all 'processor: x86_64 or aarch64' ;;
esac
check 'compiles' cc -g -Wall -o sandbox "$work/sandbox.c"
mkdir data
./sandbox "$PWD/data" prctl 1 >bare 2>&1
[ $? != 77 ] || skip_all 'kernel: seccomp'
is "$? $(cat bare)" '0 done' 'runs bare'

tool() {
    timeout 100 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$@"
}

# runs TEXT COMMAND...: as without the tool
runs() {
    runs_text=$1
    shift
    rm -rf data
    mkdir data
    fresh_logs
    "$@" >out 2>&1
    is "$? $(cat out)" '3 done' "$runs_text: status and output"
}

# counted FILES BYTES: all of the one log
counted() {
    is "$(count_logs)" 1 "$runs_text: one log"
    check "$runs_text: keeps all rules" decode "$(latest_log)" --strict
    is "$("$DSN_PREFIX/bin/darshan-parser" --show-incomplete "$(latest_log)" | awk '
        $4 == "POSIX_OPENS" && $6 !~ /^<STD|[/]out$/ { opens += $5 }
        $4 == "POSIX_BYTES_WRITTEN" && $6 !~ /^<STD|[/]out$/ { bytes += $5 }
        END { print opens, bytes }')" "$1 $2" "$runs_text: opens and bytes"
    is "$("$DSN_PREFIX/bin/darshan-parser" --show-incomplete "$(latest_log)" |
        awk '$4 == "POSIX_BYTES_WRITTEN" && $6 ~ "/data/before$" { n += $5 } END { print n + 0 }')" 30 \
        "$runs_text: what was written before and after"
    is "$(ls "$images")" '' "$runs_text: nothing is left behind"
}

# killed_in LOG: how many of its processes are said to have been killed
killed_in() {
    "$DSN_PREFIX/bin/darshan-job-summary" --json "$1" | sed -n 's/.*"killed_processes": *\([0-9]*\).*/\1/p'
}

# left FILES BYTES: it has made no log itself
left() {
    is "$(count_logs)" 0 "$runs_text: no log of its own"
    check "$runs_text: darshan-recover" "$DSN_PREFIX/bin/darshan-recover"
    counted "$@"
    is "$(killed_in "$(latest_log)")" 0 "$runs_text: is not said to be killed"
}

tool "$PYTHON3" -c 'import os; open("data/x", "w").write("x"); os.kill(os.getpid(), 9)' >out 2>&1
"$DSN_PREFIX/bin/darshan-recover" >out
is "$(killed_in "$(latest_log)")" 1 'a program that is killed is said to be'
for way in prctl seccomp; do
    for files in 1 20 3000; do
        runs "$way, $files files" tool ./sandbox "$PWD/data" $way $files
        left $((files + 2)) $((files + 30))
    done
done
runs 'a child of it' tool ./sandbox "$PWD/data" fork 20
left 22 50
runs 'in a tree' tool sh -c './sandbox "$0" seccomp 20; exit $?' "$PWD/data"
counted 22 50
runs 'what answers with errors' tool ./sandbox "$PWD/data" errno 20
check "$runs_text: darshan-recover" "$DSN_PREFIX/bin/darshan-recover"
is "$(count_logs)" 1 "$runs_text: a log by it at the latest"
runs 'a filter that is not taken' tool ./sandbox "$PWD/data" refused 20
counted 22 50
runs 'no images' env DARSHAN_MMAP_LOGPATH=none DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./sandbox "$PWD/data" prctl 20
is "$(count_logs)" 1 'no images: a log of what was before'

# ranks of MPI: all go on, and what they have counted becomes a log afterwards
ranks() {
    check "$MPI: compiles" compile plain ./ranks sandbox-ranks.c
    for which in -1 0 2; do
        rm -rf data
        mkdir data
        fresh_logs
        run preload 3 timeout 100 ./ranks "$PWD/data" $which >out 2>&1
        is $? 0 "$MPI, filter of rank $which: exit status"
        is "$(count_logs)" 0 "$MPI, filter of rank $which: no log of its own"
        check "$MPI, filter of rank $which: darshan-recover" "$DSN_PREFIX/bin/darshan-recover"
        is "$(count_logs)" 1 "$MPI, filter of rank $which: one log"
        printf 'job nprocs 3\nsum POSIX */data/rank? POSIX_BYTES_WRITTEN 15\n' >ranks.want
        check "$MPI, filter of rank $which: all are in it" decode "$(latest_log)" --strict --want ranks.want
        is "$(ls "$images")" '' "$MPI, filter of rank $which: nothing is left behind"
    done
}
each_mpi ranks
finish
