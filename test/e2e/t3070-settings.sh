# t3070-settings.sh - settings of MPI programs: messages of one rank only, ranks and programs that are excluded
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
unset DARSHAN_CONFIG_PATH

# expect NAME: the run before must have left a log that fulfils the lines of stdin
expect() {
    cat >want
    check "$MPI, $1" decode "$(latest_log)" --strict -D "dir=$PWD/data" --want want
}

# once PROGRAM WAY: what cannot be understood is named by one rank of four
once() {
    fresh_logs
    DARSHAN_CONFIG_PATH=$PWD/conf
    DARSHAN_MEMALIGN=x
    export DARSHAN_CONFIG_PATH DARSHAN_MEMALIGN
    run "$2" 4 "$1" "$PWD/data" >out 2>err
    is $? 0 "$MPI, bad values, $2: exit status"
    is "$(grep -c '^darshan: .*:1: NONSENSE is not a setting$' err) $(grep -c '^darshan: DARSHAN_MEMALIGN is not' err)" '1 1' \
        "$MPI, bad values, $2: named once"
    is "$(grep -c '^# MODMEM = 3 MiB$' err) $(grep -c 'module: ' err)" '1 18' "$MPI, dump, $2: once"
    is "$(grep -c '^darshan:init	[14]	' err)" 1 "$MPI, timing, $2: once"
    unset DARSHAN_CONFIG_PATH DARSHAN_MEMALIGN
}

# several RANKS PROGRAM RANKS PROGRAM: one job of two programs
several() {
    set -- -n "$1" env "LD_PRELOAD=$preload" "$2" "$PWD/data" : -n "$3" env "LD_PRELOAD=$preload" "$4" "$PWD/data"
    case $MPI in
    openmpi) timeout 200 "$OPENMPI_RUN" "$@" ;;
    mpich) timeout 200 "$MPICH_RUN" "$@" ;;
    esac
}

one() {
    mkdir -p data
    check "$MPI: compiles" compile preload ./program settings.c
    cp program other
    printf '%s\n' NONSENSE 'MODMEM 3' DUMP_CONFIG INTERNAL_TIMING >conf
    once ./program preload
    is "$(count_logs)" 1 "$MPI: one log"
    DARSHAN_ENABLE_NONMPI=1
    export DARSHAN_ENABLE_NONMPI
    once ./program preload
    unset DARSHAN_ENABLE_NONMPI
    is "$(count_logs)" 1 "$MPI: one log of ranks that were counted from the start"

    fresh_logs
    check "$MPI: compiles, static" compile static ./fixed settings.c
    once ./fixed static
    is "$(count_logs)" 1 "$MPI: one log of a static program"

    # ranks: excluded are 0 and 3; of those that were counted before MPI_Init, too
    for early in '' DARSHAN_ENABLE_NONMPI=1; do
        fresh_logs
        run preload 4 env ${early:-X=} DARSHAN_RANK_EXCLUDE=0:1,3 DARSHAN_RANK_INCLUDE=1 ./program "$PWD/data"
        is $? 0 "$MPI, ranks, $early: exit status"
        expect "ranks, $early: log" <<'END'
job nprocs 4
records POSIX 2 {dir}/data.dat
POSIX 1 {dir}/data.dat POSIX_BYTES_WRITTEN 8
POSIX 2 {dir}/data.dat POSIX_BYTES_WRITTEN 8
records STDIO 2 {dir}/text.txt
rank 0 RANK_BYTES_WRITTEN 0
rank 0 RANK_FILES 0
rank 3 RANK_BYTES_WRITTEN 0
END
    done
    fresh_logs
    DARSHAN_RANK_EXCLUDE='*' run preload 2 ./program "$PWD/data"
    is "$? $(count_logs)" '0 1' "$MPI, no rank recorded: a log, of nothing"

    # an item that is no rank once kept MPI_Init from returning
    fresh_logs
    DARSHAN_RANK_EXCLUDE=x,1 run preload 2 timeout 200 ./program "$PWD/data" 2>err
    is "$? $(grep -c 'a rank is n, a:b' err)" '0 1' "$MPI, a list of ranks that is none: exit status, and named"
    expect 'a list of ranks that is none: the rest of it counts' <<'END'
records POSIX 1 {dir}/data.dat
END

    # one job, two programs, one of which is left alone: the first, then the second
    if ! two_command_lines "./program $PWD/data" "./other $PWD/data" >out 2>&1; then
        skip "$MPI: one job, two programs" "$MPI that starts a job of two command lines"
        rm -rf data program other
        return
    fi
    for out in program other; do
        fresh_logs
        DARSHAN_APP_EXCLUDE="/$out\$"
        export DARSHAN_APP_EXCLUDE
        several 2 ./program 2 ./other
        is "$? $(count_logs)" '0 1' "$MPI, $out excluded: exit status, and a log"
        unset DARSHAN_APP_EXCLUDE
        expect "$out excluded: log" <<'END'
job nprocs 4
sum POSIX {dir}/data.dat POSIX_BYTES_WRITTEN 16
sum STDIO {dir}/text.txt STDIO_BYTES_WRITTEN 10
END
    done
    fresh_logs
    DARSHAN_APP_EXCLUDE=. several 1 ./program 1 ./other
    is "$? $(count_logs)" '0 0' "$MPI, both excluded: exit status, and no log"
    rm -rf data program other
}

each_mpi one
finish
