# t9237-sandboxes.sh - a program that is killed for any other system call than its own runs as without instrumentation,
# and has a log of what was before, which says that it is not all
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

survival=darshan-$(id -u)
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

# all_logs: their paths
all_logs() { find "$DARSHAN_LOGPATH" -type f -name '*.darshan'; }

# counted LOGS MISSED OPENS BYTES: so many logs, with the sums of all, and nothing else
counted() {
    is "$(count_logs)" "$1" "$runs_text: logs"
    for log in $(all_logs); do
        check "$runs_text: keeps all rules" decode "$log" --strict
        "$DSN_PREFIX/bin/darshan-job-summary" --json "$log" >"$log.json"
    done
    is "$(for log in $(all_logs); do "$DSN_PREFIX/bin/darshan-parser" --show-incomplete "$log"; done | awk '
        $4 == "POSIX_OPENS" && $6 !~ /^<STD|[/]out$/ { opens += $5 }
        $4 == "POSIX_BYTES_WRITTEN" && $6 !~ /^<STD|[/]out$/ { bytes += $5 }
        END { print opens, bytes }')" "$3 $4" "$runs_text: opens and bytes"
    is "$(cat $(all_logs | sed 's/$/.json/') | grep -o '"missed_calls": *[0-9]*' | awk -F: '{ n += $2 } END { print n }')" "$2" \
        "$runs_text: whether it is said that something is missing"
    is "$(cat $(all_logs | sed 's/$/.json/') | grep -o '"killed_processes": *[1-9][0-9]*')" '' "$runs_text: none is said to be killed"
    is "$(ls "$survival")" '' "$runs_text: nothing is left behind"
}

tool "$PYTHON3" -c 'import os; open("data/x", "w").write("x"); os.kill(os.getpid(), 9)' >out 2>&1
"$DSN_PREFIX/bin/darshan-recover" --mine >out
is "$("$DSN_PREFIX/bin/darshan-job-summary" --json "$(latest_log)" | grep -o '"killed_processes": *[1-9][0-9]*' | tr -dc 0-9)" 1 \
    'a program that is killed is said to be'
for way in prctl seccomp; do
    for files in 1 20 3000; do
        runs "$way, $files files" tool ./sandbox "$PWD/data" $way $files
        counted 1 1 1 10
    done
done
runs 'a child of it' tool ./sandbox "$PWD/data" fork 20
counted 1 1 1 10
runs 'a program that it executes' tool ./sandbox "$PWD/data" exec 20
counted 1 1 1 10
runs 'in a tree' tool sh -c './sandbox "$0" seccomp 20; exit $?' "$PWD/data"
counted 1 1 1 10
runs 'what answers with errors' tool ./sandbox "$PWD/data" errno 20
counted 1 1 1 10
runs 'whether there are filters is asked' tool ./sandbox "$PWD/data" asked 20
counted 1 0 22 50
runs 'a filter that is not taken' tool ./sandbox "$PWD/data" refused 20
counted 2 1 22 50
runs 'no survival files' env DARSHAN_MMAP_LOGPATH=none DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./sandbox "$PWD/data" prctl 20
counted 1 1 1 10

# ranks of MPI: all go on, and what they have counted becomes a log of those that have no filter, or afterwards
ranks() {
    check "$MPI: compiles" compile plain ./ranks sandbox-ranks.c
    for which in -1 0 2 '0 refused' '2 refused'; do
        rm -rf data
        mkdir data
        fresh_logs
        run preload 3 timeout 100 ./ranks "$PWD/data" $which >out 2>&1
        is $? 0 "$MPI, filter of rank $which: exit status"
        [ "$which" != -1 ] || is "$(count_logs)" 0 "$MPI, filter of all ranks: no log of their own"
        check "$MPI, filter of rank $which: darshan-recover" "$DSN_PREFIX/bin/darshan-recover" --mine
        is "$(count_logs)" 1 "$MPI, filter of rank $which: one log"
        printf 'job nprocs 3\nsum POSIX */data/rank? POSIX_BYTES_WRITTEN 15\n' >ranks.want
        check "$MPI, filter of rank $which: all are in it" decode "$(latest_log)" --strict --want ranks.want
        is "$(ls "$survival")" '' "$MPI, filter of rank $which: nothing is left behind"
    done
}
each_mpi ranks
finish
