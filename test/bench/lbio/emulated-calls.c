/* emulated-calls.c - preload library that makes the files below a directory as slow as those of an emulated file system
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * If liblbio.so is there, too, this one comes after it: then replay's writes are slow, and writes to the log are not.
 * liblbio.so makes its own calls through lbio_emulated_call(), if there is one. Which descriptors are slow is decided by
 * the path that the kernel has for them, so that duplicated and inherited ones are not missed. */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/kernel.h"
#include "base/text.h"
#include "emulation.h"

#define EXPORT __attribute__((visibility("default")))

static struct lbio_emulation *emulation;
static size_t length; /* of the directory */

__attribute__((constructor)) static void process_begins(void)
{
    const char *path = dsn__environment_get(LBIO_EMULATION_NAME);
    const int error = errno;
    struct lbio_emulation *e = path ? lbio__emulation_attach(path) : NULL;

    if (e) {
        length = strlen(e->directory);
        emulation = e;
    }
    errno = error;
}

static void *next(const char *name, void **where)
{
    void *function = __atomic_load_n(where, __ATOMIC_RELAXED);

    if (!function) {
        function = dlsym(RTLD_NEXT, name);
        __atomic_store_n(where, function, __ATOMIC_RELAXED);
    }
    return function;
}

#define NEXT(name) ((__typeof__(&name))next(#name, &next_##name))

static void *next_syscall;

static int is_slow(int fd)
{
    char link[32], path[sizeof emulation->directory + 1];
    ssize_t n;
    const int error = errno;

    if (!emulation || fd < 0)
        return 0;
    dsn__format(link, sizeof link, "/proc/self/fd/%d", fd);
    n = NEXT(syscall)(SYS_readlinkat, AT_FDCWD, link, path, sizeof path);
    errno = error;
    return n > (ssize_t)length && path[length] == '/' && memcmp(path, emulation->directory, length) == 0;
}

static void before_write(int fd, size_t bytes)
{
    if (is_slow(fd))
        lbio__emulate_write(emulation, (int64_t)bytes);
}

/* A file server does not see descriptors that only name a file. */
static void before_close(int fd)
{
    if (is_slow(fd) && !(dsn__sys_flags(fd) & O_PATH))
        lbio__emulate_close(emulation);
}

static int after_open(int fd, int flags)
{
    const int error = errno;

    if (!(flags & O_PATH) && is_slow(fd))
        lbio__emulate_open(emulation);
    errno = error;
    return fd;
}

static size_t total(const struct iovec *iov, int count)
{
    size_t n = 0;

    for (int i = 0; iov && i < count; i++)
        n += iov[i].iov_len;
    return n;
}

/* ------------------------------------------------------------------ wrappers */

#define WRITE(r, name, p, args, bytes)                                                                                 \
    static void *next_##name;                                                                                          \
    EXPORT r name p                                                                                                    \
    {                                                                                                                  \
        before_write(fd, bytes);                                                                                       \
        return NEXT(name) args;                                                                                        \
    }

/* clang-format off */
WRITE(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), n)
WRITE(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t off), (fd, from, n, off), n)
WRITE(ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t off), (fd, from, n, off), n)
WRITE(ssize_t, writev, (int fd, const struct iovec *iov, int count), (fd, iov, count), total(iov, count))
WRITE(ssize_t, pwritev, (int fd, const struct iovec *iov, int count, off_t off), (fd, iov, count, off), total(iov, count))
WRITE(ssize_t, pwritev64, (int fd, const struct iovec *iov, int count, off64_t off), (fd, iov, count, off), total(iov, count))
WRITE(ssize_t, pwritev2, (int fd, const struct iovec *iov, int count, off_t off, int flags), (fd, iov, count, off, flags), total(iov, count))
WRITE(ssize_t, pwritev64v2, (int fd, const struct iovec *iov, int count, off64_t off, int flags), (fd, iov, count, off, flags), total(iov, count))
/* clang-format on */

static void *next_close;

