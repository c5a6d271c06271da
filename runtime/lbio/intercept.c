/* intercept.c - what calls on descriptors and paths do to the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/intercept.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/clock.h"
#include "base/driver.h"
#include "base/kernel.h"
#include "base/text.h"
#include "lbio/calls.h"
#include "lbio/interrupt.h"
#include "lbio/marker.h"
#include "lbio/openers.h"
#include "lbio/record.h"
#include "lbio/saved.h"

#define NUMBERS    (1 << 20) /* descriptors that can be managed */
#define WRITABLE   1UL
#define READABLE   2UL
#define KINDS      3UL
#define NOT_LOGGED (O_APPEND | O_SYNC | O_DSYNC | O_DIRECT) /* writes with these flags are not logged */

/* Private to this process: zeroed in a child of fork. */
static struct own_process {
    int is_on;
    pid_t pid;
} * own;

static struct lbio_options options;
static regex_t pattern;
static int has_pattern, gave_up;

/* Maps descriptors to the address of their file, with the kinds of access in the lowest bits; 0: not managed. */
static _Atomic(uintptr_t) *table;

/* Whether a stdio stream whose writes bypass the wrappers uses the descriptor. */
static atomic_uchar *streams;

int lbio__is_on(void)
{
    return own && own->is_on;
}

/* A child of vfork shares our memory, but has its own descriptors. */
static int is_own_process(void)
{
    return lbio__is_on() && own->pid == dsn__sys_getpid();
}

const struct lbio_options *lbio__options_in_use(void)
{
    return is_own_process() ? &options : NULL;
}

static uintptr_t entry(int fd)
{
    return lbio__is_on() && fd >= 0 && fd < NUMBERS ? atomic_load_explicit(&table[fd], memory_order_acquire) : 0;
}

static struct lbio_file *file_in(uintptr_t e)
{
    return (struct lbio_file *)(e & ~KINDS); /* NOLINT(performance-no-int-to-ptr) */
}

int lbio__is_managed(int fd)
{
    return entry(fd) != 0;
}

int lbio__is_logged(int fd)
{
    const uintptr_t e = entry(fd);

    return e && !lbio__file_is_direct(file_in(e));
}

int lbio__owns(int fd)
{
    return lbio__store_owns(fd) || lbio__openers_own(fd);
}

static void hold(struct lbio_call *c)
{
    if (c->signals.are_held)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel_state);
    lbio__signals_hold(&c->signals);
    c->begun = dsn__now();
}

static void release(struct lbio_call *c)
{
    lbio__signals_release(&c->signals);
    pthread_setcancelstate(c->cancel_state, NULL);
}

static int serve(struct lbio_call *c, int64_t ret)
{
    c->is_served = 1;
    c->ret = ret;
    return 1;
}

/* ------------------------------------------------------------------ files of descriptors and paths */

static int is_marker(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t n = strlen(name);

    return name[0] == '.' && n > 6 && strcmp(name + n - 5, ".lbio") == 0;
}

static int is_chosen(const char *path)
{
    return has_pattern && !is_marker(path) && regexec(&pattern, path, 0, NULL, 0) == 0;
}

static void set_entry(int fd, uintptr_t e)
{
    const uintptr_t old = atomic_exchange(&table[fd], e);

    if (old)
        lbio__file_put(file_in(old));
}

/* Access mode 3, for ioctl, is neither reading nor writing. */
static int may_write(int flags)
{
    return (flags & O_ACCMODE) == O_WRONLY || (flags & O_ACCMODE) == O_RDWR;
}

static int may_read(int flags)
{
    return (flags & O_ACCMODE) == O_RDONLY || (flags & O_ACCMODE) == O_RDWR;
}

static void manage(int fd, struct lbio_file *f, int flags)
{
    const uintptr_t kinds = (may_write(flags) ? WRITABLE : 0) | (may_read(flags) ? READABLE : 0);

    if (may_write(flags))
        lbio__file_opened(f, fd);
    set_entry(fd, (uintptr_t)f | kinds);
    if ((may_write(flags) && ((flags & NOT_LOGGED) || fd <= STDERR_FILENO)) || atomic_load(&streams[fd])) {
        lbio__file_enter(f);
        lbio__file_go_direct(f, streams[fd] ? LBIO_BY_STREAM : fd <= STDERR_FILENO ? LBIO_IS_STANDARD : LBIO_OPENED_SO);
        lbio__file_leave(f);
    }
}

