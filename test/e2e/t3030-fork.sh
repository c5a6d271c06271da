# t3030-fork.sh - what children of a rank do is in its log, and their exit status is theirs
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    known preload 1 fork.c
    known static 1 fork.c
}

each_mpi all_ways
finish
