# t3030-fork.sh - children of a rank are in its log, and keep their exit status
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    known preload 1 fork.c
    known static 1 fork.c
}

each_mpi all_ways
finish