/* The kernel's path of a descriptor; 0: none. */
static int path_of(int fd, char *path, size_t size)
{
    char link[32];
    ssize_t n;

    dsn__format(link, sizeof link, "/proc/self/fd/%d", fd);
    n = dsn__sys_readlink(link, path, size - 1);
    path[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* Called for a descriptor just returned by the kernel. */
static void opened(int fd, const char *name)
{
    char path[LBIO_PATH_MAX];
    const int flags = dsn__sys_flags(fd);
    struct lbio_file *f = NULL;
    struct stat st = { 0 };

    if (fd >= NUMBERS)
        return;
    if (flags >= 0 && !(flags & O_PATH) && dsn__sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        const int has_path = path_of(fd, path, sizeof path);

        f = lbio__file_get(&st, path,
                           has_path && st.st_nlink > 0 && !gave_up &&
                               (is_chosen(path) || (name && name[0] == '/' && is_chosen(name))));
    }
    if (f)
        manage(fd, f, flags);
    else
        set_entry(fd, 0);
    if (flags >= 0 && !(flags & O_PATH) && S_ISDIR(st.st_mode))
        lbio__store_drain(); /* directory listings must not show markers */
}

/* The known file at a path, or NULL; release it with lbio__file_put. */
static struct lbio_file *known(int dir, const char *path, int flags, struct stat *st)
{
    if (!path || !lbio__store_has_files() || !is_own_process() ||
        dsn__syscall(SYS_newfstatat, dir, path, st, flags) != 0 || !S_ISREG(st->st_mode))
        return NULL;
    return lbio__file_get(st, "", 0);
}

/* Two files are entered in an order that is the same in all threads. */
static void enter(struct lbio_call *c, struct lbio_file *f, struct lbio_file *g)
{
    hold(c);
    if (f && g && g < f) {
        struct lbio_file *lower = g;

        g = f;
        f = lower;
    }
    if (f == g)
        g = NULL;
    c->file[0] = f;
    c->file[1] = g;
    for (int i = 0; i < 2; i++)
        if (c->file[i])
            lbio__file_enter(c->file[i]);
}

/* The call holds a reference, because another thread may close the descriptor. */
static struct lbio_file *get(int fd, uintptr_t *e)
{
    struct lbio_file *f = NULL;
    struct stat st;

    *e = entry(fd);
    if (*e && lbio__identify(fd, &st) == 0)
        f = lbio__file_get(&st, "", 0);
    if (f && f != file_in(*e)) { /* closed and reopened without a wrapper */
        lbio__file_put(f);
        f = NULL;
        if (is_own_process())
            set_entry(fd, 0);
    }
    return f;
}

/* Enters the descriptor's file; NULL: not managed. */
static struct lbio_file *enter_fd(struct lbio_call *c, int fd)
{
    struct lbio_file *f;
    uintptr_t e;

    if (!lbio__is_managed(fd) || !is_own_process())
        return NULL;
    hold(c);
    f = get(fd, &e);
    if (f)
        enter(c, f, NULL);
    return f;
}

/* ------------------------------------------------------------------ what others have closed */

#define PAUSE    INT64_C(2000000) /* ns */
#define LOOK     INT64_C(1000000000)
#define PATIENCE INT64_C(120000000000) /* without any change of the file */

/* Data that another process wrote before closing the file must be visible to a later open, and must not overwrite later
 * writes; what one that was killed has left in its log is written first. Signals are delivered while waiting. 0, or -1 and
 * errno. */
static int await_others(const char *path)
{
    const struct timespec pause = { 0, PAUSE };
    char left[LBIO_PATH_MAX], last[LBIO_PATH_MAX] = "";
    int ret = 0;

    if (options.visibility == LBIO_VISIBILITY_DRAIN || options.marker != LBIO_MARKER_ON)
        return 0;
    while ((ret = lbio__marker_await(path, PATIENCE, left)) > 0 && strcmp(left, last) != 0) {
        ret = lbio__saved_complete(left, path);
        if (ret < 0)
            break;
        if (ret == 0)
            dsn__format(last, sizeof last, "%s", left);
        else
            dsn__syscall(SYS_nanosleep, &pause, NULL);
    }
    errno = ret < 0 ? EIO : errno;
    return ret < 0 ? -1 : 0;
}

/* While another process of this node has data of the file pending, which it writes now. Signals are delivered while waiting.
 * 0; -1: it writes nothing. `fd`: of the file. */
static int await_pending(int fd)
{
    const struct timespec pause = { 0, PAUSE };
    int64_t now = dsn__now(), moved = now, looked = now;
    struct stat st, last = { 0 };
    int is_pending;

    if (!lbio__openers_matter(&options) || lbio__identify(fd, &st) != 0 ||
        !lbio__openers_others(st.st_dev, st.st_ino, LBIO_IS_PENDING))
        return 0;
    lbio__openers_set(st.st_dev, st.st_ino, LBIO_IS_AWAITED, 1);
    do {
        dsn__syscall(SYS_nanosleep, &pause, NULL);
        now = dsn__now();
        is_pending = lbio__openers_others(st.st_dev, st.st_ino, LBIO_IS_PENDING);
        if (now - looked > LOOK && dsn__sys_fstat(fd, &st) == 0) {
            if (st.st_size != last.st_size || st.st_mtim.tv_sec != last.st_mtim.tv_sec ||
                st.st_mtim.tv_nsec != last.st_mtim.tv_nsec)
                moved = now;
            last = st;
            looked = now;
        }
    } while (is_pending && now - moved < PATIENCE);
    lbio__openers_set(st.st_dev, st.st_ino, LBIO_IS_AWAITED, 0);
    errno = is_pending ? EIO : errno;
    return is_pending ? -1 : 0;
}

/* 0, or -1 and errno. */
static int await_others_at(int dir, const char *path)
{
    const int error = errno;
    char full[LBIO_PATH_MAX];
    int ret = 0;
    const int fd = is_own_process() && path && options.visibility != LBIO_VISIBILITY_DRAIN
                       ? dsn__sys_openat(dir, path, O_PATH | O_CLOEXEC, 0)
                       : -1;

    if (fd >= 0) {
        const int is_there = path_of(fd, full, sizeof full) && is_chosen(full);

        ret = is_there ? await_pending(fd) : 0;
        dsn__sys_close(fd);
        if (is_there && ret == 0)
            ret = await_others(full);
    }
    errno = ret == 0 ? error : EIO;
    return ret;
}

/* Whether the file is on a file system that looks for what others have written when it is opened. Asking may cost a
 * message to its server. */
static int is_stale_while_open(int fd)
{
    static _Atomic(uint64_t) last; /* the device that was asked about last, times two, and the answer */
    struct stat st;
    struct statfs fs;
    uint64_t known = last;

    if (lbio__identify(fd, &st) != 0)
        return 0;
    if (known >> 1 != st.st_dev) {
        known = (uint64_t)st.st_dev << 1;
        known |= dsn__sys_fstatfs(fd, &fs) != 0 || lbio__is_stale_while_open((unsigned)fs.f_type);
        last = known;
    }
    return known & 1;
}

/* 0: the kernel cannot read the path either. It reads it before it refuses the empty name. */
static int is_readable(const char *path)
{
    return path && dsn__syscall(SYS_symlinkat, path, -1, "") != 0 && errno != EFAULT;
}

/* What such a file system learns of a file when it is opened may count for a while: it is better to wait before. Only
 * where one has been seen already, because this costs each open something. */
static void await_others_before(int dir, const char *path)
{
    char full[LBIO_PATH_MAX];
    const int error = errno;
    const char *slash, *name;
    int fd = -1;

    if (!lbio__has_been_stale_while_open() || !is_readable(path)) {
        errno = error;
        return;
    }
    slash = strrchr(path, '/');
    name = slash ? slash + 1 : path;
    if (dsn__format(full, sizeof full, "%.*s.", (int)(name - path), path) < (int)sizeof full)
        fd = dsn__sys_openat(dir, full, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd >= 0 && path_of(fd, full, sizeof full) && is_stale_while_open(fd)) {
        const size_t n = full[1] ? strlen(full) : 0;

        dsn__format(full + n, sizeof full - n, "/%s", name);
        if (n + 1 + strlen(name) < sizeof full && is_chosen(full))
            await_others(full);
    }
    if (fd >= 0)
        dsn__sys_close(fd);
    errno = error;
}

/* The application's open came before the wait. Another one, after it, renews what the kernel and the file system have
 * kept of the file. Its close would take away locks that the process has on the file, which then is not logged. */
static void look_again(int fd)
{
    char link[32];
    int again;

    if (options.visibility == LBIO_VISIBILITY_DRAIN || options.marker != LBIO_MARKER_ON || !lbio__is_logged(fd) ||
        !is_stale_while_open(fd))
        return;
    dsn__format(link, sizeof link, "/proc/self/fd/%d", fd);
    again = dsn__sys_openat(AT_FDCWD, link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    if (again >= 0)
        dsn__sys_close(again);
    lbio__renew(fd);
}

/* ------------------------------------------------------------------ descriptors */

static int begin_truncation(struct lbio_call *c, int dir, const char *path, int64_t size)
{
    struct lbio_file *f;
    struct stat st;

    if (await_others_at(dir, path) != 0)
        return serve(c, -1);
    f = known(dir, path, 0, &st);
    if (!f)
        return 0;
    enter(c, f, NULL);
    if (lbio__truncation_begin(&c->room, f, size) != 0)
        return serve(c, -1);
    c->truncation = &c->room;
    return 0;
}

/* A file of which data is pending still is open. */
static int begin_reuse(struct lbio_call *c, int dir, const char *path, int flags)
{
    struct lbio_file *f;
    struct stat st;
    int fd;

    if (!may_write(flags) || (flags & ~(O_ACCMODE | O_CLOEXEC | O_CREAT | O_LARGEFILE | O_NOCTTY)) ||
        !lbio__store_is_pending())
        return 0;
    f = known(dir, path, 0, &st);
    if (!f)
        return 0;
    enter(c, f, NULL);
    fd = lbio__file_reuse(f, &st, flags);
    if (fd < 0)
        return 0;
    c->is_alone = lbio__file_is_alone(f);
    return serve(c, fd);
}

int lbio__begin_open(struct lbio_call *c, int dir, const char *path, int flags)
{
    if (!is_own_process())
        return 0;
    c->after = LBIO_NEW_FD;
    c->path = path;
    if (!(flags & O_TRUNC) && may_read(flags))
        await_others_before(dir, path);
    return flags & O_TRUNC ? begin_truncation(c, dir, path, 0) : begin_reuse(c, dir, path, flags);
}

int lbio__begin_dup(struct lbio_call *c, int fd)
{
    if (is_own_process()) {
        c->after = LBIO_SAME_FD;
        c->fd = fd;
    }
    return 0;
}

int lbio__begin_other_fd(struct lbio_call *c)
{
    if (is_own_process())
        c->after = LBIO_OTHER_FD;
    return 0;
}

/* Replay errors are reported by close, as by an NFS client. */
int lbio__begin_close(struct lbio_call *c, int fd)
{
    const uintptr_t e = is_own_process() ? entry(fd) : 0;
    int error, ret;

    if (is_own_process() && !e && lbio__owns(fd)) {
        errno = EBADF;
        return serve(c, -1);
    }
    if (!e)
        return 0;
    hold(c);
    error = e & WRITABLE ? lbio__file_error(file_in(e)) : 0;
    if (e & WRITABLE)
        lbio__file_closed(file_in(e));
    set_entry(fd, 0);
    ret = dsn__sys_close(fd);
    if (ret == 0 && error) {
        errno = error;
        ret = -1;
    }
    return serve(c, ret);
}

/* ------------------------------------------------------------------ bytes */

static int64_t total(const struct iovec *iov, int count)
{
    int64_t n = 0;

    for (int i = 0; i < count; i++) {
        if (iov[i].iov_len > (size_t)(INT64_MAX - n))
            return -1; /* the kernel refuses it */
        n += (int64_t)iov[i].iov_len;
    }
    return n;
}

/* Writes that the kernel would refuse or shorten are left to it. */
static int is_within_limits(int64_t off, int64_t n)
{
    struct rlimit limit;

    return off >= 0 && n <= INT64_MAX - off && dsn__sys_getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || (uint64_t)(off + n) <= limit.rlim_cur);
}

static ssize_t read_all(struct lbio_file *f, int fd, const struct iovec *iov, int count, int64_t off)
{
    ssize_t done = 0;

    for (int i = 0; i < count; i++) {
        ssize_t n = lbio__file_read(f, fd, iov[i].iov_base, iov[i].iov_len, off + done);

        if (n == LBIO_DIRECT && i > 0) /* replay has completed the file meanwhile */
            n = lbio__read_all(&lbio__target_calls, fd, iov[i].iov_base, iov[i].iov_len, off + done);
        if (n < 0)
            return done > 0 ? done : n;
        done += n;
        if ((size_t)n < iov[i].iov_len)
            break;
    }
    return done;
}

int lbio__begin_io(struct lbio_call *c, int is_write, int fd, const struct iovec *iov, int count, int64_t off)
{
    const int64_t n = iov && count > 0 && count <= IOV_MAX ? total(iov, count) : 0;
    const int at_cursor = off == LBIO_AT_CURSOR;
    uintptr_t e = entry(fd);
    struct lbio_file *f = e ? file_in(e) : NULL;
    ssize_t done;

    if (n <= 0 || !(e & (is_write ? WRITABLE : READABLE)) || lbio__file_is_direct(f) ||
        (!is_write && lbio__file_is_clean(f)) || !is_own_process())
        return 0;
    hold(c);
    f = get(fd, &e);
    if (!f)
        return 0;
    enter(c, f, NULL);
    c->is_cancellable = 1;
    if (at_cursor)
        off = dsn__sys_position(fd);
    if (is_write && !is_within_limits(off, n)) {
        lbio__file_drain(f);
        return 0;
    }
    done = is_write ? lbio__file_write(f, iov, count, off) : read_all(f, fd, iov, count, off);
    if (done == LBIO_DIRECT)
        return 0;
    c->is_logged_write = is_write && done > 0;
    if (done > 0 && at_cursor)
        dsn__syscall(SYS_lseek, fd, off + done, SEEK_SET);
    return serve(c, done);
}

int lbio__begin_seek(struct lbio_call *c, int fd, int64_t off, int whence)
{
    struct lbio_overlay logged;
    struct lbio_file *f;
    struct stat st;
    int64_t end;

    if (whence == SEEK_SET || whence == SEEK_CUR)
        return 0;
    f = enter_fd(c, fd);
    if (!f)
        return 0;
    if (whence != SEEK_END) {
        lbio__file_drain(f);
        return 0;
    }
    lbio__file_overlay(f, INT64_MAX, &logged);
    if (logged.end == 0 || dsn__sys_fstat(fd, &st) != 0)
        return 0;
    end = logged.end > st.st_size ? logged.end : st.st_size;
    if (off > INT64_MAX - end) {
        errno = EOVERFLOW;
        return serve(c, -1);
    }
    return serve(c, dsn__syscall(SYS_lseek, fd, end + off < 0 ? -1L : end + off, SEEK_SET));
}

int lbio__begin_sync(struct lbio_call *c, int fd)
{
    struct lbio_file *f = enter_fd(c, fd);

    if (!f)
        return 0;
    c->is_cancellable = 1;
    if (lbio__file_sync(f) != 0)
        return serve(c, -1);
    return lbio__file_is_clean(f) ? 0 : serve(c, 0);
}

int lbio__begin_truncate(struct lbio_call *c, int fd, int64_t size)
{
    struct lbio_file *f = entry(fd) & WRITABLE ? enter_fd(c, fd) : NULL;

    return f ? serve(c, lbio__file_truncate(f, fd, size)) : 0;
}

int lbio__begin_truncate_at(struct lbio_call *c, const char *path, int64_t size)
{
    return size >= 0 ? begin_truncation(c, AT_FDCWD, path, size) : 0;
}

/* ------------------------------------------------------------------ attributes and names */

int lbio__begin_stat(struct lbio_call *c, struct stat *st)
{
    if (lbio__is_on() && lbio__store_has_files()) {
        c->after = LBIO_SIZE;
        c->asked = dsn__now();
        c->to.st = st;
    }
    return 0;
}

int lbio__begin_statx(struct lbio_call *c, struct statx *stx)
{
    if (lbio__is_on() && lbio__store_has_files()) {
        c->after = LBIO_SIZE_X;
        c->asked = dsn__now();
        c->to.stx = stx;
    }
    return 0;
}

/* Pending data of a file that is still open or has another name is still needed. */
int lbio__begin_unlink(struct lbio_call *c, int dir, const char *path)
{
    struct stat st;
    struct lbio_file *f = known(dir, path, AT_SYMLINK_NOFOLLOW, &st);

    if (!f)
        return 0;
    enter(c, f, NULL);
    if (lbio__file_refs(f) > 1)
        lbio__file_go_direct(f, LBIO_IS_REMOVED);
    else if (st.st_nlink > 1)
        lbio__file_drain(f);
    else
        c->after = LBIO_UNLINKED;
    return 0;
}

int lbio__begin_rename(struct lbio_call *c, int from_dir, const char *from, int to_dir, const char *to)
{
    struct lbio_file *f, *g;
    struct stat st;

    if (!is_own_process())
        return 0;
    if (await_others_at(from_dir, from) != 0)
        return serve(c, -1);
    if (!lbio__store_has_files())
        return 0;
    hold(c);
    c->after = LBIO_RENAMED;
    f = known(from_dir, from, AT_SYMLINK_NOFOLLOW, &st);
    g = known(to_dir, to, AT_SYMLINK_NOFOLLOW, &st);
    if (!f && !g)
        lbio__store_drain(); /* it may be a directory */
    enter(c, f, g);
    for (int i = 0; i < 2; i++)
        if (c->file[i])
            lbio__file_drain(c->file[i]);
    return 0;
}

/* ------------------------------------------------------------------ what goes to the file itself */

int lbio__begin_direct(struct lbio_call *c, int fd, int other, enum lbio_reason why)
{
    struct lbio_file *f, *g;
    uintptr_t e;

    if ((!lbio__is_managed(fd) && !lbio__is_managed(other)) || !is_own_process())
        return 0;
    hold(c);
    f = get(fd, &e);
    g = get(other, &e);
    if (f == g && g) {
        lbio__file_put(g);
        g = NULL;
    }
    enter(c, f, g);
    for (int i = 0; i < 2; i++)
        if (c->file[i] && why != LBIO_IS_LOGGED)
            lbio__file_go_direct(c->file[i], why);
        else if (c->file[i])
            lbio__file_drain(c->file[i]);
    return 0;
}

int lbio__begin_mapped(struct lbio_call *c, int fd)
{
    lbio__begin_direct(c, fd, -1, LBIO_IS_MAPPED);
    if (c->file[0])
        lbio__file_keep(c->file[0]);
    return 0;
}

int lbio__begin_direct_at(struct lbio_call *c, int dir, const char *path)
{
    struct stat st;
    struct lbio_file *f = known(dir, path, 0, &st);

    if (!f)
        return 0;
    enter(c, f, NULL);
    lbio__file_drain(f);
    return 0;
}

int lbio__begin_all(struct lbio_call *c)
{
    if (!is_own_process() || !lbio__store_has_files())
        return 0;
    hold(c);
    lbio__store_handed_out();
    lbio__store_drain();
    return 0;
}

/* ------------------------------------------------------------------ afterwards */

static struct timespec later(struct timespec a, struct timespec b)
{
    return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec) ? a : b;
}

/* Blocks of logged data count as allocated; what looks for holes, because there are fewer than the size needs, does so
 * when the file is complete. */
static void add_size(struct stat *st, int64_t asked)
{
    struct lbio_file *f = S_ISREG(st->st_mode) ? lbio__file_get(st, "", 0) : NULL;
    struct lbio_overlay logged;

    if (!f)
        return;
    lbio__file_overlay(f, asked, &logged);
    if (logged.end > 0) {
        const blkcnt_t before = st->st_blocks;
        blkcnt_t most;

        st->st_size = logged.end > st->st_size ? logged.end : st->st_size;
        most = (st->st_size + 511) / 512;
        st->st_blocks += (logged.bytes + 511) / 512;
        st->st_blocks = st->st_blocks < most ? st->st_blocks : most > before ? most : before;
        st->st_mtim = later(st->st_mtim, logged.written);
        st->st_ctim = later(st->st_ctim, logged.written);
    }
    lbio__file_put(f);
}

static void add_size_x(struct statx *stx, int64_t asked)
{
    struct stat st = { .st_dev = makedev(stx->stx_dev_major, stx->stx_dev_minor),
                       .st_ino = stx->stx_ino,
                       .st_mode = stx->stx_mode,
                       .st_size = (off_t)stx->stx_size,
                       .st_blocks = (blkcnt_t)stx->stx_blocks,
                       .st_mtim = { stx->stx_mtime.tv_sec, stx->stx_mtime.tv_nsec },
                       .st_ctim = { stx->stx_ctime.tv_sec, stx->stx_ctime.tv_nsec } };

    add_size(&st, asked);
    stx->stx_size = (uint64_t)st.st_size;
    stx->stx_blocks = (uint64_t)st.st_blocks;
    stx->stx_mtime.tv_sec = st.st_mtim.tv_sec;
    stx->stx_mtime.tv_nsec = (uint32_t)st.st_mtim.tv_nsec;
    stx->stx_ctime.tv_sec = st.st_ctim.tv_sec;
    stx->stx_ctime.tv_nsec = (uint32_t)st.st_ctim.tv_nsec;
}

static void duplicated(int fd, int to)
{
    const uintptr_t e = entry(fd);
    const int flags = dsn__sys_flags(to);
    struct stat st;
    struct lbio_file *f;

    if (fd == to || to >= NUMBERS)
        return;
    f = e && lbio__identify(to, &st) == 0 ? lbio__file_get(&st, "", 0) : NULL;
    if (f)
        manage(to, f, flags);
    else
        set_entry(to, 0);
}

static void end(struct lbio_call *c, int64_t ret)
{
    switch (c->after) {
    case LBIO_NEW_FD:
        if (ret >= 0)
            opened((int)ret, c->path);
        break;
    case LBIO_OTHER_FD:
        if (ret >= 0 && lbio__is_managed((int)ret))
            set_entry((int)ret, 0);
        break;
    case LBIO_SAME_FD:
        if (ret >= 0)
            duplicated(c->fd, (int)ret);
        break;
    case LBIO_UNLINKED:
        if (ret == 0)
            lbio__file_discard(c->file[0]);
        break;
    case LBIO_RENAMED:
        if (ret == 0)
            lbio__store_renamed();
        break;
    default:
        break;
    }
}

int lbio__call_again(struct lbio_call *c, int64_t ret)
{
    const int error = errno;

    if ((c->after != LBIO_SIZE && c->after != LBIO_SIZE_X) || ret != 0)
        return 0;
    hold(c);
    if (c->after == LBIO_SIZE)
        add_size(c->to.st, c->asked);
    else
        add_size_x(c->to.stx, c->asked);
    errno = error;
    if (lbio__store_released_since(c->asked)) {
        c->asked = dsn__now();
        return 1;
    }
    c->after = LBIO_NOTHING;
    return 0;
}

/* From then on the files that are open are not logged. */
int lbio__make_room(struct lbio_call *c)
{
    struct rlimit limit;
    int least, most;

    lbio__own_numbers(&least, &most);
    if (errno != EMFILE || c->has_made_room || c->after != LBIO_NEW_FD || c->file[0] || least > most ||
        dsn__sys_getrlimit(RLIMIT_NOFILE, &limit) != 0 || (rlim_t)least >= limit.rlim_cur)
        return 0;
    c->has_made_room = 1;
    hold(c);
    lbio__store_all_direct(LBIO_NO_ROOM);
    lbio__store_rest();
    lbio__openers_end();
    errno = EMFILE;
    return 1;
}

void lbio__call_end(struct lbio_call *c, int64_t ret)
{
    const int error = errno;

    if (!c->signals.are_held && c->after == LBIO_NOTHING)
        return;
    hold(c);
    if (c->truncation)
        lbio__truncation_end(c->truncation, ret >= 0);
    for (int i = 1; i >= 0 && c->after != LBIO_UNLINKED; i--) /* a later open enters the file */
        if (c->file[i])
            lbio__file_leave(c->file[i]);
    end(c, ret);
    for (int i = 1; i >= 0; i--) {
        if (c->file[i] && c->after == LBIO_UNLINKED)
            lbio__file_leave(c->file[i]);
        if (c->file[i])
            lbio__file_put(c->file[i]);
    }
    lbio__store_visible(dsn__now() - c->begun, c->is_logged_write);
    release(c);
    if (c->is_cancellable)
        pthread_testcancel();
    if (c->after == LBIO_NEW_FD && ret >= 0 && !c->is_alone && entry((int)ret)) {
        char path[LBIO_PATH_MAX];

        c->is_refused = await_pending((int)ret) != 0;
        if (!c->is_refused && path_of((int)ret, path, sizeof path)) {
            c->is_refused = await_others(path) != 0;
            look_again((int)ret);
        }
    }
    errno = error;
}

/* ------------------------------------------------------------------ begin and end of the process */

void lbio__drain_at_finalize(void)
{
    if (options.end == LBIO_END_DRAIN)
        lbio__drain_all();
}

void lbio__drain_all(void)
{
    struct lbio_call c;

    lbio__call_clear(&c);
    lbio__is_served(&c, lbio__begin_all(&c));
    lbio__call_end(&c, 0);
}

int lbio__forget_number(int fd)
{
    struct lbio_call c;
    uintptr_t e;
    int error = 0;

    if (!is_own_process() || !lbio__is_managed(fd))
        return 0;
    lbio__call_clear(&c);
    hold(&c);
    e = entry(fd);
    if (e & WRITABLE) {
        error = lbio__file_error(file_in(e));
        lbio__file_closed(file_in(e));
    }
    set_entry(fd, 0);
    errno = c.error;
    lbio__call_end(&c, 0);
    return error;
}

void lbio__make_direct(int fd, enum lbio_reason why)
{
    struct lbio_call c;

    lbio__call_clear(&c);
    lbio__is_served(&c, lbio__begin_direct(&c, fd, -1, why));
    lbio__call_end(&c, 0);
}

void lbio__plain_stream(int fd, int is_there)
{
    if (!is_own_process() || fd < 0 || fd >= NUMBERS)
        return;
    atomic_store(&streams[fd], (unsigned char)is_there);
    if (is_there)
        lbio__make_direct(fd, LBIO_BY_STREAM);
}

#define AT_EXEC 4 /* CLOSE_RANGE_CLOEXEC */

void lbio__forget_numbers(unsigned first, unsigned last, int flags)
{
    const int error = errno;

    if (flags & AT_EXEC || !lbio__is_on() || !lbio__store_has_files())
        return;
    for (unsigned fd = first; fd <= last && fd < NUMBERS; fd++)
        if (table[fd])
            lbio__forget_number((int)fd);
    errno = error;
}

static void set_own(void)
{
    own->pid = dsn__sys_getpid();
    own->is_on = 1;
}

/* Descriptors inherited from the parent are logged by the parent; the child's writes go to the files directly. */
static void child_begins(void)
{
    if (!table || own->is_on || own->pid) /* zeroed if this is another process */
        return;
    lbio__store_forget();
    if (dsn__sys_mmap((void *)table, NUMBERS * sizeof *table, PROT_READ | PROT_WRITE,
                      MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
        set_own();
}

/* A handler that ends the process while this thread waits here is not delayed: pending data stays in the log. */
int lbio__leave(int may_come_back)
{
    static __thread int is_leaving __attribute__((tls_model("initial-exec")));
    struct lbio_call c;
    int error;

    if (!is_own_process() || is_leaving)
        return 0;
    lbio__call_clear(&c);
    hold(&c);
    is_leaving = 1;
    error = may_come_back ? lbio__store_drain() : lbio__store_end();
    if (may_come_back)
        lbio__store_rest();
    is_leaving = 0;
    release(&c);
    errno = error ? error : c.error;
    return error ? -1 : 0;
}

/* What is written after it, by other destructors, is logged too: then the order stays. */
void lbio__end(void)
{
    struct lbio_call c;

    if (options.end == LBIO_END_DRAIN) {
        lbio__leave(0);
    } else if (is_own_process()) {
        lbio__call_clear(&c);
        hold(&c);
        lbio__store_leave();
        lbio__call_end(&c, 0);
    }
}

void lbio__figures(dsn_figure *take, void *context)
{
    if (!is_own_process())
        return;
    if (options.end == LBIO_END_DRAIN)
        lbio__leave(1);
    else
        lbio__end();
    lbio__store_give(take, context);
}

int lbio__drain_path(const char *path)
{
    struct lbio_call c;
    struct lbio_file *f = NULL;
    struct stat st;
    int error = 0;

    if (!is_own_process())
        return 0;
    lbio__call_clear(&c);
    hold(&c);
    if (!path) {
        error = lbio__store_drain();
    } else if (dsn__syscall(SYS_newfstatat, AT_FDCWD, path, &st, 0) != 0) {
        error = errno;
    } else {
        f = known(AT_FDCWD, path, 0, &st);
        enter(&c, f, NULL);
        error = f && lbio__file_drain(f) != 0 ? errno : 0;
    }
    lbio__call_end(&c, 0);
    errno = error ? error : errno;
    return error ? -1 : 0;
}

void lbio__opened_together(const char *path)
{
    struct lbio_call c;
    struct lbio_file *f;
    struct stat st;

    if (!is_own_process() || options.shared == LBIO_SHARED_LOG || !path)
        return;
    lbio__call_clear(&c);
    hold(&c);
    f = known(AT_FDCWD, path, 0, &st); /* not all MPI libraries know drivers: a colon may be part of the name */
    if (!f)
        f = known(AT_FDCWD, dsn__without_driver(path), 0, &st);
    enter(&c, f, NULL);
    if (f)
        lbio__file_go_direct(f, LBIO_IS_SHARED);
    lbio__call_end(&c, 0);
}

void lbio__give_up_logging(void)
{
    struct lbio_call c;

    if (!is_own_process() || gave_up)
        return;
    gave_up = 1;
    lbio__call_clear(&c);
    hold(&c);
    lbio__store_all_direct(LBIO_BY_ASYNC);
    release(&c);
    errno = c.error;
}

int lbio__intercept_start(const char *text, const char *opts)
{
    if (own) {
        errno = EALREADY;
        return -1;
    }
    if (lbio__options_read(&options, opts) >= 0 || regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB) != 0) {
        errno = EINVAL;
        return -1;
    }
    has_pattern = 1;
    lbio__options_logdir(&options);
    table = dsn__sys_mmap(NULL, NUMBERS * (sizeof *table + sizeof *streams), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    streams = (atomic_uchar *)(table + NUMBERS);
    own = table != MAP_FAILED
              ? dsn__sys_mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
              : MAP_FAILED;
    if (own == MAP_FAILED || dsn__sys_madvise(own, sizeof *own, MADV_WIPEONFORK) != 0) {
        own = NULL;
        return -1;
    }
    lbio__store_start(&options);
    at_quick_exit(lbio__end); /* which runs no destructors; handlers run last to first */
    pthread_atfork(lbio__drain_all, NULL, child_begins);
    set_own();
    return 0;
}
