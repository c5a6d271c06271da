/* log-file.c - the file of a log, from its creation in the right directory to its final name
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/log-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/open-file.h"
#include "base/pages.h"
#include "base/text.h"
#include "darshan-log-format/hash.h"

#define MODE_WHILE_WRITING 0400
#define MOST_NAMES         16 /* attempts for a log whose name is taken */

static const char partial_suffix[] = ".darshan_partial";

static void make_stem(struct dsn_log_file *f, const struct dsn_log_identity *identity)
{
    const struct tm *start = &identity->start;

    dsn__format(f->stem, sizeof f->stem, "%s_%s_id%lld-%lld_%d-%d-%d-%llu", identity->user, identity->program,
                (long long)identity->jobid, (long long)identity->pid, start->tm_mon + 1, start->tm_mday,
                start->tm_hour * 3600 + start->tm_min * 60 + start->tm_sec, (unsigned long long)identity->key);
    dsn__format(f->partial, sizeof f->partial, "%.*s%s", (int)sizeof f->stem - 32, f->stem, partial_suffix);
}

/* ------------------------------------------------------------------ directories of the date */

#define LEVELS     3     /* below the directory for logs: year, month, day */
#define NOBODY_UID 65534 /* owner shown for users unknown to a container or a file server */

static int number_of(const struct tm *date, int level)
{
    return level == 0 ? date->tm_year + 1900 : level == 1 ? date->tm_mon + 1 : date->tm_mday;
}

