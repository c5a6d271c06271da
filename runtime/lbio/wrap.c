/* wrap.c - POSIX calls that can be rows, from the runtime's table
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A call without a rule is made after the file has been drained. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "base/next.h"
#include "lbio/wrap.h"

int lbio__next(const char *name, void **where, const void *caller)
{
    const int error = errno;
    void *next = dsn__next_function(name, caller);

    if (next)
        __atomic_store_n(where, next, __ATOMIC_RELEASE);
    errno = next ? error : ENOSYS;
    return next != NULL;
}

/* For rows without these parameters. */
static const size_t room = SIZE_MAX, n = LBIO_NO_SIZE;
static const int flags, operation = -1, command = -1;

static int begin_io(struct lbio_call *c, int is_write, int fd, const void *bytes, size_t size, size_t most, int64_t off)
{
    const struct iovec one = { (void *)(uintptr_t)bytes, size };

    if (size > most)
        return 0; /* the real function would crash */
    if (!bytes && size == LBIO_NO_SIZE)
        return lbio__begin_direct(c, fd, -1, LBIO_BY_ASYNC);
    if (off != LBIO_AT_CURSOR && off < 0)
        return 0;
    return lbio__begin_io(c, is_write, fd, &one, 1, off);
}

/* -1 means the file offset in calls with flags; otherwise it is invalid, and the call is not served */
static int begin_iov(struct lbio_call *c, int is_write, int fd, const struct iovec *iov, int count, int64_t off,
                     int has_flags)
{
    if (has_flags)
        return lbio__begin_direct(c, fd, -1, LBIO_IS_LOGGED);
    if (off != LBIO_AT_CURSOR && off < 0)
        return lbio__begin_direct(c, fd, -1, LBIO_IS_LOGGED);
    return lbio__begin_io(c, is_write, fd, iov, count, off);
}

struct cursor;
struct listing;

static int64_t given(int64_t off)
{
    return off < 0 ? -1 : off;
}

static int begin_resize(struct lbio_call *c, int fd, int64_t size, int is_truncation)
{
    return is_truncation ? lbio__begin_truncate(c, fd, size) : lbio__begin_direct(c, fd, -1, LBIO_IS_LOGGED);
}

/* clang-format off */
enum { DSN_READ, DSN_WRITE };
/* not a number, because an application may pass any */
#define DSN_AT_CURSOR ((const struct cursor *)0)
#define OFF(off) _Generic((off), const struct cursor *: LBIO_AT_CURSOR, default: given((int64_t)(off)))
#define ALWAYS      lbio__is_on()
#define SINCE_BEGUN ALWAYS
#define ON_DUP(fd)  ALWAYS
#define ON_FD(fd)  lbio__is_managed(fd)
#define ON_DIR(dir) 0
#define directory_fd(dir) (-1)
#define BEGIN_STAT(st) _Generic((st), struct statx *: lbio__begin_statx(&c, (void *)(st)), \
                                      default: lbio__begin_stat(&c, (void *)(st)))

#define dsn__posix_open(s, ret, dir, path, flags, mode) lbio__begin_open(&c, dir, path, flags)
#define dsn__posix_dup(s, ret, fd)                      lbio__begin_dup(&c, fd)
#define dsn__posix_fileno(s, ret, stream)               0
#define dsn__posix_nameless(ret)                        lbio__begin_other_fd(&c)
#define dsn__posix_nameless_pair(ret, fd)               0
#define dsn__posix_read(s, fd, buf, ret, off)           begin_io(&c, 0, fd, buf, n, room, OFF(off))
#define dsn__posix_write(s, fd, buf, ret, off)          begin_io(&c, 1, fd, buf, n, room, OFF(off))
#define dsn__posix_iov(s, what, fd, iov, count, ret, off) begin_iov(&c, (what) == DSN_WRITE, fd, iov, count, OFF(off), flags != 0)
#define dsn__posix_iov_flags(s, fd, iov, count, ret, off, flags) begin_iov(&c, 1, fd, iov, count, OFF(off), (flags) != 0)
#define dsn__posix_seek(s, fd, ret)                     lbio__begin_seek(&c, fd, off, whence)
#define dsn__posix_sync(s, fd, ret, kind)               lbio__begin_sync(&c, fd)
#define dsn__posix_flush(s, ret, fd)                    lbio__begin_direct(&c, fd, -1, LBIO_IS_LOGGED)
#define dsn__posix_stat(s, ret, dir, path, mode)        BEGIN_STAT(st)
#define dsn__posix_statat(s, ret, dir, path, flags, mode) BEGIN_STAT(st)
#define dsn__posix_fstat(s, ret, fd, mode)              BEGIN_STAT(st)
#define dsn__posix_rename(s, ret, from_dir, from, to_dir, to, flags) lbio__begin_rename(&c, from_dir, from, to_dir, to)
#define dsn__posix_remove(s, ret, dir, path)            lbio__begin_unlink(&c, dir, path)
#define dsn__posix_touch(s, ret, fd)                    lbio__begin_direct(&c, fd, -1, operation != -1 || command != -1 ? LBIO_IS_LOCKED : LBIO_IS_LOGGED)
/* directory listings must not show markers */
#define forget_directory(ret) ((const struct listing *)0)
#define dsn__posix_touch_at(s, ret, dir, path)          _Generic((ret), const struct listing *: lbio__begin_all(&c), \
                                                                 default: lbio__begin_direct_at(&c, dir, path))
#define dsn__posix_resize(s, ret, fd, size, is_truncation) begin_resize(&c, fd, size, is_truncation)
#define dsn__posix_truncate(s, ret, path, size)         lbio__begin_truncate_at(&c, path, size)
#define dsn__posix_copy(s, ret, in, from, out, to)      lbio__begin_direct(&c, in, out, LBIO_IS_LOGGED)

#define V(name)
#define W LBIO_WRAPPER
#define L LBIO_WRAPPER
#define WO(r, name, p, args, fail, when, note, is_own, own) LBIO_WRAPPER(r, name, p, args, fail, when, note)
#include "wrap/posix.wrap"
L(int, inotify_init, (void), (), -1, ALWAYS, dsn__posix_nameless(ret))
