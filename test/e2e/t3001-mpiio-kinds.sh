# t3001-mpiio-kinds.sh - split, nonblocking, shared-pointer, ordered calls; derived types; both names of a function
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload linked static; do
        known $way 4 mpiio-kinds.c
    done
}

each_mpi all_ways
finish