/* A directory that can be written to but not listed will do. */
static int open_level(int above, const char *name, int flags)
{
    const int fd = openat(above, name, flags | O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd >= 0 || errno != EACCES ? fd : openat(above, name, flags | O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The owner of a directory can remove and rename everything in it, whatever its mode: it must be the site or this
 * user. */
static bool is_safe(const struct stat *above, const struct stat *st)
{
    return st->st_uid == 0 || st->st_uid == dsn__sys_geteuid() ||
           (st->st_uid == above->st_uid && st->st_uid != NOBODY_UID);
}

/* Descends from `above`, whose status is *st, which becomes the new directory's. A missing directory is created only
 * below one that this user owns: elsewhere this user could then remove the logs of others. Its mode is the kernel's
 * default, and is not changed afterwards, when something else could have the name. */
static int enter(int above, const char *name, struct stat *st, int is_to_be_safe)
{
    const struct stat up = *st;
    int fd = open_level(above, name, O_NOFOLLOW);

    if (fd < 0 && errno == ENOENT && is_to_be_safe && up.st_uid == dsn__sys_geteuid()) {
        mkdirat(above, name, (up.st_mode & 01777) | 0700);
        fd = open_level(above, name, O_NOFOLLOW);
    }
    if (fd >= 0 && (dsn__sys_fstat(fd, st) != 0 || (is_to_be_safe && !is_safe(&up, st)))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Opens the innermost existing directory among `path` and its *levels date directories. *levels: the number that exist;
 * `out`: its path. Returns -1 with errno if not even `path` exists; *levels is -1, too. */
static int open_directory(const char *path, const struct tm *date, int *levels, int is_to_be_safe, char out[PATH_MAX])
{
    const int most = *levels;
    int dir = open_level(AT_FDCWD, path, 0), next;
    size_t at = (size_t)dsn__format(out, PATH_MAX, "%s", path);
    struct stat st;
    char name[16];

    *levels = dir < 0 ? -1 : 0;
    if (dir < 0 || dsn__sys_fstat(dir, &st) != 0)
        return dir;
    while (*levels < most) {
        dsn__format(name, sizeof name, "%d", number_of(date, *levels));
        next = enter(dir, name, &st, is_to_be_safe);
        if (next < 0)
            break;
        close(dir);
        dir = next;
        if (at < PATH_MAX)
            at += (size_t)dsn__format(out + at, PATH_MAX - at, "/%s", name);
        ++*levels;
    }
    return dir;
}

bool dsn__log_each_directory(const char *path, const struct tm *date, bool (*use)(int dir, void *context),
                             void *context)
{
    char out[PATH_MAX];
    int done = 0;

    for (int levels = date ? LEVELS : 0; levels >= 0 && !done; levels--) {
        const int dir = open_directory(path, date, &levels, 0, out);

        if (dir < 0)
            break;
        done = use(dir, context);
        close(dir);
    }
    return done;
}

/* Uses a high number: programs close and use low ones, the standard streams' above all, without asking. But one within
 * the kernel's first table of 64: to enlarge that, a process with threads, as with MPI, waits for an RCU grace period
 * of 5 ms and more. */
static int out_of_the_way(int fd)
{
    static const int at_least[] = { 48, 3 };
    int high = -1, error = errno;

    if (fd < 0)
        return fd;
    for (unsigned i = 0; i < sizeof at_least / sizeof at_least[0] && high < 0; i++)
        high = fcntl(fd, F_DUPFD_CLOEXEC, at_least[i]);
    if (high < 0)
        return fd;
    close(fd);
    errno = error;
    return high;
}

static int open_new(const struct dsn_log_file *f, int mode)
{
    return dsn__open_file(f->dir, f->partial, O_RDWR | O_CREAT | O_EXCL, mode);
}

/* A process that writes the log instead of a killed one finds the file that that one was writing. */
static int create(struct dsn_log_file *f, const struct dsn_log_identity *identity)
{
    const int mode = MODE_WHILE_WRITING;
    int fd = open_new(f, mode);

    if (fd < 0 && errno == EEXIST && identity->stands_in && unlinkat(f->dir, f->partial, 0) == 0)
        fd = open_new(f, mode);
    f->fd = out_of_the_way(fd);
    return f->fd >= 0 ? 0 : errno;
}

/* Opens the innermost of *levels date directories, and creates the file in it. */
static int create_at(struct dsn_log_file *f, const struct dsn_log_identity *identity, int *levels, int is_to_be_safe)
{
    int error;

    f->dir = out_of_the_way(open_directory(identity->directory, &identity->start, levels, is_to_be_safe, f->path));
    if (f->dir < 0)
        return errno;
    error = create(f, identity);
    if (error) {
        close(f->dir);
        f->dir = -1;
    }
    return error;
}

/* The user may not create a file there, or the directory was removed. */
static bool is_closed(int error)
{
    return error == EACCES || error == EPERM || error == EROFS || error == ENOENT;
}

/* Uses the innermost date directory that is possible. An unsafe one is better than no log. */
static int create_dated(struct dsn_log_file *f, const struct dsn_log_identity *identity)
{
    const struct tm *date = &identity->start;
    int first = 0, error = ENOENT;

    for (int is_to_be_safe = 1; is_to_be_safe >= 0 && is_closed(error); is_to_be_safe--)
        for (int levels = LEVELS; levels >= 0; levels--) {
            error = create_at(f, identity, &levels, is_to_be_safe);
            if (levels < 0 || !is_closed(error))
                return error;
            if (!first)
                first = levels < LEVELS ? ENOENT : error;
        }
    dsn__format(f->path, sizeof f->path, "%s/%d/%d/%d", identity->directory, number_of(date, 0), number_of(date, 1),
                number_of(date, 2));
    return first;
}

static bool is_free(const struct dsn_log_file *f, const char *name)
{
    struct stat st;

    return dsn__sys_fstatat(f->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0;
}

/* "job.darshan" becomes "job.<pid>.darshan", and, for what the same process does after an exec,
 * "job.<pid>.2.darshan". */
static void add_number(char *out, size_t size, const char *base, int64_t pid, int nth)
{
    static const char usual[] = ".darshan";
    const size_t length = strlen(base), end = sizeof usual - 1;
    const int has_end = length > end && strcmp(base + length - end, usual) == 0;
    char more[16] = "";

    if (nth > 1)
        dsn__format(more, sizeof more, ".%d", nth);
    dsn__format(out, size, "%.*s.%lld%s%s", (int)(has_end ? length - end : length), base, (long long)pid, more,
                has_end ? usual : "");
}

/* The log's own name into f->stem; false: it is taken. */
static bool choose_name(struct dsn_log_file *f, const struct dsn_log_identity *identity, const char *base)
{
    const int most = 1000;

    dsn__format(f->stem, sizeof f->stem, "%.*s", (int)sizeof f->stem - 1, base);
    if (is_free(f, base) && (identity->log_of != DSN_OTHER_LOG ||
                             identity->stands_in)) /* what is collected later belongs to the tree's log */
        return true;
    if (identity->log_of == DSN_FIRST_LOG)
        return false;
    for (int nth = 1; nth < most; nth++) {
        add_number(f->stem, sizeof f->stem, base, identity->pid, nth);
        if (is_free(f, f->stem))
            return true;
    }
    return false;
}

/* A log whose full name the user gives; an existing one is left alone. */
static int create_named(struct dsn_log_file *f, const struct dsn_log_identity *identity)
{
    const char *path = identity->logfile;
    const char *base = strrchr(path, '/');
    int no_levels = 0, error;

    if (strlen(path) >= sizeof f->given)
        return ENAMETOOLONG;
    dsn__format(f->given, sizeof f->given, "%.*s", base ? (int)(base - path + 1) : 1, base ? path : ".");
    base = base ? base + 1 : path;
    f->dir = out_of_the_way(open_directory(f->given, NULL, &no_levels, 0, f->path));
    error = errno;
    dsn__format(f->path, sizeof f->path, "%s", path);
    if (f->dir < 0)
        return error;
    if (strlen(base) + 16 + sizeof partial_suffix > sizeof f->partial)
        return ENAMETOOLONG;
    if (!choose_name(f, identity, base))
        return EEXIST;
    f->is_named = 1;
    /* with the pid: a process that was killed while writing must not block the next */
    dsn__format(f->partial, sizeof f->partial, "%.*s.%lld%s", (int)(sizeof f->partial - sizeof partial_suffix - 20),
                base, (long long)identity->pid, partial_suffix);
    return create(f, identity);
}

int dsn__log_file_create(struct dsn_log_file *f, const struct dsn_log_identity *identity)
{
    const int64_t begin = dsn__now();
    int no_levels = 0, error;

    memset(f, 0, sizeof *f);
    f->dir = f->fd = -1;
    if (identity->logfile[0]) {
        error = create_named(f, identity);
    } else {
        make_stem(f, identity);
        error = identity->is_flat ? create_at(f, identity, &no_levels, 0) : create_dated(f, identity);
    }
    f->took_open = dsn__now() - begin;
    return error;
}

const char *dsn__log_admit_writers(struct dsn_log_file *f, char *out, size_t size)
{
    char link[32];
    ssize_t n;
    int fd;

    dsn__format(link, sizeof link, "/proc/self/fd/%d", f->dir);
    n = readlink(link, out, size);
    if (n <= 0 || (size_t)n + strlen(f->partial) + 2 > size || fchmod(f->fd, 0600) != 0)
        return NULL;
    out[n] = '/';
    memcpy(out + n + 1, f->partial, strlen(f->partial) + 1);
    fd = out_of_the_way(dsn__open_file(f->dir, f->partial, O_RDWR | O_DSYNC, 0));
    if (fd < 0)
        return NULL;
    close(f->fd);
    f->fd = fd;
    return out;
}

static bool drop(int dir, void *partial)
{
    return unlinkat(dir, partial, 0) == 0;
}

void dsn__log_file_drop_partial(const struct dsn_log_identity *identity)
{
    struct dsn_log_file *f = dsn__pages(sizeof *f);

    if (!f)
        return;
    make_stem(f, identity);
    dsn__log_each_directory(identity->directory, identity->is_flat ? NULL : &identity->start, drop, f->partial);
    dsn__pages_free(f);
}

/* Never replaces an existing file, where the file system can guarantee that. */
static int rename_new(int dir, const char *from, const char *to)
{
    if (syscall(SYS_renameat2, dir, from, dir, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM) /* the last: from a sandbox */
        return -1;
    return renameat(dir, from, dir, to);
}

/* In a world-writable directory somebody else may take the name first: then an unpredictable number replaces the
 * seconds. */
static int rename_to_free_name(struct dsn_log_file *f, int64_t seconds, char *name, size_t size)
{
    const char *seed = (const char *)getauxval(AT_RANDOM); /* NOLINT(performance-no-int-to-ptr) */

    for (int i = 0; i < MOST_NAMES; i++) {
        dsn__format(name, size, "%.220s_%lld.darshan", f->stem, (long long)seconds);
        if (rename_new(f->dir, f->partial, name) == 0)
            return 0;
        if (errno != EEXIST)
            break;
        seconds = seed ? (int64_t)(dsn_hash(seed, 16, (uint64_t)dsn__now()) >> 33) : seconds + 1;
    }
    return errno;
}

int dsn__log_file_publish(struct dsn_log_file *f, int64_t seconds)
{
    char name[NAME_MAX + 1];
    int error = 0;

    if (fchmod(f->fd, DSN_LOG_MODE) != 0 && !dsn__is_refused(errno)) /* otherwise only its owner can read it */
        error = errno;
    if (dsn__sync_file(f->fd) != 0)
        error = errno;
    if (close(f->fd) != 0 && error == 0)
        error = errno;
    f->fd = -1;
    if (error == 0 && f->is_named)
        error = rename_new(f->dir, f->partial, f->stem) == 0 ? 0 : errno;
    else if (error == 0)
        error = rename_to_free_name(f, seconds, name, sizeof name);
    if (error == 0 && !f->is_named) {
        size_t at = strlen(f->path);

        dsn__format(f->path + at, sizeof f->path - at, "/%s", name);
    }
    if (error)
        unlinkat(f->dir, f->partial, 0);
    close(f->dir);
    return error;
}

void dsn__log_file_discard(struct dsn_log_file *f)
{
    if (f->fd >= 0) {
        close(f->fd);
        unlinkat(f->dir, f->partial, 0);
    }
    if (f->dir >= 0)
        close(f->dir);
    f->fd = f->dir = -1;
}
