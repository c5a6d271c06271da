# t3000-mpiio-basic.sh - MPI-IO on 4 ranks: exact counters in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    known preload 4 mpiio-basic.c mpiio-below.want
    known linked 4 mpiio-basic.c mpiio-below.want
    known static 4 mpiio-basic.c
}

each_mpi all_ways
finish
