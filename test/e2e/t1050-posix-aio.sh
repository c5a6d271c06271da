# t1050-posix-aio.sh - asynchronous I/O of POSIX and of Linux: exact counters in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload static; do
        known $way 1 posix-aio.c -lrt
    done
}

known nonmpi 0 posix-aio.c -lrt # where aio_read() is before glibc 2.34
known nonmpi 0 posix-aio.c -D_FILE_OFFSET_BITS=64 -lrt
if echo '#include <libaio.h>' | cc -E - >/dev/null 2>&1; then
    known nonmpi 0 posix-aio.c -DWITH_LIBAIO -laio -lrt posix-libaio.want
    known static 1 posix-aio.c -DWITH_LIBAIO -laio -lrt posix-libaio.want
else
    skip 'libaio' 'package libaio-dev'
fi
each_mpi all_ways
finish
