/* wrap-mmap.c - wrappers of mmap, munmap, mremap and msync
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An allocator that is part of the application calls mmap from inside malloc, with its locks held, and possibly before
 * this library is initialised. dlsym may call malloc, so it is not called here; while the next mmap is unknown, the
 * system call is made directly.
 *
 * Libraries that register memory with a network card (UCX, libfabric) patch the entry of the mmap that they find, which
 * is this one, and then make the system call themselves: such calls are not counted. To learn what free() unmaps they
 * must find the C library's munmap, and do, by RTLD_NEXT, unless they are loaded before this library; what they put there
 * is called by this one, too. */
#include <config.h>

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DSN_EARLY
#include "base/kernel.h"
#include "module/posix-names.h"
#include "module/shared/mapped.h"
#include "record/mappings.h"
#include "wrap/wrap.h"

DSN_REAL_DECL(void *, mmap, (void *at, size_t len, int prot, int flags, int fd, off_t off))
DSN_REAL_DECL(void *, mmap64, (void *at, size_t len, int prot, int flags, int fd, off64_t off))

#ifdef DSN_PRELOAD
#define NEXT(name, arguments)                                                                                          \
    (DSN_REAL_KNOWN(name) ? DSN_REAL(name) arguments : dsn__sys_mmap(at, len, prot, flags, fd, off))
#else
#define NEXT(name, arguments) __real_##name arguments
#endif

/* What is at these addresses is about to be unmapped or replaced. Before the call, for only now its pages can be looked
 * at. */
static void end_mappings(const void *at, size_t size)
{
    struct dsn_span s;

    if (!dsn__span_open(&s))
        return;
    dsn__span_before(&s);
    dsn__mapped_ends(at, size);
    dsn__span_close(&s);
}

/* Anonymous mappings, which allocators make, are passed on without further checks. */
#define MMAP(name, offset)                                                                                             \
    DSN_EXPORT void *DSN_SYM(name)(void *at, size_t len, int prot, int flags, int fd, offset off)                      \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        void *ret;                                                                                                     \
                                                                                                                       \
        if ((flags & MAP_FIXED) && dsn__mappings_may_have(at, len))                                                    \
            end_mappings(at, len);                                                                                     \
        if ((flags & MAP_ANONYMOUS) || !ON_FD(fd) || !dsn__span_open(&s))                                              \
            return NEXT(name, (at, len, prot, flags, fd, off));                                                        \
        ret = NEXT(name, (at, len, prot, flags, fd, off));                                                             \
        dsn__span_returned(&s);                                                                                        \
        if (ret != MAP_FAILED)                                                                                         \
            dsn__posix_map(fd, ret, len, prot, flags, off);                                                            \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

DSN_REAL_DECL(int, munmap, (void *at, size_t len))

/* Allocators unmap memory, too. */
DSN_EXPORT int DSN_SYM(munmap)(void *at, size_t len)
{
    if (dsn__mappings_may_have(at, len))
        end_mappings(at, len);
#ifdef DSN_PRELOAD
    return DSN_REAL_KNOWN(munmap) ? DSN_REAL(munmap)(at, len) : dsn__sys_munmap(at, len);
#else
    return __real_munmap(at, len);
#endif
}

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4 /* Linux 5.7 */
#endif

DSN_REAL_DECL(void *, mremap, (void *at, size_t old_len, size_t len, int flags, ...))

static void *next_mremap(void *at, size_t old_len, size_t len, int flags, void *to)
{
#ifdef DSN_PRELOAD
    if (!DSN_REAL_KNOWN(mremap)) {
        const long p = syscall(SYS_mremap, at, old_len, len, flags, to);

        return p == -1 ? MAP_FAILED : (void *)p; /* NOLINT(performance-no-int-to-ptr) */
    }
#endif
    return DSN_REAL(mremap)(at, old_len, len, flags, to);
}

DSN_EXPORT void *DSN_SYM(mremap)(void *at, size_t old_len, size_t len, int flags, ...)
{
    void *to = NULL, *ret;
    struct dsn_span s;
    va_list more;

    va_start(more, flags);
    if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) /* as the C library does */
        to = va_arg(more, void *);
    va_end(more);
    if ((flags & MREMAP_FIXED) && dsn__mappings_may_have(to, len))
        end_mappings(to, len);
    if (len < old_len && dsn__mappings_may_have((char *)at + len, old_len - len))
        end_mappings((char *)at + ((len + DSN_PAGE - 1) & ~(size_t)(DSN_PAGE - 1)), old_len - len);
    if (!dsn__mappings_may_have(at, old_len) || !dsn__span_open(&s))
        return next_mremap(at, old_len, len, flags, to);
    ret = next_mremap(at, old_len, len, flags, to);
    dsn__span_returned(&s);
    if (ret != MAP_FAILED)
        dsn__mapped_moves(at, old_len, ret, len);
    dsn__span_close(&s);
    return ret;
}

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
    struct dsn_mapped_sync sync = { NULL, 0 };
    struct dsn_span s;
    int ret;

    if (!(flags & MS_SYNC))
        return next_msync(at, len, flags);
    if (dsn__mappings_may_have(at, len) && dsn__span_open(&s)) {
        dsn__span_before(&s);
        dsn__mapped_syncs(at, len, &sync);
        dsn__span_close(&s);
    }
    if (!dsn__span_open(&s))
        return next_msync(at, len, flags);
    ret = next_msync(at, len, flags);
    dsn__span_returned(&s);
    dsn__posix_map_sync(&s, ret);
    dsn__mapped_synced(&sync, ret);
    dsn__span_close(&s);
    return ret;
}
