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

# -- all of it static: then the fsync() of the C library's own threads is wrapped --------------------------------------
if echo 'int main(void) { return 0; }' | cc -static -o none -x c - -lz 2>/dev/null; then
    # MPI's functions, which are only called in programs that call them, are in no library
    check 'compiles, all static' cc -g -static -o all-static "$work/posix-aio.c" -Wl,--unresolved-symbols=ignore-all \
        "-Wl,@$DSN_PREFIX/share/darshan/ld-opts/darshan-ld-opts" "$DSN_PREFIX/lib/libdarshan.a" -lz -lrt -lpthread -ldl
    fresh_logs
    mkdir data
    check 'runs, all static' env DARSHAN_ENABLE_NONMPI=1 ./all-static "$PWD/data"
    check 'posix-aio, all static' wanted "$(latest_log)" "$PWD/data" 0 posix-aio.want
else
    skip 'all static' 'static libraries of C and zlib'
fi
finish
