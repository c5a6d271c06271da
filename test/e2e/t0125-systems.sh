# t0125-systems.sh - what the libraries need of the C library and of the kernel's headers is there, on old systems, too
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

# A function that is missing ends every program that the library is preloaded into. `undefined` itself is seen to work.
undefined() { ldd -r "$1" >ldd.out 2>&1 || echo "ldd: $?"; grep 'undefined symbol' ldd.out; }
echo 'extern int nowhere(void); int somewhere(void) { return nowhere(); }' >wrong.c
check 'compiles a library that lacks a function' cc -shared -fPIC -o wrong.so wrong.c
is "$(undefined ./wrong.so | grep -c nowhere)" 1 'ldd names the function that it lacks'
for library in libdarshan.so liblbio.so; do
    is "$(undefined "$DSN_PREFIX/lib/$library")" '' "$library lacks no function"
    is "$(env LD_BIND_NOW=1 LD_PRELOAD="$DSN_PREFIX/lib/$library" cat wrong.c 2>&1)" "$(cat wrong.c)" \
        "$library preloaded, with all of its functions looked up at once"
done

# Before glibc 2.34 and 2.32 these were in libraries that a program without threads does not load.
nm -D --undefined-only "$DSN_PREFIX/lib/libdarshan.so" | sed 's/.* //; s/@.*//' >needed
is "$(grep -cx dlsym needed)" 1 'the functions that it needs are known'
is "$(grep -E '^pthread_(create|join|cancel|key_create|once|sigmask|[gs]etspecific|mutex_trylock|rwlock)|^sem_|^aio_|^shm_|^timer_' needed)" '' \
    'libdarshan.so needs no function of libpthread or librt'

# Our description of io_uring against the kernel's headers of this machine
cat >abi.c <<'END'
#include ABI
#include <stddef.h>
#include <stdio.h>
#define AT(s, m) printf(#s "." #m " %zu %zu\n", offsetof(struct s, m), sizeof(((struct s *)0)->m));
#define IS(c) printf(#c " %lld\n", (long long)(c));
int main(void)
{
    AT(io_uring_sqe, opcode) AT(io_uring_sqe, flags) AT(io_uring_sqe, fd) AT(io_uring_sqe, off) AT(io_uring_sqe, addr)
    AT(io_uring_sqe, len) AT(io_uring_sqe, fsync_flags) AT(io_uring_sqe, open_flags) AT(io_uring_sqe, user_data)
    AT(io_uring_sqe, file_index) AT(io_uring_cqe, user_data) AT(io_uring_cqe, res)
    IS(sizeof(struct io_uring_sqe)) IS(sizeof(struct io_uring_cqe))
    IS(IORING_OP_READV) IS(IORING_OP_WRITEV) IS(IORING_OP_FSYNC) IS(IORING_OP_READ_FIXED) IS(IORING_OP_WRITE_FIXED)
    IS(IORING_OP_OPENAT) IS(IORING_OP_CLOSE) IS(IORING_OP_FILES_UPDATE) IS(IORING_OP_READ) IS(IORING_OP_WRITE)
    IS(IORING_OP_OPENAT2) IS(IOSQE_FIXED_FILE) IS(IORING_FSYNC_DATASYNC) IS(IORING_SETUP_SQE128)
    IS(IORING_SETUP_CQE32) IS(IORING_FEAT_EXT_ARG) IS(IORING_REGISTER_FILES_SKIP) IS(IORING_FILE_INDEX_ALLOC)
    return 0;
}
END
abi() { cc -I"$DSN_SRC/runtime" -Ulinux -DABI="$1" -o abi abi.c && ./abi >"$2"; }
check 'our io_uring compiles' abi '"base/uring-abi.h"' ours
if grep -q IORING_SETUP_CQE32 /usr/include/linux/io_uring.h 2>/dev/null; then
    check "this machine's compiles" abi '<linux/io_uring.h>' kernels
    check "it is the kernel's" alike kernels ours
else
    skip "it is the kernel's" 'headers of Linux 5.19'
fi

# What is not supported is refused in a line that says so.
if command -v musl-gcc >/dev/null 2>&1; then
    mkdir musl
    is "$(cd musl && "$DSN_SRC/configure" -q CC=musl-gcc 2>&1 | tail -n 1)" \
        'configure: error: 32-bit systems, and C libraries other than glibc (musl), are not supported' 'musl is refused'
else
    skip 'musl is refused' 'command musl-gcc'
fi

# For another machine, what has to run while it is built is made by this machine's compiler: CC does not do here.
# What was found when this build was configured, of functions and headers, is so here, too.
mkdir cross
sed -n '/^## Cache variables/,/^## Output variables/p' "$DSN_BUILD/config.log" |
    grep -E '^(ac_cv_(func|header|lib|type|sizeof|c|sys|have|member|search))_' >cross/cache
check 'is configured for another machine' sh -c 'cd cross && "$0/configure" -q --cache-file=cache --build=i686-pc-linux-gnu --host=x86_64-pc-linux-gnu \
    --without-openmpi --without-mpich --without-hdf5 --without-pnetcdf' "$DSN_SRC"
check 'the documents are made without its compiler' make -s -C cross CC=false doc/counters.md doc/findings.md
check 'and are the same' cmp cross/doc/counters.md "$DSN_BUILD/doc/counters.md"

# Each optional library can be done without; one that is asked for by name must be there.
libraries=$("$DSN_SRC/configure" --help | sed -n 's/^ *--without-\([a-z0-9]*\) *without .*/\1/p')
is "$(echo $libraries)" 'bzip2 zstd libdw sqlite libpq isal ncurses' 'libraries that can be done without'
mkdir without
(cd without && "$DSN_SRC/configure" $(printf -- '--without-%s ' $libraries) --with-openmpi=no --with-mpich=no --with-hdf5=no \
    --with-pnetcdf=no --without-charts) >said 2>&1
is "$? $(awk '/^ *component/ { on = 1 } on && / no  / && !/MPI|HDF5|PnetCDF|MPICH|charts|pandoc|gfortran|Check/ { n++ } END { print n }' said)" '0 7' \
    'without each of them it is configured'
is "$(grep -cE '^#define HAVE_(BZ2|ZSTD|LIBPQ|ISAL|NCURSES) ' without/config.h)" 0 'and none of them is used'
(cd without && PKG_CONFIG=false "$DSN_SRC/configure" --with-libpq) >said 2>&1
is "$(grep -c 'error: --with-libpq: it is not there: Debian package libpq-dev' said)" 1 'one that is asked for is missed'

finish
