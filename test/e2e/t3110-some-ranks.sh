# t3110-some-ranks.sh - a job in which only some ranks are instrumented, or with an unsupported MPI, runs, and one
# message reports it
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# lines: those of the tool in err
lines() {
    grep -c '^darshan: ' err
}

# some NAME LOGS FIRST SECOND
some() {
    fresh_logs
    two_command_lines "$3" "$4" >out 2>err
    is $? 0 "$MPI, $1: exit status"
    is "$(lines)" 1 "$MPI, $1: it is said once"
    check "$MPI, $1: it is said why" grep -q '^darshan: no log of this job: only 2 of its 4 ranks on this node have Darshan' err
    is "$(count_logs)" "$2" "$MPI, $1: logs"
    is "$(find "darshan-$(id -u)" -type f 2>/dev/null)" '' "$MPI, $1: nothing is left behind"
}

late() {
    fresh_logs
    run preload 4 timeout 60 ./program "$PWD" 1 5 >out 2>err
    is $? 0 "$MPI, one rank is late: exit status"
    is "$(lines)" 0 "$MPI, one rank is late: nothing is said"
    is "$(count_logs)" 1 "$MPI, one rank is late: logs"
    printf 'job nprocs 4\nrecords STDIO 4 */rank?.dat\n' >late.want
    [ "$(count_logs)" != 1 ] || check "$MPI, one rank is late: all are in it" decode "$(latest_log)" --strict --want late.want
}

# unknown NAME LOGS [VARIABLE=VALUE]: an installation that lacks the part for this MPI
unknown() {
    unknown_name=$1 unknown_logs=$2
    shift 2
    fresh_logs
    run plain 3 timeout 60 env "$@" "LD_PRELOAD=$PWD/lib/libdarshan.so" ./program "$PWD" >out 2>err
    is $? 0 "$MPI, $unknown_name: exit status"
    is "$(lines)" 1 "$MPI, $unknown_name: it is said once"
    check "$MPI, $unknown_name: it is said which MPI" \
        grep -q '^darshan: Darshan was built without support for this MPI (\(Open MPI v\|MPICH Version: *\)[0-9.]*)' err
    is "$(count_logs)" "$unknown_logs" "$MPI, $unknown_name: logs"
}

one_mpi() {
    check "$MPI: compiles" compile plain ./program some-ranks.c || return
    with="env LD_PRELOAD=$preload ./program $PWD" without="./program $PWD"
    # Debian 13's Open MPI, 5.0.7, crashes
    if two_command_lines "$without" "$without" >out 2>&1; then
        some 'the first ranks have it' 0 "$with" "$without"
        some 'the last ranks have it' 0 "$without" "$with"
        some 'some have it, without MPI too' 2 "env DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$preload ./program $PWD" "$without"
    else
        skip "$MPI: some ranks of a job" "$MPI that starts a job of two command lines"
    fi
    late
    mkdir -p lib
    cp -L "$preload" lib/libdarshan.so
    unknown 'a part is missing' 0 DARSHAN_ENABLE_NOTHING=1
    unknown 'a part is missing, without MPI too' 3 DARSHAN_ENABLE_NONMPI=1
}

each_mpi one_mpi
finish
