# t1080-posix-edges.sh - calls that fail or move nothing, and descriptors that change hands unseen: exact counters
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload static; do
        known $way 1 posix-edges.c
    done
}

exec 7>"$DSN_SCRATCH/inherited.dat"
known nonmpi 0 posix-edges.c
known nonmpi 0 posix-edges.c -D_FILE_OFFSET_BITS=64
exec 7>&-
each_mpi all_ways
finish
