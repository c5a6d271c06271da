# t0130-endings.sh - MPI programs that start and end in unusual ways: without arguments, without MPI_Finalize, with a
# status
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

endings() {
    check "$MPI: compiles" compile preload ./hello hello.c

    fresh_logs
    run preload 1 ./hello "$PWD" 0 null >out 2>err
    is $? 0 "$MPI, MPI_Init(NULL, NULL): exit status"
    log=$(latest_log)
    check "$MPI, MPI_Init(NULL, NULL): counters" wanted "$log" "$PWD" -1 hello.want
    check "$MPI, MPI_Init(NULL, NULL): command line" expr "$(decode "$log" --text | sed -n 's/^# exe: //p')" : \
        ".*/hello $PWD 0 null$"

    for status in 0 9; do
        fresh_logs
        run plain 0 ./hello "$PWD" $status nofinalize >bare.out 2>bare.err
        bare=$?
        run preload 0 ./hello "$PWD" $status nofinalize >out 2>err
        is $? $bare "$MPI, no MPI_Finalize, status $status: exit status"
        check "$MPI, no MPI_Finalize, status $status: stderr" diff bare.err err
    done

    fresh_logs
    LD_PRELOAD=$preload run plain 2 ./hello "$PWD" 0 >out 2>err
    is $? 0 "$MPI, preloaded into mpirun as well: exit status"
    check "$MPI, preloaded into mpirun as well: stderr" test ! -s err
    is "$(count_logs)" 1 "$MPI, preloaded into mpirun as well: one log"

    fresh_logs
    run preload 0 ./hello "$PWD" 5 >out 2>err
    is $? 5 "$MPI, status after MPI_Finalize"
    check "$MPI, without mpirun: one rank is shared with itself" wanted "$(latest_log)" "$PWD" -1 hello.want

    fresh_logs
    mkdir -p "$MPI"
    check "$MPI and DARSHAN_ENABLE_NONMPI: compiles" compile preload ./many mpi-many.c
    DARSHAN_ENABLE_NONMPI=1 run preload 2 ./many "$PWD/$MPI" >out 2>err
    is $? 0 "$MPI and DARSHAN_ENABLE_NONMPI: exit status"
    is "$(count_logs)" 1 "$MPI and DARSHAN_ENABLE_NONMPI: one log of both ranks"
    known_ranks=2
    check "$MPI and DARSHAN_ENABLE_NONMPI: counters" wanted "$(latest_log)" "$PWD" -1 mpi-many.want
}

each_mpi endings
finish
