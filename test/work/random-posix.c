/* random-posix.c - the POSIX calls of random-calls whose counters are known
 * SPDX-License-Identifier: BSD-3-Clause */
#include "random-calls.h"

#ifndef CLOSE_RANGE_CLOEXEC /* before glibc 2.34 */
#define CLOSE_RANGE_CLOEXEC             4U
#define close_range(first, last, flags) (int)syscall(436, first, last, flags)
#endif

static int any_flags(void)
{
    static const int more[] = { O_CREAT,    O_CREAT, O_EXCL,     O_TRUNC,   O_APPEND, O_CLOEXEC,
                                O_NONBLOCK, O_SYNC,  O_NOFOLLOW, O_NOATIME, O_DSYNC,  O_DIRECTORY };
    int flags = below(4) == 0 ? O_RDONLY : below(3) == 0 ? O_WRONLY : O_RDWR;

    if (one_in(50))
        flags |= O_WRONLY | O_RDWR;
    if (below(3))
        flags |= O_CREAT;
    while (one_in(3))
        flags |= more[below(sizeof more / sizeof more[0])];
    return flags;
}

/* What cannot be opened, or is not asked for by its own name. */
static const char *odd_name(void)
{
    static char endless[5000];

    memset(endless, 'x', sizeof endless - 1);
    switch (below(7)) {
    case 0:
        return NULL;
    case 1:
        return "";
    case 2:
        return "no/such/file";
    case 3:
        return endless;
    case 4:
        return (const char *)1;
    case 5:
        return "f1/below";
    default:
        return buffer + ROOM - 1; /* without an end */
    }
}

static void open_with(const char *name, int flags, int file)
{
    const mode_t mode = 0600 | (mode_t)below(0200);
    int fd, how = below(8);

    switch (how) {
    case 0:
        STEP(fd, open64(name, flags, mode));
        break;
    case 1:
        STEP(fd, openat(AT_FDCWD, name, flags, mode));
        break;
    case 2:
        STEP(fd, openat64(AT_FDCWD, name, flags, mode));
        break;
    case 3:
        STEP(fd, creat(name, mode));
        break;
    case 4:
        STEP(fd, creat64(name, mode));
        break;
    default:
        STEP(fd, open(name, flags, mode));
    }
    trace("open %d file %d flags %x mode %o = %d", how, file, (unsigned)flags, mode, fd);
    opened(fd, file);
}

static void open_file(void)
{
    const int file = any_file();

    open_with(any_name(file), any_flags(), file);
}

static void open_odd(void)
{
    open_with(odd_name(), any_flags(), OTHER);
}

/* Below a directory's descriptor. */
static void open_at(void)
{
    const int file = any_file(), flags = any_flags(), bad = one_in(8);
    char name[16];
    int dir, fd;

    STEP(dir, open(".", O_RDONLY | O_DIRECTORY));
    opened(dir, OTHER);
    snprintf(name, sizeof name, "%c%d", file < COUNTED ? 'f' : 'w', file < COUNTED ? file : file - COUNTED);
    STEP(fd, openat(bad ? 998 : dir, name, flags, 0640));
    trace("openat %d %s %x = %d", dir, name, (unsigned)flags, fd);
    opened(fd, file);
    closed(dir);
    STEP(dir, close(dir));
    trace("close = %d", dir);
}

static void close_any(void)
{
    const int fd = any_fd();
    int ret;

    STEP(ret, close(fd));
    trace("close %d = %d", fd, ret);
    closed(fd);
}

/* An MPI library has descriptors of its own, and waits for ever without them. */
static int may_take(int fd)
{
#ifdef WITH_MPI
    return fd < 0 || fd >= FDS || books.is_open[fd];
#else
    (void)fd;
    return 1;
#endif
}

