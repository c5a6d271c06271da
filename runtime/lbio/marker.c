/* marker.c - the file beside a target that says that the target is incomplete
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/marker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/pages.h"
#include "base/text.h"
#include "lbio/calls.h"
#include "lbio/record.h"

#define MOST_TRIES 10000     /* while other processes remove and recreate the marker */
#define MOST_BYTES (1 << 20) /* of a marker: about 10,000 processes */

int lbio__marker_path(const char *target, char *out, size_t size)
{
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    const int n = dsn__format(out, size, "%.*s.%s.lbio", (int)(name - target), target, name);

    return n < (int)size && strlen(name) + 6 <= NAME_MAX;
}

static void host_name(struct utsname *u)
{
    if (uname(u) != 0)
        dsn__format(u->nodename, sizeof u->nodename, "localhost");
}

static int make_line(char *out, size_t size, int pid, const char *directory, int is_closed)
{
    struct utsname u;

    host_name(&u);
    return dsn__format(out, size, "%s %d %s%s\n", u.nodename, pid, is_closed ? "closed " : "", directory);
}

static int is_file(const struct stat *st, const struct lbio_marker *m)
{
    return st->st_dev == m->dev && st->st_ino == m->ino;
}

/* Applications that close all descriptors close ours, too, and then the number may be theirs. */
static int is_open(const struct lbio_marker *m)
{
    struct stat st;

    return m->fd >= 0 && lbio__identify(m->fd, &st) == 0 && is_file(&st, m);
}

void lbio__marker_close(struct lbio_marker *m)
{
    if (is_open(m))
        dsn__sys_close(m->fd);
    m->fd = -1;
}

int lbio__marker_is_own(const struct lbio_marker *m)
{
    struct stat st;

    return is_open(m) && dsn__sys_fstat(m->fd, &st) == 0 && st.st_size == m->size;
}

static int open_marker(struct lbio_marker *m, const char *path, int flags)
{
    struct stat st;

    if (is_open(m))
        return 0;
    m->fd = lbio__open_shared(path, flags | O_RDWR, 0);
    if (m->fd < 0)
        return -1;
    m->fd = lbio__out_of_the_way(m->fd);
    if (lbio__identify(m->fd, &st) != 0) {
        dsn__sys_close(m->fd);
        m->fd = -1;
        return -1;
    }
    m->dev = st.st_dev;
    m->ino = st.st_ino;
    m->size = 0;
    return 0;
}

/* Opens and locks the marker, and checks that it still has the name: another process may have removed it in between. -1
 * and errno. */
static int lock_marker(struct lbio_marker *m, const char *path, int flags)
{
    struct stat named;

    for (int i = 0; i < MOST_TRIES; i++) {
        int error;

        if (open_marker(m, path, flags) != 0)
            return -1;
        error = lbio__lock_shared(m->fd) == 0 ? 0 : errno;
        if (!error && dsn__sys_lstat(path, &named) == 0 && is_file(&named, m))
            return 0;
        lbio__marker_close(m);
        if (error) {
            errno = error;
            return -1;
        }
    }
    errno = EAGAIN;
    return -1;
}

/* The descriptor stays open for the next change if the application does not lack it, and others see that without. */
static void unlock_marker(struct lbio_marker *m)
{
    struct flock whole = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

    dsn__sys_lock(m->fd, F_OFD_SETLK, &whole);
    if (m->is_brief || !lbio__is_spare(m->fd))
        lbio__marker_close(m);
}

