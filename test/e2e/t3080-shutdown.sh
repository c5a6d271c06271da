# t3080-shutdown.sh - the log is complete whichever rank writes it and however late ranks are; a stalled rank does not
# hang others
# SPDX-License-Identifier: BSD-3-Clause
# long: 16 ranks on few processors, some of which are late by seconds
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
. "$DSN_SRC/test/e2e/shutdown.sh"
MPI=openmpi
have_mpi $MPI || skip_all "MPI: $MPI"
one_mpi
finish
