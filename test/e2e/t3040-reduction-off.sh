# t3040-reduction-off.sh - with DARSHAN_DISABLE_SHARED_REDUCTION each rank keeps its own records
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

cat >unreduced.want <<'END'
job nprocs 4
records POSIX 4 */all.dat
POSIX 0 */all.dat POSIX_BYTES_WRITTEN 1
POSIX 1 */all.dat POSIX_BYTES_WRITTEN 2
POSIX 2 */all.dat POSIX_BYTES_WRITTEN 3
POSIX 3 */all.dat POSIX_BYTES_WRITTEN 4
POSIX * */all.dat POSIX_F_VARIANCE_RANK_BYTES 0
POSIX * */all.dat POSIX_SLOWEST_RANK_BYTES 0
records POSIX 4 */own.*
records POSIX 3 */most.dat
END

one() {
    fresh_logs
    mkdir "$MPI"
    compile preload ./program mpi-many.c || { not_ok "$MPI: compile"; return; }
    DARSHAN_DISABLE_SHARED_REDUCTION=1
    export DARSHAN_DISABLE_SHARED_REDUCTION
    run preload 4 ./program "$PWD/$MPI" || not_ok "$MPI: run"
    unset DARSHAN_DISABLE_SHARED_REDUCTION
    check "$MPI" decode "$(latest_log)" --strict --want unreduced.want
}

each_mpi one
finish
