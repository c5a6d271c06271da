# t2000-stdio-basic.sh - streams: exact counters in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload linked static; do
        known $way 1 stdio-basic.c
        known $way 1 redirect.c
        known $way 1 stdio-unread.c
    done
}

known nonmpi 0 stdio-basic.c
known nonmpi 0 redirect.c
known nonmpi 0 stdio-unread.c
each_mpi all_ways
finish
