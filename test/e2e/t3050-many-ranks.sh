# t3050-many-ranks.sh - 1 to 16 ranks on any number of cores: sums, variances, names
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

for ranks in 2 3 7 16; do
    known preload $ranks mpi-many.c
done
MPI=mpich
have_mpi mpich && known preload 16 mpi-many.c
finish
