# t1000-posix-basic.sh - opens, reads, writes, seeks, stats and syncs: exact counters in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload linked static; do
        known $way 1 posix-basic.c
        known $way 1 posix-dup.c
        known $way 1 descriptors.c
    done
}

known nonmpi 0 posix-basic.c
known nonmpi 0 posix-dup.c
known nonmpi 0 descriptors.c
known nonmpi 0 posix-large.c
each_mpi all_ways
finish