EXPORT int close(int fd)
{
    before_close(fd);
    return NEXT(close)(fd);
}

static mode_t mode_in(int flags, va_list args)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
}

#define OPEN(name, p, call)                                                                                            \
    static void *next_##name;                                                                                          \
    EXPORT int name p                                                                                                  \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        mode_t mode;                                                                                                   \
                                                                                                                       \
        va_start(args, flags);                                                                                         \
        mode = mode_in(flags, args);                                                                                   \
        va_end(args);                                                                                                  \
        return after_open(NEXT(name) call, flags);                                                                     \
    }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
OPEN(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))

static void *next_creat, *next_creat64;

EXPORT int creat(const char *path, mode_t mode)
{
    return after_open(NEXT(creat)(path, mode), 0);
}

EXPORT int creat64(const char *path, mode_t mode)
{
    return after_open(NEXT(creat64)(path, mode), 0);
}

/* ------------------------------------------------------------------ streams: the C library writes them by itself */

#if defined __GLIBC__ && defined __LP64__ && __GLIBC_PREREQ(2, 28) /* the members of FILE used here are public */

static void *next_fclose;

static int number_in(void *plain)
{
    return ((const FILE *)plain)->_fileno;
}

static ssize_t read_stream(void *plain, char *to, size_t n)
{
    return dsn__sys_read(number_in(plain), to, n);
}

static ssize_t write_stream(void *plain, const char *from, size_t n)
{
    const ssize_t done = write(number_in(plain), from, n);

    return done < 0 ? 0 : done;
}

static int seek_stream(void *plain, off64_t *off, int whence)
{
    *off = lseek64(number_in(plain), *off, whence);
    return *off < 0 ? -1 : 0;
}

static int close_stream(void *plain)
{
    const int ret = close(number_in(plain));

    ((FILE *)plain)->_fileno = -1;
    NEXT(fclose)(plain);
    return ret;
}

/* In place of a stream that has just been opened, one that writes by the function above, at the same descriptor. The
 * plain one lends its state of wide characters, for which, and for freopen, the C library replaces our functions by its
 * own. With liblbio.so, which does the same, what it logs is written by replay. */
static FILE *slow_stream(FILE *plain, const char *mode)
{
    const cookie_io_functions_t functions = { read_stream, write_stream, seek_stream, close_stream };
    const int fd = plain ? fileno(plain) : -1;
    FILE *slow = NULL;

    after_open(fd, 0);
    if (plain && (mode[0] != 'r' || strchr(mode, '+')) && plain->_mode == 0 && plain->_wide_data && is_slow(fd) &&
        !dlsym(RTLD_DEFAULT, "lbio_drain"))
        slow = fopencookie(plain, mode, functions);
    if (!slow)
        return plain;
    slow->_fileno = fd;
    slow->_wide_data = plain->_wide_data;
    slow->_mode = 0;
    return slow;
}

#else

static FILE *slow_stream(FILE *plain, const char *mode)
{
    (void)mode;
    return plain;
}

#endif

static void *next_fopen, *next_fopen64;

EXPORT FILE *fopen(const char *path, const char *mode)
{
    return slow_stream(NEXT(fopen)(path, mode), mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
    return slow_stream(NEXT(fopen64)(path, mode), mode);
}

/* ------------------------------------------------------------------ system calls */

static void before_call(long number, const long a[6])
{
    if (number == SYS_write || number == SYS_pwrite64)
        before_write((int)a[0], (size_t)a[2]);
    else if (number == SYS_close)
        before_close((int)a[0]);
}

static long after_call(long number, const long a[6], long ret)
{
    return number == SYS_openat ? after_open((int)ret, (int)a[2]) : ret;
}

EXPORT long syscall(long number, ...)
{
    va_list args;
    long a[6];

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    before_call(number, a);
    return after_call(number, a, NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/* The same for liblbio.so, past other wrappers of syscall(). */
EXPORT long lbio_emulated_call(long number, const long a[6])
{
    before_call(number, a);
    return after_call(number, a, dsn__direct_call(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}