static void close_some(void)
{
    static const unsigned odd[] = { 0, CLOSE_RANGE_CLOEXEC, 64, 0, 0 };
    const unsigned first = (unsigned)below(100) + 3, last = one_in(8) ? first - 2 : first + (unsigned)below(5);
    const unsigned flags = odd[below(sizeof odd / sizeof odd[0])];
    int ret;

    for (unsigned fd = first; fd <= last; fd++)
        if (!may_take((int)fd))
            return;
    STEP(ret, close_range(first, last, (int)flags));
    trace("close_range %u %u %u = %d", first, last, flags, ret);
    for (unsigned fd = first; ret == 0 && flags == 0 && fd <= last; fd++)
        closed((int)fd);
}

static void duplicate(void)
{
    const int fd = any_fd(), to = one_in(4) ? fd : below(8) ? below(120) : any_fd(), how = below(6);
    int ret;

    if (!may_take(to))
        return;
    switch (how) {
    case 0:
        STEP(ret, dup2(fd, to));
        break;
    case 1:
        STEP(ret, dup3(fd, to, below(2) ? O_CLOEXEC : below(2) ? 0 : 1));
        break;
    case 2:
        STEP(ret, fcntl(fd, F_DUPFD, below(100)));
        break;
    case 3:
        STEP(ret, fcntl(fd, F_DUPFD_CLOEXEC, one_in(4) ? -1 : below(100)));
        break;
    default:
        STEP(ret, dup(fd));
    }
    trace("dup %d %d %d = %d", how, fd, to, ret);
    duplicated(ret, fd);
}

static void control(void)
{
    const int fd = any_fd(), how = below(5);
    struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 10 };
    int ret;

    switch (how) {
    case 0:
        STEP(ret, fcntl(fd, F_GETFD));
        break;
    case 1:
        STEP(ret, fcntl(fd, F_SETFD, below(2)));
        break;
    case 2:
        STEP(ret, fcntl(fd, F_SETFL, O_NONBLOCK | (below(2) ? O_APPEND : 0)));
        break;
    case 3:
        STEP(ret, fcntl(fd, F_SETLK, &lock));
        break;
    default:
        STEP(ret, fcntl(fd, below(2) ? F_GETFL : 12345));
    }
    trace("fcntl %d %d = %d", fd, how, ret);
}

static void read_any(void)
{
    const int fd = any_fd(), how = below(4);
    char *const to = any_pointer();
    const size_t n = any_size();
    const int64_t at = any_offset();
    ssize_t ret;

    switch (how) {
    case 0:
        STEP(ret, pread(fd, to, n, at));
        break;
    case 1:
        STEP(ret, pread64(fd, to, n, at));
        break;
    default:
        STEP(ret, read(fd, to, n));
    }
    trace("read %d %d %zu %lld = %zd", how, fd, n, (long long)at, ret);
    transferred(fd, 0, ret);
    if (ret > 0)
        trace_bytes(to, (size_t)ret);
    trace_place(fd);
}

static void write_any(void)
{
    const int fd = any_fd(), how = below(4);
    const char *const from = any_pointer();
    const size_t n = any_size();
    const int64_t at = any_offset();
    ssize_t ret;

    switch (how) {
    case 0:
        STEP(ret, pwrite(fd, from, n, at));
        break;
    case 1:
        STEP(ret, pwrite64(fd, from, n, at));
        break;
    default:
        STEP(ret, write(fd, from, n));
    }
    trace("write %d %d %zu %lld = %zd", how, fd, n, (long long)at, ret);
    transferred(fd, 1, ret);
    trace_place(fd);
}

static int make_vector(struct iovec *v, int n)
{
    for (int i = 0; i < n; i++) {
        v[i].iov_base = any_pointer();
        v[i].iov_len = any_size();
    }
    return one_in(12) ? below(2) ? -1 : 2000 : below(n + 1);
}

