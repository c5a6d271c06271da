# shutdown.sh - the tests of t3080 and t3081, for one MPI each; to be sourced after lib.sh and known.sh, then call
# one_mpi
# SPDX-License-Identifier: BSD-3-Clause
#
# SHUTDOWN_RUNS: how often the ranks come at random times (make shutdown-storm: 1,000 times); SHUTDOWN_TABLE=FILE: how often
# each way has passed and failed, always up to date; what stands there already is not done again

# together COMMAND...: with all ranks writing the log
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

# random_count: reads how often the way $random_name has passed and failed, or with two numbers writes it
random_count() {
    random_table=${SHUTDOWN_TABLE:-random.table}
    touch "$random_table"
    if [ $# = 0 ]; then
        random_good=$(sed -n "s/^$random_name: \([0-9]*\) passed.*/\1/p" "$random_table")
        random_bad=$(sed -n "s/^$random_name: .* \([0-9]*\) failed/\1/p" "$random_table")
        return
    fi
    { grep -v "^$random_name:" "$random_table"; echo "$random_name: $1 passed, $2 failed"; } >random.new
    mv random.new "$random_table"
}

# one_at_random COMMAND...: sixteen ranks
one_at_random() {
    rm -rf "$DARSHAN_LOGPATH"
    fresh_logs
    "$@" run preload 16 timeout 200 ./finalize own 3 "$PWD/data" 30000 >out 2>err && whole >why 2>&1 &&
        [ -z "$(ls "darshan-$(id -u)")" ]
}

# at_random NAME COMMAND...: COMMAND is nothing, or what runs another
at_random() {
    random_name=$1
    shift
    mkdir -p data
    random_count
    : "${random_good:=0}" "${random_bad:=0}"
    while [ $((random_good + random_bad)) -lt "${SHUTDOWN_RUNS:-1}" ]; do
        if one_at_random "$@"; then
            random_good=$((random_good + 1))
        else
            random_bad=$((random_bad + 1))
            cat err why
            ls -l "darshan-$(id -u)"
            rm -f "darshan-$(id -u)"/*
        fi
        random_count $random_good $random_bad
    done >random.out 2>&1
    is $random_bad 0 "$random_name: runs that hang, lack something, or leave something behind"
    sed 's/^/# /' random.out
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
    seconds "$@" run plain 4 timeout 200 env "LD_PRELOAD=$PWD/stalls.so:$preload" ./finalize own 3 "$PWD/data" >out 2>err
    is $? 0 "$stalled_name: exit status"
    is "$(count_logs)" 0 "$stalled_name: no log"
    check "$stalled_name: it is said why, once" [ "$(grep -c '^darshan: .*DARSHAN_FINALIZE_TIMEOUT' err)" = 1 ]
    check "$stalled_name: over in time ($took s)" [ $took -lt 100 ]
    is "$(find "$DARSHAN_LOGPATH" -type f | wc -l)" 0 "$stalled_name: nothing is left behind"
    unset STALL_CALL STALL_AT STALL_SECONDS DARSHAN_FINALIZE_TIMEOUT
}

# four COMMAND...: in the background; runs it on four ranks, and leaves the others alone when one is killed, as far as the
# launcher can
four() {
    case $MPI in
    openmpi) exec timeout -k 2 200 "$OPENMPI_RUN" --enable-recovery -n 4 "$@" ;;
    mpich) exec timeout -k 2 200 "$MPICH_RUN" -disable-auto-cleanup -n 4 "$@" ;;
    esac
}

# four_here COMMAND...: the same in the foreground
four_here() {
    (four "$@")
}

# recovers: darshan-recover, until nothing is left to recover: a killed process holds its locks until the kernel is through with
# its memory, which may be after its launcher has ended
recovers() {
    rm -f recovers.failed
    wait_until eval '"$DSN_PREFIX/bin/darshan-recover" --mine >recovers.out 2>&1 || : >recovers.failed
        [ -e recovers.failed ] || [ -z "$(find "darshan-$(id -u)" -type f)" ]'
    [ ! -e recovers.failed ] || { cat recovers.out; return 1; }
}

# all_there NAME: what four ranks had counted is in one log, if need be by darshan-recover, and nothing is left behind
all_there() {
    check "$1: darshan-recover" recovers
    is "$(count_logs)" 1 "$1: one log"
    printf 'job nprocs 4\nrecords POSIX 12 */own.*\nPOSIX * */own.* POSIX_BYTES_WRITTEN 4096\n' >four.want
    [ "$(count_logs)" != 1 ] || check "$1: all ranks are in it" decode "$(latest_log)" --strict --want four.want
    is "$(find "$DARSHAN_LOGPATH" "darshan-$(id -u)" -type f ! -name '*.darshan')" '' "$1: nothing is left behind"
}

# comes_to_a_log: waits for one, and until nothing else is there, for a small part of the limit
comes_to_a_log() {
    wait_until eval '[ "$(count_logs)" != 0 ] && [ -z "$(find "darshan-$(id -u)" -type f)" ]' && return
    find "$DARSHAN_LOGPATH" "darshan-$(id -u)" -type f
    return 1
}

# killed NAME RANK CALL AT [COMMAND]...: the rank is killed before the call, or behind it with STALL_BEHIND set. The others
# do not wait for it, and the last one makes the log; Open MPI's own MPI_Finalize may wait for ever for it then. MPICH's
# launcher kills the others, sooner or later.
killed() {
    killed_name="$MPI, rank $2 is killed: $1" STALL_RANK=$2 STALL_CALL=$3 STALL_AT=$4
    shift 4
    fresh_logs
    rm -rf killed "darshan-$(id -u)" # of those that stalled there is something left
    STALL_SECONDS=0 STALL_KILLED=$PWD/killed DARSHAN_FINALIZE_TIMEOUT=600
    export STALL_RANK STALL_CALL STALL_AT STALL_SECONDS STALL_KILLED DARSHAN_FINALIZE_TIMEOUT
    "$@" four env "LD_PRELOAD=$PWD/stalls.so:$preload" ./finalize own 3 "$PWD/data" >out 2>err &
    killed_four=$!
    [ "$MPI" = openmpi ] && check "$killed_name: the others make the log" comes_to_a_log
    [ "$MPI" = openmpi ] || wait $killed_four
    check "$killed_name: it is" [ -f killed ]
    all_there "$killed_name"
    [ "$MPI" = openmpi ] && kill $killed_four 2>/dev/null
    wait $killed_four 2>/dev/null
    unset STALL_RANK STALL_CALL STALL_AT STALL_SECONDS STALL_KILLED DARSHAN_FINALIZE_TIMEOUT
}

# others_come_through NAME CALL LOGS LIMIT [COMMAND]...: rank 1 is killed at the call, which may be in MPI_Init; the other three, which
# have nothing to do with it otherwise, are through with the tool soon, and MPI waits for nobody. There are so many logs.
others_come_through() {
    through_name="$MPI, $1" STALL_CALL=$2 through_logs=$3 DARSHAN_FINALIZE_TIMEOUT=$4
    shift 4
    fresh_logs
    rm -rf killed data "darshan-$(id -u)"
    mkdir data
    STALL_AT=1 STALL_SECONDS=0 STALL_KILLED=$PWD/killed
    export STALL_CALL STALL_AT STALL_SECONDS STALL_KILLED DARSHAN_FINALIZE_TIMEOUT
    seconds four_here "$@" env "LD_PRELOAD=$PWD/stalls.so:$preload:$PWD/through.so" ./apart "$PWD/data" >out 2>err
    check "$through_name: it is killed" [ -f killed ]
    check "$through_name: over in time ($took s)" [ $took -lt 100 ]
    if [ "$MPI" = openmpi ]; then # MPICH's launcher kills the others
        is "$(grep -c ^through err)" 3 "$through_name: the others are through"
        is "$(count_logs)" "$through_logs" "$through_name: logs"
    fi
    wait_until_ended
    check "$through_name: darshan-recover" "$DSN_PREFIX/bin/darshan-recover" --mine
    [ ! -d "darshan-$(id -u)" ] || is "$(ls "darshan-$(id -u)")" '' "$through_name: nothing is left behind"
    unset STALL_CALL STALL_AT STALL_SECONDS STALL_KILLED DARSHAN_FINALIZE_TIMEOUT
}

# short_of_memory NAME RANK KIB OWN [COMMAND]...: a rank allows itself so little more; the job ends in order, and if it makes no
# log itself (OWN: how many it does) darshan-recover does
short_of_memory() {
    short_name="$MPI, rank $2 may have $3 KiB more, $1" short_rank=$2 short_kib=$3 short_own=$4
    shift 4
    fresh_logs
    rm -rf data
    mkdir data
    seconds "$@" run preload 4 timeout 200 ./apart "$PWD/data" "$short_rank" "$short_kib" 1000 >out 2>err
    is $? 0 "$short_name: exit status"
    check "$short_name: over in time ($took s)" [ $took -lt 100 ]
    is "$(count_logs)" "$short_own" "$short_name: logs of its own"
    check "$short_name: darshan-recover" "$DSN_PREFIX/bin/darshan-recover" --mine
    printf 'job nprocs 4\nrecords POSIX 4000 */own.*\nsum POSIX */own.* POSIX_BYTES_WRITTEN 16384000\n' >short.want
    check "$short_name: all is in the log" decode "$(latest_log)" --strict --want short.want
}

# full_disk NAME [COMMAND]...: sixteen ranks have no place for their log
full_disk() {
    full_name="$MPI, a full disk, $1"
    shift
    fresh_logs
    rm -rf data elsewhere
    mkdir -p data elsewhere full
    mount -t tmpfs -o size=64k none full
    DARSHAN_LOGPATH=$PWD/full
    "$DSN_PREFIX/bin/darshan-mk-log-dirs" full >/dev/null
    seconds "$@" run preload 16 timeout 200 ./finalize own 500 "$PWD/data" >out 2>err
    is $? 0 "$full_name: exit status"
    check "$full_name: over in time ($took s)" [ $took -lt 100 ]
    is "$(find full -type f)" '' "$full_name: nothing is there"
    check "$full_name: it is said, once" [ "$(grep -c '^darshan: no log of this job' err)" = 1 ]
    check "$full_name: darshan-recover" "$DSN_PREFIX/bin/darshan-recover" --output "$PWD/elsewhere"
    umount full
    printf 'job nprocs 16\nrecords POSIX 8000 */own.*\nsum POSIX */own.* POSIX_BYTES_WRITTEN 32768000\n' >full.want
    check "$full_name: all is in the log" decode "$(ls elsewhere/*)" --strict --want full.want
}

one_mpi() {
    check "$MPI: compiles" build plain finalize "$DSN_SRC/test/bench/finalize.c" || return
    at_random "$MPI, one rank writes"
    at_random "$MPI, all ranks write" together
    [ -n "${SHUTDOWN_RUNS:-}" ] && return
    # How the library gets into a program does not depend on the MPI, and most moments at which a rank is killed do not, either.
    case $MPI in
    openmpi) ways='preload linked static' ;;
    *) ways=preload ;;
    esac
    for way in $ways; do
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
    together run plain 4 timeout 200 env "LD_PRELOAD=$PWD/stalls.so:$preload" ./finalize own 3 "$PWD/data" >out 2>err
    is "$(grep -c '^MPI-IO in MPI_Finalize' err)" 0 "$MPI: MPI-IO, which not every thread may call, is not called"
    stalled "$MPI, a rank stalls on the way" Isend 3 2
    stalled "$MPI, a rank stalls while it writes its part" pwrite 1 4 together
    killed 'before it says anything' 1 Isend 1
    killed 'when it is to hear of the plan' 1 Irecv 1
    killed 'between length and bytes of its part' 3 Isend 4
    STALL_BEHIND=1 killed 'when the log has its name' 0 renameat2 1
    if [ "$MPI" = openmpi ]; then
        killed 'when it has said what it has' 2 Isend 2
        killed 'while it writes the log' 0 pwrite 2
        killed 'before the log gets its name' 0 renameat2 1
        killed 'before it writes its part' 1 pwrite 1 together
    fi
    STALL_BEHIND=1 killed 'while it writes its part' 1 pwrite 1 together
    check "$MPI: compiles ranks apart" build plain apart "$work/apart.c" -DWITH_MPI
    check "$MPI: through.so" build plain through.so "$work/through.c" -shared -fPIC
    others_come_through 'killed at the end of MPI_Init, before its survival file says who it is' link 1 600
    others_come_through 'killed, there are no survival files' Isend 0 600 env DARSHAN_MMAP_LOGPATH=none
    others_come_through 'killed behind what MPI does in MPI_Init' Comm_idup 0 4
    short_of_memory 'one rank writes' 0 0 1
    short_of_memory 'one rank writes' 2 0 1
    short_of_memory 'all ranks write' 1 50000 1 together
    if mkdir -p full && mount -t tmpfs -o size=64k none full 2>/dev/null; then
        umount full
        full_disk 'one rank writes'
        full_disk 'all ranks write' together
    else
        skip "$MPI, a full disk" 'right to mount'
    fi
}
