/* wrap-mmap.c - wrappers of mmap and msync
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An allocator that is part of the application calls mmap from inside malloc, with its locks held, and possibly before
 * this library is initialised. dlsym may call malloc, so it is not called here; while the next mmap is unknown, the
 * system call is made directly.
 *
 * Libraries that register memory with a network card (UCX, libfabric) patch the entry of the mmap that they find, which
 * is this one, and then make the system call themselves: such calls are not counted. */
#include <config.h>

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DSN_EARLY
#include "base/kernel.h"
#include "module/posix-names.h"
#include "wrap/wrap.h"

DSN_REAL_DECL(void *, mmap, (void *at, size_t len, int prot, int flags, int fd, off_t off))
DSN_REAL_DECL(void *, mmap64, (void *at, size_t len, int prot, int flags, int fd, off64_t off))

#ifdef DSN_PRELOAD
#define NEXT(name, arguments)                                                                                          \
    (DSN_REAL_KNOWN(name) ? DSN_REAL(name) arguments : dsn__sys_mmap(at, len, prot, flags, fd, off))
#else
#define NEXT(name, arguments) __real_##name arguments
#endif

/* Anonymous mappings, which allocators make, are passed on without further checks. */
#define MMAP(name, offset)                                                                                             \
    DSN_EXPORT void *DSN_SYM(name)(void *at, size_t len, int prot, int flags, int fd, offset off)                      \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        void *ret;                                                                                                     \
                                                                                                                       \
        if ((flags & MAP_ANONYMOUS) || !ON_FD(fd) || !dsn__span_open(&s))                                              \
            return NEXT(name, (at, len, prot, flags, fd, off));                                                        \
        ret = NEXT(name, (at, len, prot, flags, fd, off));                                                             \
        dsn__span_returned(&s);                                                                                        \
        if (ret != MAP_FAILED)                                                                                         \
            dsn__posix_map(fd);                                                                                        \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

/* Profilers that unwind the stack call it in signal handlers, to see whether memory is there: with MS_ASYNC. */
DSN_REAL_DECL(int, msync, (void *at, size_t len, int flags))

#ifdef DSN_PRELOAD
static int next_msync(void *at, size_t len, int flags)
{
    return DSN_REAL_KNOWN(msync) ? DSN_REAL(msync)(at, len, flags) : (int)syscall(SYS_msync, at, len, flags);
}
#else
static int next_msync(void *at, size_t len, int flags)
{
    return __real_msync(at, len, flags);
}
#endif

DSN_EXPORT int DSN_SYM(msync)(void *at, size_t len, int flags)
{
    struct dsn_span s;
    int ret;

    if (!(flags & MS_SYNC) || !dsn__span_open(&s))
        return next_msync(at, len, flags);
    ret = next_msync(at, len, flags);
    dsn__span_returned(&s);
    dsn__posix_map_sync(&s, ret);
    dsn__span_close(&s);
    return ret;
}