static void vector(void)
{
    static struct iovec v[4];
    const int fd = any_fd(), n = make_vector(v, 4), how = below(10), is_write = how % 2;
    const int flags = one_in(4) ? 1 << below(6) : 0;
    const struct iovec *const from = one_in(30) ? NULL : v;
    const int64_t at = one_in(5) ? -1 : any_offset();
    ssize_t ret;

    switch (how) {
    case 0:
        STEP(ret, readv(fd, from, n));
        break;
    case 1:
        STEP(ret, writev(fd, from, n));
        break;
    case 2:
        STEP(ret, preadv(fd, from, n, at));
        break;
    case 3:
        STEP(ret, pwritev(fd, from, n, at));
        break;
    case 4:
        STEP(ret, preadv64(fd, from, n, at));
        break;
    case 5:
        STEP(ret, pwritev64(fd, from, n, at));
        break;
    case 6:
        STEP(ret, preadv2(fd, from, n, at, flags));
        break;
    case 7:
        STEP(ret, pwritev2(fd, from, n, at, flags));
        break;
    case 8:
        STEP(ret, preadv64v2(fd, from, n, at, flags));
        break;
    default:
        STEP(ret, pwritev64v2(fd, from, n, at, flags));
    }
    trace("vector %d %d %d %lld %x = %zd", how, fd, n, (long long)at, (unsigned)flags, ret);
    transferred(fd, is_write, ret);
    if (!is_write && ret > 0)
        trace_bytes(buffer, ROOM);
    trace_place(fd);
}

static void seek(void)
{
    const int fd = any_fd(), whence = below(6);
    const int64_t at = any_offset();
    int64_t ret;

    if (below(2))
        STEP(ret, lseek(fd, at, whence));
    else
        STEP(ret, lseek64(fd, at, whence));
    trace("lseek %d %lld %d = %lld", fd, (long long)at, whence, (long long)ret);
    if (ret >= 0)
        count(fd < FDS ? books.file_of_fd[fd] : -1, P_SEEKS, 1);
}

static void sync_any(void)
{
    const int fd = any_fd(), data = below(2);
    int ret;

    if (data)
        STEP(ret, fdatasync(fd));
    else
        STEP(ret, fsync(fd));
    trace("sync %d %d = %d", fd, data, ret);
    if (ret >= 0)
        count(fd < FDS ? books.file_of_fd[fd] : -1, data ? P_FDSYNCS : P_FSYNCS, 1);
}

static void show(const struct stat *st)
{
    trace("  %o %llu %lld %ld", st->st_mode, (unsigned long long)st->st_nlink,
          S_ISREG(st->st_mode) ? (long long)st->st_size : 0, (long)st->st_blksize);
}

static void status(void)
{
    const int file = any_file(), fd = any_fd(), how = below(8);
    const char *const name = one_in(6) ? odd_name() : any_name(file);
    static struct statx room; /* the largest of all */
    struct stat *const st = (struct stat *)(one_in(10) ? buffer + ROOM - below(ROOM / 8) * 8 % 500 : (char *)&room);
    struct statx *const stx = (struct statx *)st;
    int ret;

    switch (how) {
    case 0:
        STEP(ret, stat(name, st));
        break;
    case 1:
        STEP(ret, lstat(name, st));
        break;
    case 2:
        STEP(ret, fstat(fd, st));
        break;
    case 3:
        STEP(ret, fstatat(AT_FDCWD, name, st, below(2) ? AT_SYMLINK_NOFOLLOW : 0x8000));
        break;
    case 4:
        STEP(ret, fstatat(fd, "", st, AT_EMPTY_PATH));
        break;
    case 5:
        STEP(ret, stat64(name, (struct stat64 *)st));
        break;
    case 6:
        STEP(ret, fstat64(fd, (struct stat64 *)st));
        break;
    default:
        STEP(ret, statx(AT_FDCWD, name, 0, STATX_BASIC_STATS, stx));
    }
    trace("stat %d = %d", how, ret);
    if (ret == 0 && how < 7)
        show(st);
    if ((char *)st != (char *)&room) /* times and inode numbers are not always the same */
        memset(buffer + ROOM - 500, 0, 500);
}

const struct action posix_actions[] = {
    { open_file, 14 }, { open_odd, 2 }, { open_at, 2 },   { close_any, 16 }, { close_some, 1 },
    { duplicate, 5 },  { control, 2 },  { read_any, 20 }, { write_any, 20 }, { vector, 14 },
    { seek, 8 },       { sync_any, 1 }, { status, 5 },    { NULL, 0 },
};
