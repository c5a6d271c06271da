# t3010-shared-records.sh - which files become shared records, and what of the ranks' counters goes into them
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload linked static; do
        known $way 4 mpi-shared.c
    done
}

each_mpi all_ways
finish
