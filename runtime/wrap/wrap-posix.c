/* wrap-posix.c - wrappers of the POSIX calls
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#define DSN_EARLY
#define DSN_NUMBERED NUMBERED
#include "base/kernel.h"
#include "module/posix-copy.h"
#include "module/posix-names.h"
#include "module/posix.h"
#include "module/shared/call-stack.h"
#include "record/exclude.h"
#include "record/fd.h"
#include "wrap/next-stat.h"
#include "wrap/wrap.h"

#define MODE_OF(ret, st) ((ret) == 0 ? (st)->st_mode : 0)

/* Start offset of a call that has advanced the offset it was given by its result. */
#define MOVED(offset, ret) ((offset) && (ret) >= 0 ? *(offset) - (ret) : DSN_AT_CURSOR)

#define ON_DIR(dir) ON_FD(directory_fd(dir))

/* <dirent.h> declares the argument nonnull; applications may pass NULL all the same. */
DSN_OPAQUE static int directory_fd(DIR *dir)
{
    return dir ? dirfd(dir) : -1;
}

/* opendir has opened a descriptor without our knowledge. Returns 0, or -1 if it failed. */
static int forget_directory(DIR *dir)
{
    dsn__posix_nameless(directory_fd(dir));
    return dir ? 0 : -1;
}

/* Each row also makes a function for the system call of that name, of which syscall.def says by which number it is made;
 * dsn__syscall_on passes it on. */
long dsn__syscall_on(long number, ...) __attribute__((visibility("hidden")));

#define BARE(...) __VA_ARGS__
#define NUMBERED(r, name, p, args, when, note)                                                                         \
    __attribute__((unused)) static long numbered_##name(long number, BARE p)                                           \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        r ret;                                                                                                         \
                                                                                                                       \
        if (!(when) || !dsn__span_open(&s))                                                                            \
            return dsn__syscall_on(number, BARE args);                                                                 \
        ret = (r)dsn__syscall_on(number, BARE args);                                                                   \
        dsn__span_returned(&s);                                                                                        \
        note;                                                                                                          \
        dsn__span_close(&s);                                                                                           \
        return (long)ret;                                                                                              \
    }

#define V(name)
#include "wrap/posix.wrap"

#undef DSN_NUMBERED
#define DSN_NUMBERED(r, name, p, args, when, note)
L(int, inotify_init, (void), (), -1, ALWAYS, dsn__posix_nameless(ret))

/* Other programs inherit descriptors. lbio has wrappers of its own for these. */
/* clang-format off */
L(int,     posix_spawn,  (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *how, char *const args[], char *const environment[]), (pid, path, actions, how, args, environment), ENOSYS, ALWAYS, dsn__fds_pass_on())
L(int,     posix_spawnp, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *how, char *const args[], char *const environment[]), (pid, path, actions, how, args, environment), ENOSYS, ALWAYS, dsn__fds_pass_on())
#if defined DSN_PRELOAD || defined HAVE_PIDFD_SPAWN
L(int,     pidfd_spawn,  (int *pidfd, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *how, char *const args[], char *const environment[]), (pidfd, path, actions, how, args, environment), ENOSYS, ALWAYS, dsn__fds_pass_on())
L(int,     pidfd_spawnp, (int *pidfd, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *how, char *const args[], char *const environment[]), (pidfd, path, actions, how, args, environment), ENOSYS, ALWAYS, dsn__fds_pass_on())
#endif
L(int,     system,       (const char *command),                       (command),           -1, ALWAYS, dsn__fds_pass_on())
/* clang-format on */

/* The mode argument is present only if a file may be created. */
static bool needs_mode(int flags)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

static mode_t mode_argument(va_list *args, int flags)
{
    return needs_mode(flags) ? va_arg(*args, mode_t) : 0;
}

DSN_REAL_DECL(int, open, (const char *path, int flags, ...))
DSN_REAL_DECL(int, open64, (const char *path, int flags, ...))
DSN_REAL_DECL(int, openat, (int dir, const char *path, int flags, ...))
DSN_REAL_DECL(int, openat64, (int dir, const char *path, int flags, ...))
DSN_REAL_DECL(int, __open, (const char *path, int flags, ...))
DSN_REAL_DECL(int, __open64, (const char *path, int flags, ...))

