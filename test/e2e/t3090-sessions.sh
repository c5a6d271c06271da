# t3090-sessions.sh - MPI sessions without MPI_Init: one log for all ranks
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

echo 'POSIX 0 */rank0.dat POSIX_BYTES_WRITTEN 6
POSIX 1 */rank1.dat POSIX_BYTES_WRITTEN 6
POSIX 2 */rank2.dat POSIX_BYTES_WRITTEN 6' >sessions.want

all_ways() {
    for way in preload linked static; do
        check "$MPI, $way: compiles" compile $way ./sessions sessions.c
        fresh_logs
        run $way 3 ./sessions "$PWD" >out 2>err
        status=$?
        if [ $status = 77 ] || grep -q 'EXIT CODE: 77\|Exit code:    77' out err; then
            skip "$MPI, $way: sessions" "MPI: MPI 4.0, which $MPI is not here"
            continue
        fi
        is $status 0 "$MPI, $way: exit status"
        is "$(count_logs)" 1 "$MPI, $way: one log"
        check "$MPI, $way: all ranks are in it" decode "$(latest_log)" --strict -D n=3 --want sessions.want
        is "$(find "$DSN_SCRATCH"/darshan-* -type f 2>/dev/null)" '' "$MPI, $way: nothing is left behind"
    done
}

each_mpi all_ways
finish
