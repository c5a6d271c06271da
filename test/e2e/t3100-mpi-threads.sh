# t3100-mpi-threads.sh - MPI-IO in threads: one that runs after the log was written, and one that migrates to another
# kernel thread
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

echo 'MPI-IO * */threads.dat MPIIO_INDEP_OPENS 1
MPI-IO * */threads.dat MPIIO_INDEP_WRITES 6
MPI-IO * */threads.dat MPIIO_BYTES_WRITTEN 60' >moves.want

# ends: the exit status of the program whose output waits for a reader for 3 s, and how much of that arrives
ends() {
    { run plain 0 timeout 60 env "LD_PRELOAD=$preload $PWD/tool.so" ./program ends "$PWD"; echo $? >status; } 2>err |
        (sleep 3; wc -c | tr -d ' ') >size
    is "$(cat status)" 0 "$MPI: a thread is in MPI-IO while the process ends: exit status"
    is "$(cat size)" 300000 "$MPI: all of its output is there"
}

both() {
    check "$MPI: compiles" compile plain ./program mpiio-threads.c -rdynamic
    check "$MPI: compiles what stands between" compile plain ./tool.so mpiio-threads.c -DTOOL -shared -fPIC
    fresh_logs
    ends
    fresh_logs
    check "$MPI: a user-level thread changes kernel threads: runs" run plain 0 timeout 60 \
        env "LD_PRELOAD=$preload $PWD/tool.so" ./program moves "$PWD"
    check "$MPI: each of its calls is counted once" decode "$(latest_log)" --strict --want moves.want
    rm -f program tool.so
}

each_mpi both
finish