/* Whether an open can be ignored: it failed, or opened a file below one of prefixes.def on a descriptor that is not
 * tracked. Checked after the real call, because before it the path may be an invalid pointer. */
static inline bool is_nothing(int fd, const char *path)
{
    return fd < 0 || (dsn__path_plainly_excluded(path) && !dsn__fd_description(fd));
}

/* These six differ in two respects; functions with variable arguments need a body each. */
#define OPEN(name, parameters, arguments, dir)                                                                         \
    DSN_EXPORT int DSN_SYM(name) parameters                                                                            \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        va_list args;                                                                                                  \
        mode_t mode;                                                                                                   \
        int ret;                                                                                                       \
                                                                                                                       \
        va_start(args, flags);                                                                                         \
        mode = mode_argument(&args, flags);                                                                            \
        va_end(args);                                                                                                  \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return -1;                                                                                                 \
        if (!dsn__span_open(&s))                                                                                       \
            return DSN_REAL(name) arguments;                                                                           \
        ret = DSN_REAL(name) arguments;                                                                                \
        if (is_nothing(ret, path))                                                                                     \
            return ret;                                                                                                \
        dsn__span_returned(&s);                                                                                        \
        dsn__posix_open(&s, ret, dir, path, flags, mode);                                                              \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode), dir)
OPEN(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, mode), dir)
OPEN(__open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPEN(__open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)

/* Whether the command creates a descriptor, or may change where writes to this one go. */
static inline bool changes_descriptor(int fd, int command)
{
    return ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && ON_DUP(fd)) || (command == F_SETFL && ON_FD(fd));
}

/* The third argument, if present, is an int or a pointer: passed on as a pointer it survives as either. */
#define FCNTL(name)                                                                                                    \
    DSN_REAL_DECL(int, name, (int fd, int command, ...))                                                               \
    DSN_EXPORT int DSN_SYM(name)(int fd, int command, ...)                                                             \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        va_list args;                                                                                                  \
        void *argument;                                                                                                \
        int ret;                                                                                                       \
                                                                                                                       \
        va_start(args, command);                                                                                       \
        argument = va_arg(args, void *);                                                                               \
        va_end(args);                                                                                                  \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return -1;                                                                                                 \
        if (!changes_descriptor(fd, command) || !dsn__span_open(&s))                                                   \
            return DSN_REAL(name)(fd, command, argument);                                                              \
        ret = DSN_REAL(name)(fd, command, argument);                                                                   \
        dsn__span_returned(&s);                                                                                        \
        if (command == F_SETFL)                                                                                        \
            dsn__posix_flags(fd, ret, (int)(intptr_t)argument);                                                        \
        else                                                                                                           \
            dsn__posix_dup(&s, ret, fd);                                                                               \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

FCNTL(fcntl)
FCNTL(fcntl64)
FCNTL(__fcntl)

/* In two steps: see dsn__posix_release. */
#define CLOSE(name)                                                                                                    \
    DSN_REAL_DECL(int, name, (int fd))                                                                                 \
    __attribute__((noinline)) static int counted_##name(int fd)                                                        \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        void *released;                                                                                                \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return -1;                                                                                                 \
        if (!dsn__span_open(&s))                                                                                       \
            return DSN_REAL(name)(fd);                                                                                 \
        dsn__span_before(&s);                                                                                          \
        released = dsn__posix_release(fd);                                                                             \
        dsn__span_close(&s);                                                                                           \
        ret = DSN_REAL(name)(fd);                                                                                      \
        dsn__span_returned(&s);                                                                                        \
        dsn__posix_close(&s, released);                                                                                \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }                                                                                                                  \
    DSN_EXPORT int DSN_SYM(name)(int fd)                                                                               \
    {                                                                                                                  \
        if (DSN_REAL_KNOWN(name) && !ON_FD(fd))                                                                        \
            return DSN_REAL(name)(fd);                                                                                 \
        return counted_##name(fd);                                                                                     \
    }

