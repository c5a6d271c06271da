# t3002-mpiio-meta.sh - MPI-IO calls without a counter of their own, and their time; large counts
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

slow() {
    fresh_logs
    mkdir "slow-$MPI"
    check "slow calls, $MPI: compiles" build plain slow.so "$work/slow-mpi.c" -shared -fPIC
    check "program, $MPI: compiles" compile plain ./slow-program mpiio-meta.c
    check "slow calls, $MPI: runs" run plain 2 timeout 200 env "LD_PRELOAD=$preload $PWD/slow.so" ./slow-program \
        "$PWD/slow-$MPI"
    check "slow calls, $MPI: their time is in the log" wanted "$(latest_log)" "$PWD/slow-$MPI" -1 mpiio-meta.want \
        mpiio-slow.want
}

all_ways() {
    for way in preload static; do
        known $way 2 mpiio-meta.c
        if build plain large.o "$work/mpiio-large.c" -DWITH_MPI -c 2>/dev/null; then
            known $way 2 mpiio-large.c
        else
            skip "large counts, $MPI, $way" "MPI: MPI 4.0, which $MPI is not here"
        fi
    done
    slow
}

each_mpi all_ways
finish
