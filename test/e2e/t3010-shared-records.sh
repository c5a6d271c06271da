# t3010-shared-records.sh - which files get shared records, and how the ranks' counters are reduced
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
