# t9212-endings-mpich.sh - however ranks end, there is one log with everything they did, and they end as without
# instrumentation
# SPDX-License-Identifier: BSD-3-Clause
# long: launchers wait for what does not end
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
. "$DSN_SRC/test/e2e/endings.sh"
MPI=mpich
have_mpi $MPI || skip_all "MPI: $MPI"
with_mpi
finish