CLOSE(close)
CLOSE(__close)

/* The C library closes the descriptor itself; its number will soon be reused. */
DSN_REAL_DECL(int, closedir, (DIR * dir))
DSN_EXPORT int DSN_SYM(closedir)(DIR *dir)
{
    struct dsn_span s;
    void *released;
    int ret;

    if (!DSN_REAL_FIND(closedir))
        return -1;
    if (!dsn__span_open(&s))
        return DSN_REAL(closedir)(dir);
    dsn__span_before(&s);
    released = dsn__posix_release(directory_fd(dir));
    dsn__span_close(&s);
    ret = DSN_REAL(closedir)(dir);
    dsn__span_returned(&s);
    dsn__posix_close(&s, released);
    dsn__span_close(&s);
    return ret;
}

#define RANGE_UNSHARE 2U /* CLOSE_RANGE_UNSHARE: headers before Linux 5.9 lack it */

/* Ranges of descriptors, as closed by daemons and before exec. With other flags nothing is closed. */
static void release_range(unsigned first, unsigned last, unsigned flags)
{
    struct dsn_span s;

    if ((flags & ~RANGE_UNSHARE) != 0 || !dsn__span_open(&s))
        return;
    dsn__span_before(&s);
    dsn__fd_forget_range(first, last);
    dsn__span_close(&s);
}

#if defined DSN_PRELOAD || defined HAVE_CLOSE_RANGE
DSN_REAL_DECL(int, close_range, (unsigned first, unsigned last, int flags))
DSN_EXPORT int DSN_SYM(close_range)(unsigned first, unsigned last, int flags)
{
    if (!DSN_REAL_FIND(close_range))
        return -1;
    release_range(first, last, (unsigned)flags);
    return DSN_REAL(close_range)(first, last, flags);
}
#endif

#if defined DSN_PRELOAD || defined HAVE_CLOSEFROM
DSN_REAL_DECL(void, closefrom, (int first))
DSN_EXPORT void DSN_SYM(closefrom)(int first)
{
    if (!DSN_REAL_FIND(closefrom))
        return;
    release_range(first < 0 ? 0 : (unsigned)first, ~0U, 0);
    DSN_REAL(closefrom)(first);
}
#endif

/* Calls the next v... function with a va_list. */
#define DPRINTF(name, vname, parameters, varguments)                                                                   \
    DSN_EXPORT int DSN_SYM(name) parameters;                                                                           \
    DSN_EXPORT int DSN_SYM(name) parameters                                                                            \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        va_list args;                                                                                                  \
        int ret, counted;                                                                                              \
                                                                                                                       \
        if (!DSN_REAL_FIND(vname))                                                                                     \
            return -1;                                                                                                 \
        counted = ON_FD(fd) && dsn__span_open(&s);                                                                     \
        va_start(args, format);                                                                                        \
        ret = DSN_REAL(vname) varguments;                                                                              \
        va_end(args);                                                                                                  \
        if (!counted)                                                                                                  \
            return ret;                                                                                                \
        dsn__span_returned(&s);                                                                                        \
        dsn__posix_write(&s, fd, NULL, ret, DSN_AT_CURSOR);                                                            \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

DPRINTF(dprintf, vdprintf, (int fd, const char *format, ...), (fd, format, args))
DPRINTF(__dprintf_chk, __vdprintf_chk, (int fd, int flag, const char *format, ...), (fd, flag, format, args))

/* ------------------------------------------------------------------ system calls by number */

#if defined __x86_64__ || defined __aarch64__

static long open_by_number(long number, int dir, const char *path, int flags, mode_t mode, const long a[4])
{
    struct dsn_span s;
    long ret;

    if (!dsn__span_open(&s))
        return dsn__syscall_on(number, a[0], a[1], a[2], a[3]);
    ret = dsn__syscall_on(number, a[0], a[1], a[2], a[3]);
    if (is_nothing((int)ret, path))
        return ret;
    dsn__span_returned(&s);
    dsn__posix_open(&s, (int)ret, dir, path, flags, needs_mode(flags) ? mode : 0);
    dsn__span_close(&s);
    return ret;
}

