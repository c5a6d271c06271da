# t3080-shutdown.sh - the log is whole whoever writes it and however late ranks come; a rank that stalls hangs no other
# SPDX-License-Identifier: BSD-3-Clause
#
# SHUTDOWN_RUNS: how often the ranks come at random times (make shutdown-storm: 1,000 times)
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# together COMMAND...: with all ranks writing the log, through MPI-IO
together() {
    DARSHAN_GATHERMEM=0 DARSHAN_WRITERS=1000 "$@"
}

# three files of its own for each of 16 ranks: of all of them there are counters and names
whole() {
    cat >whole.want <<END
job nprocs 16
records POSIX 48 */own.*
POSIX * */own.* POSIX_BYTES_WRITTEN 4096
END
    decode "$(latest_log)" --strict --want whole.want
}

# at_random NAME COMMAND...: COMMAND is nothing, or what runs another
at_random() {
    random_name=$1
    shift
    mkdir -p data
    random_bad=0 i=0
    while [ $i -lt "${SHUTDOWN_RUNS:-3}" ]; do
        i=$((i + 1))
        fresh_logs
        "$@" run preload 16 timeout 60 ./finalize own 3 "$PWD/data" 30000 >out 2>err && whole >why 2>&1 && continue
        random_bad=$((random_bad + 1))
        cat err why
    done >random.out
    is $random_bad 0 "$random_name: runs that hang or lack something" || cat random.out
    [ $random_bad = 0 ] || sed 's/^/# /' random.out
}

# seconds COMMAND...: how long it takes, into $took
seconds() {
    took=$(date +%s)
    "$@"
    seconds_status=$?
    took=$(($(date +%s) - took))
    return $seconds_status
}

# stalled NAME CALL AT LIMIT COMMAND...: rank 1 sleeps 8 s while the others wait LIMIT
stalled() {
    stalled_name=$1 STALL_CALL=$2 STALL_AT=$3 DARSHAN_FINALIZE_TIMEOUT=$4
    shift 4
    fresh_logs
    STALL_SECONDS=8
    export STALL_CALL STALL_AT STALL_SECONDS DARSHAN_FINALIZE_TIMEOUT
    seconds "$@" run plain 4 timeout 60 env "LD_PRELOAD=$PWD/stalls.so:$preload" ./finalize own 3 "$PWD/data" >out 2>err
    is $? 0 "$stalled_name: exit status"
    is "$(count_logs)" 0 "$stalled_name: no log"
    check "$stalled_name: it is said why, once" [ "$(grep -c '^darshan: .*DARSHAN_FINALIZE_TIMEOUT' err)" = 1 ]
    check "$stalled_name: over in time ($took s)" [ $took -lt 30 ]
    is "$(find "$DARSHAN_LOGPATH" -type f | wc -l)" 0 "$stalled_name: nothing is left behind"
    unset STALL_CALL STALL_AT STALL_SECONDS DARSHAN_FINALIZE_TIMEOUT
}

# killed NAME CALL AT COMMAND...: rank 1 is killed
killed() {
    killed_name=$1 STALL_CALL=$2 STALL_AT=$3
    shift 3
    fresh_logs
    STALL_SECONDS=0 DARSHAN_FINALIZE_TIMEOUT=5
    export STALL_CALL STALL_AT STALL_SECONDS DARSHAN_FINALIZE_TIMEOUT
    seconds "$@" run plain 4 timeout 60 env "LD_PRELOAD=$PWD/stalls.so:$preload" ./finalize own 3 "$PWD/data" >out 2>err
    check "$killed_name: over in time ($took s)" [ $took -lt 30 ]
    is "$(count_logs)" 0 "$killed_name: no log"
    unset STALL_CALL STALL_AT STALL_SECONDS DARSHAN_FINALIZE_TIMEOUT
}

one_mpi() {
    check "$MPI: compiles" build plain finalize "$DSN_SRC/test/bench/finalize.c" || return
    at_random "$MPI, one rank writes"
    at_random "$MPI, all ranks write" together
    [ -n "${SHUTDOWN_RUNS:-}" ] && return
    for way in preload linked static; do
        export DARSHAN_GATHERMEM=0 DARSHAN_WRITERS=1000 DARSHAN_VERBOSE=1
        known $way 7 mpi-many.c
        unset DARSHAN_GATHERMEM DARSHAN_WRITERS DARSHAN_VERBOSE
    done
    fresh_logs
    mkdir -p data
    DARSHAN_VERBOSE=1 together run preload 4 ./finalize own 3 "$PWD/data" >out 2>err
    check "$MPI: four ranks have written it" grep -q '^darshan: 4 ranks write the log' err
    check "$MPI: stalls.so" build plain stalls.so "$work/stalls.c" -shared -fPIC
    fresh_logs
    LOSE=1 together run plain 16 timeout 60 env "LD_PRELOAD=$PWD/stalls.so:$preload" ./finalize own 3 "$PWD/data" >out 2>err
    check "$MPI: what MPI-IO leaves out is there all the same" whole
    stalled "$MPI, a rank stalls on the way" Isend 3 2
    stalled "$MPI, a rank stalls in MPI-IO" File_write_at_all 1 5 together
    killed "$MPI, a rank is killed" Isend 3
    killed "$MPI, a rank is killed in MPI-IO" File_write_at_all 1 together
}

each_mpi one_mpi
finish
