# t3130-mpi-calls.sh - MPI calls other than I/O: counts, bytes and times, if enabled
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

export DARSHAN_MOD_ENABLE=APMPI

# A log has the module's records if and only if they were asked for.
only_if_asked_for() {
    mkdir -p data
    check "$MPI: compiles" compile plain late mpi-late.c
    fresh_logs
    (unset DARSHAN_MOD_ENABLE && DARSHAN_MPI_SYNC=1 execute preload 2 ./late data)
    is "$("$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" | grep -c APMPI)" 0 "$MPI: no record where none is asked for"
}

# Each of two ranks waits 0.4 s for the other one, rank 0 not before MPI_Finalize, which is none of these calls.
in_three_parts() {
    fresh_logs
    check "$MPI: runs" execute preload 2 ./late data
    "$DSN_PREFIX/bin/darshan-job-summary" --json "$(latest_log)" >json
    is "$("$PYTHON3" -c 'import json
d = json.load(open("json"))
c, run = d["communication"], d["answer"]["run"]
whole = sum(run.values())
print(c["ranks"], c["most_rank"], 0.35 < c["most_seconds"] < 0.8, abs(run["communication"] - c["mean_seconds"]) < 1e-9,
      abs(whole - d["job"]["run_seconds"]) < 1e-6, c["mean_waiting_for_ranks"])')" '2 1 True True True None' \
        "$MPI: compute, communication and I/O are the run time"
    check "$MPI: on the screen" sh -c '"$0" "$1" | grep -q "^MPI  *mean rank: compute .* communication .* I/O"' \
        "$DSN_PREFIX/bin/darshan-job-summary" "$(latest_log)"
}

# Where not all ranks wait, none does: the job would hang.
waits_of_one() {
    fresh_logs
    check "$MPI: one of two ranks is to wait" execute plain 2 sh -c '
        [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}" = 0 ] || unset DARSHAN_MPI_SYNC; LD_PRELOAD=$0 exec ./late data' "$preload"
    "$DSN_PREFIX/bin/darshan-parser" --show-incomplete "$(latest_log)" >text
    is "$(grep -c MPI_BARRIER_CALL_COUNT text) $(grep -c '^APMPI.*_SYNC_TIME' text)" '2 0' "$MPI: it counts, and does not wait"
}

all_ways() {
    for way in preload static; do
        known $way 4 mpi-calls.c
        known $way 4 mpi-edges.c
    done
    known preload 4 mpi-calls-fortran.f90 -cpp -fallow-argument-mismatch
    known preload 4 mpi-calls-fortran.f90 -cpp -fallow-argument-mismatch -DUSE_MPIF
    known preload 4 mpi-calls-fortran.f90 -cpp -DUSE_F08
    only_if_asked_for
    in_three_parts
    export DARSHAN_MPI_SYNC=1
    known preload 2 mpi-late.c
    waits_of_one
    unset DARSHAN_MPI_SYNC
}

each_mpi all_ways
finish
