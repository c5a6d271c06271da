/* calls.c - the system calls of the log and of replay
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "lbio/interrupt.h"

static int open_file(const char *path, int flags, mode_t mode)
{
    return dsn__sys_openat(AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

static int sync_file(int fd)
{
    return (int)dsn__syscall(SYS_fdatasync, fd);
}

static int make_directory(const char *path, mode_t mode)
{
    return (int)dsn__syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

static int remove_directory(const char *path)
{
    return (int)dsn__syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

#define KERNEL_CALLS                                                                                                   \
    {                                                                                                                  \
        open_file, dsn__sys_close, dsn__sys_pread, dsn__sys_pwrite, sync_file, dsn__sys_ftruncate, dsn__sys_unlink,    \
            make_directory, remove_directory                                                                           \
    }

struct lbio_calls lbio__log_calls = KERNEL_CALLS, lbio__target_calls = KERNEL_CALLS;

int lbio__write_all(const struct lbio_calls *c, int fd, const void *bytes, size_t n, off_t off)
{
    const char *from = bytes;

    while (n > 0) {
        const ssize_t done = c->pwrite(fd, from, n, off);

        if (done < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (done < 0)
            return -1;
        if (done == 0) {
            errno = ENOSPC;
            return -1;
        }
        from += done;
        off += done;
        n -= (size_t)done;
    }
    return 0;
}

ssize_t lbio__read_all(const struct lbio_calls *c, int fd, void *bytes, size_t n, off_t off)
{
    size_t got = 0;

    while (got < n) {
        const ssize_t more = c->pread(fd, (char *)bytes + got, n - got, off + (off_t)got);

        if (more < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        got += (size_t)more;
    }
    return (ssize_t)got;
}

int lbio__open_shared(const char *path, int flags, int is_own)
{
    const int fd =
        dsn__sys_openat(AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, is_own ? 0644 : 0666);
    struct stat st;

    if (fd < 0)
        return -1;
    if (dsn__sys_fstat(fd, &st) == 0) {
        if (S_ISREG(st.st_mode) && st.st_nlink <= 1 && (!is_own || st.st_uid == dsn__sys_geteuid()))
            return fd;
        errno = EPERM;
    }
    dsn__sys_close(fd);
    return -1;
}

static atomic_int has_been_stale;

/* AFS (2), SMB (3), Coda, FUSE, NFS, 9P */
int lbio__is_stale_while_open(unsigned type)
{
    static const unsigned types[] = { 0x5346414f, 0x6b414653, 0x517b,     0xff534d42, 0xfe534d42,
                                      0x73757245, 0x65735546, 0x00006969, 0x01021997 };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (type == types[i])
            return has_been_stale = 1;
    return 0;
}

int lbio__has_been_stale_while_open(void)
{
    return has_been_stale;
}

void lbio__renew(int fd)
{
#if defined SYS_statx && defined AT_STATX_FORCE_SYNC
    const int error = errno;
    struct statx x;

    dsn__syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE, &x);
    errno = error;
#else
    (void)fd;
#endif
}

int lbio__identify(int fd, struct stat *st)
{
#if defined SYS_statx && defined AT_STATX_DONT_SYNC
    struct statx x;

    if (dsn__syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &x) == 0) {
        st->st_dev = makedev(x.stx_dev_major, x.stx_dev_minor);
        st->st_ino = x.stx_ino;
        return 0;
    }
    if (errno != ENOSYS && errno != EPERM)
        return -1;
#endif
    return dsn__sys_fstat(fd, st);
}

#define PAUSE          INT64_C(2000000) /* ns */
#define PATIENCE       INT64_C(3000000000)
#define SHORT_PATIENCE INT64_C(100000000)

int lbio__lock_shared(int fd)
{
    static atomic_int was_in_vain;
    const struct timespec pause = { 0, PAUSE };
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    const int64_t begun = dsn__now();

    while (dsn__sys_lock(fd, F_OFD_SETLK, &whole) != 0) {
        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            return -1;
        if (dsn__now() - begun > (was_in_vain ? SHORT_PATIENCE : PATIENCE)) {
            was_in_vain = 1;
            errno = ETIMEDOUT;
            return -1;
        }
        lbio__signals_obey();
        dsn__syscall(SYS_nanosleep, &pause, NULL);
    }
    return 0;
}

static atomic_int least_own = INT_MAX, most_own = -1;

static int know(int fd)
{
    int old = atomic_load(&least_own);

    while (fd < old && !atomic_compare_exchange_weak(&least_own, &old, fd))
        ;
    old = atomic_load(&most_own);
    while (fd > old && !atomic_compare_exchange_weak(&most_own, &old, fd))
        ;
    return fd;
}

/* The first number that is ours, if none above the limit can be. */
static rlim_t first_high(rlim_t limit)
{
    return limit - limit / 8;
}

/* Descriptors above the limit stay open when the limit is lowered again. */
int lbio__out_of_the_way(int fd)
{
    struct rlimit limit, raised;
    int high = -1;

    if (dsn__sys_getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < 64)
        return know(fd);
    raised = limit;
    raised.rlim_cur = limit.rlim_cur + 4096 < limit.rlim_max ? limit.rlim_cur + 4096 : limit.rlim_max;
    if (raised.rlim_cur > limit.rlim_cur && dsn__syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &raised, NULL) == 0) {
        high = (int)dsn__syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, (int)limit.rlim_cur);
        dsn__syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
    }
    if (high < 0)
        high = (int)dsn__syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, (int)first_high(limit.rlim_cur));
    if (high < 0)
        return know(fd);
    dsn__sys_close(fd);
    return know(high);
}

int lbio__is_spare(int fd)
{
    struct rlimit limit;
    rlim_t first;

    if (dsn__sys_getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    first = first_high(limit.rlim_cur);
    return (rlim_t)fd >= limit.rlim_cur || ((rlim_t)fd >= first && (rlim_t)fd < first + limit.rlim_cur / 16);
}

void lbio__own_numbers(int *least, int *most)
{
    *least = atomic_load(&least_own);
    *most = atomic_load(&most_own);
}
