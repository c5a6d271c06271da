# t9010-circumstances.sh - ending a program under difficult circumstances, and unusual names and arguments
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

mkdir data
check 'compiles' compile nonmpi ./limits limits.c
known_ranks=1

# -- no descriptor left: a log, or one line that says why not; the program is not disturbed
(ulimit -n 24; execute nonmpi 0 ./limits "$PWD/data" files) >out 2>err
is $? 0 'no descriptor left: exit status'
is "$(($(grep -c '^darshan: ' err) + $(count_logs)))" 1 'no descriptor left: a log or one warning'
is "$(grep -vc '^darshan: ' err)" 0 'no descriptor left: nothing else on stderr'

# -- descriptor 2 is not standard error any more: no warning goes into the program's data
logs=$DARSHAN_LOGPATH
DARSHAN_LOGPATH=$PWD/nowhere
execute nonmpi 0 ./limits "$PWD/data" stderr >out 2>err
is $? 0 'descriptor 2 is a data file: exit status'
is "$(cat data/precious.dat)" precious 'descriptor 2 is a data file: it stays as it was written'
DARSHAN_LOGPATH=$logs

# -- names and arguments
odd() {
    what=$1
    shift
    fresh_logs
    "$@" >out 2>err
    is $? 0 "$what: exit status"
    is "$(count_logs)" 1 "$what: one log"
    check "$what: counters" wanted "$(latest_log)" "$PWD/data" 0 limits.want
}
exe() {
    decode "$(latest_log)" --text | sed -n 's/^# exe: //p'
}
odd 'slashes in the user name' env LOGNAME=../../up DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" \
    ./limits "$PWD/data" none
long=$(printf '%0250d' 0)
cp limits "$long"
odd 'long program name' env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "./$long" "$PWD/data" none
odd 'long command line' env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./limits "$PWD/data" none \
    "$(printf '%03500d' 0)"
check 'long command line: its end is marked' expr "$(exe)" : '.*0<TRUNCATED>$'
odd 'newline in an argument' env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./limits "$PWD/data" none 'two
lines'
check 'newline in an argument: one line, and the mounts behind it' expr "$(exe)" : '.*/data none two lines$'
mkdir "data/name with	tab"
odd 'odd directory' env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./limits "$PWD/data/name with	tab" none
odd 'settings that are no numbers' env DARSHAN_MODMEM=many DARSHAN_MEMALIGN=-1 DARSHAN_ENABLE_NONMPI=1 \
    "LD_PRELOAD=$preload" ./limits "$PWD/data" none
odd 'more memory than there is' env DARSHAN_MODMEM=65536 DARSHAN_NAMEMEM=65536 DARSHAN_ENABLE_NONMPI=1 \
    "LD_PRELOAD=$preload" ./limits "$PWD/data" none
odd 'more memory than the process may have' sh -c \
    'ulimit -v 400000; DARSHAN_MODMEM=2048 DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$0 exec "$@"' \
    "$preload" ./limits "$PWD/data" none

# -- MPI
with_mpi() {
    check "$MPI: compiles" compile preload ./limits-mpi limits.c
    for try in 1 2 3; do # Open MPI's mpirun itself may crash when a job is aborted on a busy machine
        run plain 2 timeout 200 ./limits-mpi "$PWD/data" abort >bare.out 2>bare.err
        bare=$?
        [ $bare -ge 128 ] || break
    done
    fresh_logs
    run preload 2 timeout 200 ./limits-mpi "$PWD/data" abort >out 2>err
    is $? $bare "$MPI, MPI_Abort: exit status"
    is "$(grep -c '^darshan: ' err)" 0 "$MPI, MPI_Abort: nothing of ours on stderr"

    # the limit is for writing the log, not for waiting until all ranks come
    fresh_logs
    DARSHAN_FINALIZE_TIMEOUT=5
    export DARSHAN_FINALIZE_TIMEOUT
    run preload 3 timeout 200 ./limits-mpi "$PWD/data" late >out 2>err
    is $? 0 "$MPI, a rank finalizes late: exit status"
    unset DARSHAN_FINALIZE_TIMEOUT
    known_ranks=3
    check "$MPI, a rank finalizes late: counters" wanted "$(latest_log)" "$PWD/data" -1 limits.want
}
each_mpi with_mpi
finish