int lbio__marker_put(const char *target, const char *directory, int is_closed, struct lbio_marker *m)
{
    char path[LBIO_PATH_MAX], line[LBIO_PATH_MAX];
    struct stat st;
    int n, ret;

    if (!lbio__marker_path(target, path, sizeof path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (lock_marker(m, path, O_CREAT) != 0)
        return -1;
    n = make_line(line + 1, sizeof line - 1, (int)dsn__sys_getpid(), directory, is_closed) + 1;
    line[0] = '\n'; /* a process killed here may have left an incomplete line */
    lbio__renew(m->fd);
    ret = dsn__sys_fstat(m->fd, &st) == 0 && st.st_size <= MOST_BYTES
              ? lbio__write_all(&lbio__target_calls, m->fd, line, (size_t)n, st.st_size)
              : -1;
    m->size = ret == 0 && st.st_size == m->size ? st.st_size + n : -1;
    unlock_marker(m);
    return ret;
}

/* An empty line, or one whose process was killed before it had logged anything. */
static int is_torn(const char *line, size_t n)
{
    return n == 0 || line[n - 1] != '\n' || !memmem(line, n, " /", 2);
}

/* Removes the lines of the process and invalid ones in place; returns the remaining number of bytes. */
static size_t drop_lines(char *bytes, size_t size, int pid, const char *directory)
{
    char line[LBIO_PATH_MAX], closed[LBIO_PATH_MAX];
    const size_t length = (size_t)make_line(line, sizeof line, pid, directory, 0);
    const size_t closed_length = (size_t)make_line(closed, sizeof closed, pid, directory, 1);
    size_t kept = 0;

    for (size_t at = 0; at < size;) {
        const char *newline = memchr(bytes + at, '\n', size - at);
        const size_t n = newline ? (size_t)(newline + 1 - (bytes + at)) : size - at;

        if (!is_torn(bytes + at, n) && (n != length || memcmp(bytes + at, line, n) != 0) &&
            (n != closed_length || memcmp(bytes + at, closed, n) != 0)) {
            memmove(bytes + kept, bytes + at, n);
            kept += n;
        }
        at += n;
    }
    return kept;
}

/* Removes the lines from the locked marker, or the marker. */
static int drop(const struct lbio_marker *m, const char *path, int pid, const char *directory)
{
    struct stat st;
    char *bytes = NULL;
    int ret = -1;

    lbio__renew(m->fd);
    if (dsn__sys_fstat(m->fd, &st) == 0 && st.st_size <= MOST_BYTES)
        bytes = dsn__pages((size_t)st.st_size + 1);
    if (bytes) {
        const ssize_t size = lbio__read_all(&lbio__target_calls, m->fd, bytes, (size_t)st.st_size, 0);
        const size_t kept = size >= 0 ? drop_lines(bytes, (size_t)size, pid, directory) : 0;

        if (size >= 0 && kept == 0)
            ret = dsn__sys_unlink(path);
        else if (size >= 0 && kept == (size_t)size)
            ret = 0;
        else if (size >= 0 && lbio__write_all(&lbio__target_calls, m->fd, bytes, kept, 0) == 0)
            ret = dsn__sys_ftruncate(m->fd, (off_t)kept);
    }
    dsn__pages_free(bytes);
    return ret;
}

/* Where the marker is now: its directory, or the target, may have been renamed. */
static int find_marker(const struct lbio_marker *m, const char *target, char *path, size_t size)
{
    char link[32];
    ssize_t n = -1;
    struct stat st;

    dsn__format(link, sizeof link, "/proc/self/fd/%d", m->fd);
    if (is_open(m))
        n = dsn__sys_readlink(link, path, size - 1);
    path[n > 0 ? n : 0] = '\0';
    return (n > 0 && dsn__sys_lstat(path, &st) == 0 && is_file(&st, m)) || lbio__marker_path(target, path, size);
}

int lbio__marker_remove(const char *target, int pid, const char *directory, struct lbio_marker *m)
{
    char path[LBIO_PATH_MAX];
    int ret;

    if (!find_marker(m, target, path, sizeof path))
        return 0; /* no marker is possible */
    if (lock_marker(m, path, 0) != 0)
        return errno == ENOENT ? 0 : -1;
    ret = drop(m, path, pid, directory);
    unlock_marker(m);
    if (ret == 0)
        lbio__marker_close(m);
    return ret;
}

/* ------------------------------------------------------------------ reading */

/* Parses "host pid [closed] directory" with its NUL. 0: invalid. */
static int read_line(const char *text, struct lbio_marker_line *line)
{
    const size_t host = strcspn(text, " ");
    const char *end;
    struct utsname u;

    if (host == 0 || host >= sizeof line->host || text[host] != ' ')
        return 0;
    memcpy(line->host, text, host);
    line->host[host] = '\0';
    end = dsn__number(text + host + 1, &line->pid);
    if (!end || *end != ' ')
        return 0;
    line->is_closed = dsn__begins_with(end, " closed /");
    end += line->is_closed ? 8 : 1;
    if (*end != '/' || strlen(end) >= sizeof line->log)
        return 0;
    memcpy(line->log, end, strlen(end) + 1);
    host_name(&u);
    line->is_own_host = strcmp(u.nodename, line->host) == 0;
    return 1;
}

int lbio__marker_each(const char *marker, int is_own, int (*each)(const struct lbio_marker_line *line, void *data),
                      void *data)
{
    const int fd = dsn__sys_openat(AT_FDCWD, marker, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
    struct lbio_marker_line line;
    struct stat st;
    char *bytes = NULL;
    ssize_t size = 0;
    int ret = 0;

    if (fd >= 0)
        lbio__renew(fd);
    if (fd >= 0 && dsn__sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES &&
        (!is_own || (st.st_uid == dsn__sys_geteuid() && st.st_nlink == 1)))
        bytes = dsn__pages((size_t)st.st_size + 1);
    if (bytes)
        size = lbio__read_all(&lbio__target_calls, fd, bytes, (size_t)st.st_size, 0);
    for (char *at = bytes, *newline; ret == 0 && at && (newline = memchr(at, '\n', (size_t)(bytes + size - at)));
         at = newline + 1) {
        *newline = '\0';
        if (read_line(at, &line))
            ret = each(&line, data);
    }
    dsn__pages_free(bytes);
    if (fd >= 0)
        dsn__sys_close(fd);
    return ret;
}

#define PAUSE      INT64_C(2000000)   /* ns */
#define MOST_PAUSE INT64_C(100000000) /* each look opens the marker */

/* The state of a process on this host: a letter, Z: it has ended; 0: no such process, or unknown. */
static char state_of(int64_t pid)
{
    char path[48], text[512];
    const char *name_end;
    ssize_t n;
    int fd;

    dsn__format(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    fd = dsn__sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    n = fd >= 0 ? dsn__syscall(SYS_read, fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        dsn__sys_close(fd);
    text[n > 0 ? n : 0] = '\0';
    name_end = strrchr(text, ')');
    return name_end && name_end[1] ? name_end[2] : '\0';
}

struct awaited {
    int64_t pid; /* of a process that has closed the target; 0: none */
    char *left;  /* log of an ended process */
};

static int await_process(const struct lbio_marker_line *line, void *data)
{
    struct awaited *a = data;
    char state;

    if (line->is_own_host && line->pid == dsn__sys_getpid())
        return 0;
    state = line->is_own_host ? state_of(line->pid) : '\0';
    if (line->is_own_host && (state == 'Z' || state == 'X' ||
                              (state == '\0' && dsn__syscall(SYS_kill, (int)line->pid, 0) != 0 && errno == ESRCH)))
        dsn__format(a->left, LBIO_PATH_MAX, "%s", line->log);
    else if (line->is_closed)
        a->pid = line->pid;
    return 0;
}

/* Replay changes the target, and at its end the marker. */
struct look {
    int64_t size, time, marker_size;
};

static struct look look_at(const char *target, const char *marker)
{
    struct stat st = { 0 }, of_marker = { 0 };

    dsn__sys_lstat(target, &st);
    dsn__sys_lstat(marker, &of_marker);
    return (struct look){ st.st_size, st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec, of_marker.st_size };
}

int lbio__marker_await(const char *target, int64_t patience, char *left)
{
    static _Atomic(int64_t) in_vain; /* the process that was awaited so */
    struct look last = { -1, 0, 0 };
    struct timespec pause = { 0, PAUSE };
    int64_t moved = dsn__now();
    char marker[LBIO_PATH_MAX];

    if (!lbio__marker_path(target, marker, sizeof marker))
        return 0;
    while (1) {
        struct awaited a = { 0, left };
        struct look now;

        left[0] = '\0';
        lbio__marker_each(marker, 0, await_process, &a);
        if (a.pid == 0)
            return left[0] != '\0';
        now = look_at(target, marker);
        if (memcmp(&now, &last, sizeof now) != 0)
            moved = dsn__now();
        last = now;
        if (a.pid == in_vain || dsn__now() - moved >= patience) {
            in_vain = a.pid;
            return -1;
        }
        dsn__syscall(SYS_nanosleep, &pause, NULL);
        pause.tv_nsec = pause.tv_nsec < MOST_PAUSE ? 2 * pause.tv_nsec : pause.tv_nsec;
    }
}