#ifdef SYS_open
static long numbered_open(long number, const char *path, int flags, mode_t mode)
{
    return open_by_number(number, AT_FDCWD, path, flags, mode, (const long[4]){ (long)path, flags, (long)mode });
}
#endif

static long numbered_openat(long number, int dir, const char *path, int flags, mode_t mode)
{
    return open_by_number(number, dir, path, flags, mode, (const long[4]){ dir, (long)path, flags, (long)mode });
}

/* Only a call that succeeded has shown that `how` can be read. */
static long numbered_openat2(long number, int dir, const char *path, const uint64_t *how, size_t size)
{
    struct dsn_span s;
    long ret;

    if (!dsn__span_open(&s))
        return dsn__syscall_on(number, dir, path, how, size);
    ret = dsn__syscall_on(number, dir, path, how, size);
    if (is_nothing((int)ret, path))
        return ret;
    dsn__span_returned(&s);
    dsn__posix_open(&s, (int)ret, dir, path, (int)how[0], (mode_t)how[1]);
    dsn__span_close(&s);
    return ret;
}

static long numbered_close(long number, int fd)
{
    struct dsn_span s;
    void *released;
    long ret;

    if (!ON_FD(fd) || !dsn__span_open(&s))
        return dsn__syscall_on(number, fd);
    dsn__span_before(&s);
    released = dsn__posix_release(fd);
    dsn__span_close(&s);
    ret = dsn__syscall_on(number, fd);
    dsn__span_returned(&s);
    dsn__posix_close(&s, released);
    dsn__span_close(&s);
    return ret;
}

static long numbered_close_range(long number, unsigned first, unsigned last, unsigned flags)
{
    release_range(first, last, flags);
    return dsn__syscall_on(number, first, last, flags);
}

static long numbered_fcntl(long number, int fd, int command, long argument)
{
    struct dsn_span s;
    long ret;

    if (!changes_descriptor(fd, command) || !dsn__span_open(&s))
        return dsn__syscall_on(number, fd, command, argument);
    ret = dsn__syscall_on(number, fd, command, argument);
    dsn__span_returned(&s);
    if (command == F_SETFL)
        dsn__posix_flags(fd, (int)ret, (int)argument);
    else
        dsn__posix_dup(&s, (int)ret, fd);
    dsn__span_close(&s);
    return ret;
}

/* The kernel's calls have the offset in two halves, of which 64-bit systems use the first. */
/* clang-format off */
NUMBERED(ssize_t, preadv2_halves,  (int fd, const struct iovec *iov, int count, long off, long half, int flags), (fd, iov, count, off, half, flags), ON_FD(fd), dsn__posix_iov(&s, DSN_READ, fd, iov, count, ret, off))
NUMBERED(ssize_t, pwritev2_halves, (int fd, const struct iovec *iov, int count, long off, long half, int flags), (fd, iov, count, off, half, flags), ON_FD(fd), dsn__posix_iov_flags(&s, fd, iov, count, ret, off, flags))
/* clang-format on */

/* A new descriptor that is not a file. */
static long numbered_nameless(long number, long a, long b, long c, long d, long e)
{
    const long ret = dsn__syscall_on(number, a, b, c, d, e);
    struct dsn_span s;

    if (ret < 0 || !ON_FD((int)ret) || !dsn__span_open(&s))
        return ret;
    dsn__span_returned(&s);
    dsn__posix_nameless((int)ret);
    dsn__span_close(&s);
    return ret;
}

/* The function for a call by number, or NULL if it is not counted. The library makes its own calls by number, too. */
void *dsn__syscall_row(long number) __attribute__((visibility("hidden")));
void *dsn__syscall_row(long number)
{
    if (!dsn__is_on() || dsn__thread.inside == DSN_NOTING || dsn__thread.inside == DSN_OWN_WORK)
        return NULL;
    switch (number) {
#define N(call, row)                                                                                                   \
    case SYS_##call:                                                                                                   \
        return (void *)numbered_##row;
#include "wrap/syscall.def"
#undef N
    default:
        return NULL;
    }
}

#endif
