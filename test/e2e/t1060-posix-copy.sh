# t1060-posix-copy.sh - copies between descriptors inside the kernel: exact counters in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload static; do
        known $way 1 posix-copy.c
    done
}

known nonmpi 0 posix-copy.c
known nonmpi 0 posix-copy.c -D_FILE_OFFSET_BITS=64
each_mpi all_ways
finish
