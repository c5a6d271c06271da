# t2020-stdio-more.sh - streams without locks, of wide characters, without files: exact counters in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload static; do
        known $way 1 stdio-more.c
    done
}

known nonmpi 0 stdio-more.c
known nonmpi 0 stdio-more.c -std=c99 -D_FILE_OFFSET_BITS=64
known nonmpi 0 stdio-more.c -O2 -D_FORTIFY_SOURCE=2
known static 1 stdio-more.c -O2 -D_FORTIFY_SOURCE=2
known nonmpi 0 stdio-macros.c -O2
known static 1 stdio-macros.c -O2
each_mpi all_ways
finish
