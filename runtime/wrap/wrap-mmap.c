/* wrap-mmap.c - wrappers of mmap
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An allocator that the application brings along calls mmap from inside malloc, holding its locks, and perhaps before
 * this library has been initialised. To ask the loader for the next mmap there could mean malloc again. So it is not
 * asked; as long as the next one is not known the kernel is asked directly.
 *
 * Libraries that register memory with a network card (UCX, libfabric) patch the entry of the mmap that they find, which
 * is this one, and then go to the kernel themselves: what they take over is not counted. */
#include <config.h>

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DSN_EARLY
#include "module/posix-names.h"
#include "wrap/wrap.h"

DSN_REAL_DECL(void *, mmap, (void *at, size_t len, int prot, int flags, int fd, off_t off))
DSN_REAL_DECL(void *, mmap64, (void *at, size_t len, int prot, int flags, int fd, off64_t off))

#ifdef DSN_PRELOAD
/* The system call as the C library makes it: on systems of 64 bits it takes the offset as it is. */
#define NEXT(name, arguments)                                                                                          \
    (DSN_REAL_KNOWN(name) ? DSN_REAL(name) arguments : (void *)syscall(SYS_mmap, at, len, prot, flags, fd, off))
#else
#define NEXT(name, arguments) __real_##name arguments
#endif

/* Mappings of memory, which is what an allocator makes, are not looked at any closer. */
#define MMAP(name, offset)                                                                                             \
    DSN_EXPORT void *DSN_SYM(name)(void *at, size_t len, int prot, int flags, int fd, offset off)                      \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        void *ret;                                                                                                     \
                                                                                                                       \
        if ((flags & MAP_ANONYMOUS) || !ON_FD(fd) || !dsn__span_open(&s))                                              \
            return NEXT(name, (at, len, prot, flags, fd, off));                                                        \
        ret = NEXT(name, (at, len, prot, flags, fd, off));                                                             \
        dsn__span_real(&s);                                                                                            \
        if (ret != MAP_FAILED)                                                                                         \
            dsn__posix_map(fd);                                                                                        \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

MMAP(mmap, off_t)
MMAP(mmap64, off64_t)
