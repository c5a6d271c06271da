/* logname.c - directory and name of the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "out/logname.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/environment.h"
#include "core/kernel.h"
#include "core/open-file.h"
#include "core/pages.h"
#include "core/state.h"
#include "core/text.h"
#include "core/value.h"

#define MODE_WHILE_WRITING 0400

static const char partial_suffix[] = ".darshan_partial";

static void make_stem(struct dsn_log_file *f, int64_t jobid, const struct tm *start)
{
    const struct dsn_origin *o = &dsn__state.origin;
    const uint64_t key = o->is_final ? o->key : dsn__family_log_key(&dsn__state.family, o->key);

    dsn__format(f->stem, sizeof f->stem, "%s_%s_id%lld-%ld_%d-%d-%d-%llu", o->user, o->program, (long long)jobid,
                (long)dsn__state.pid, start->tm_mon + 1, start->tm_mday,
                start->tm_hour * 3600 + start->tm_min * 60 + start->tm_sec, (unsigned long long)key);
    dsn__format(f->partial, sizeof f->partial, "%.*s%s", (int)sizeof f->stem - 32, f->stem, partial_suffix);
}

/* The directory of the variables that the site configured, or NULL. */
static const char *path_by_env(const struct dsn_config *c)
{
    const char *list = c->path_by_env ? c->path_by_env : "", *item;
    char name[256];
    size_t n;

    while ((n = dsn__next_item(&list, &item)) > 0) {
        const char *value = NULL;

        if ((size_t)dsn__format(name, sizeof name, "%.*s", (int)n, item) < sizeof name)
            value = dsn__environment_get(name);
        if (value && *value)
            return value;
    }
    return NULL;
}

const char *dsn__log_directory(const struct dsn_config *c, int *is_flat)
{
    const char *by_env = c->from.logpath == DSN_BY_ENVIRONMENT ? NULL : path_by_env(c);

    *is_flat = by_env != NULL;
    return by_env ? by_env : c->logpath;
}

/* Goes down into a directory of the date, made if it is missing: as open to others as the one above it, whatever the
 * user's umask is, for other users' logs go there, too. */
static int descend(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat above;

    if (fd >= 0 || errno != ENOENT || dsn__sys_fstat(dir, &above) != 0)
        return fd;
    if (mkdirat(dir, name, 0700) == 0)
        fchmodat(dir, name, above.st_mode & 07777, 0);
    else if (errno != EEXIST)
        return -1;
    return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A high number: programs close and use the low ones, the standard streams' above all, without asking who has them. But
 * one that the kernel's first table of 64 has room for: to get a larger one, a process with threads, as those of MPI
 * are, waits for all processors to pass the scheduler, 5 ms and more. */
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

/* Opens <path>/<year>/<month>/<day>, or <path> itself without a date. */
static int open_directory(struct dsn_log_file *f, const char *path, const struct tm *date)
{
    const int number[3] = { date ? date->tm_year + 1900 : 0, date ? date->tm_mon + 1 : 0, date ? date->tm_mday : 0 };
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error, next;
    char name[16];

    dsn__format(f->path, sizeof f->path, "%s", path);
    for (int i = 0; date && i < 3 && dir >= 0; i++) {
        size_t at = strlen(f->path);

        dsn__format(name, sizeof name, "%d", number[i]);
        dsn__format(f->path + at, sizeof f->path - at, "/%s", name);
        next = descend(dir, name);
        error = errno;
        close(dir);
        errno = error;
        dir = next;
    }
    f->dir = out_of_the_way(dir);
    return dir >= 0 ? 0 : errno;
}

static int open_new(const struct dsn_log_file *f, int mode)
{
    return dsn__open_file(f->dir, f->partial, O_RDWR | O_CREAT | O_EXCL, mode);
}

/* Who makes the log in the place of another process finds what that one was writing when it was killed. */
static int create(struct dsn_log_file *f, int mode)
{
    int fd = open_new(f, mode);

    if (fd < 0 && errno == EEXIST && dsn__state.origin.is_final && unlinkat(f->dir, f->partial, 0) == 0)
        fd = open_new(f, mode);
    f->fd = out_of_the_way(fd);
    return f->fd >= 0 ? 0 : errno;
}

static int is_free(const struct dsn_log_file *f, const char *name)
{
    struct stat st;

    return fstatat(f->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0;
}

/* "job.darshan" becomes "job.<pid>.darshan", and, for what the same process does after an exec, "job.<pid>.2.darshan". */
static void add_number(char *out, size_t size, const char *base, int nth)
{
    static const char usual[] = ".darshan";
    const size_t length = strlen(base), end = sizeof usual - 1;
    const int has_end = length > end && strcmp(base + length - end, usual) == 0;
    char more[16] = "";

    if (nth > 1)
        dsn__format(more, sizeof more, ".%d", nth);
    dsn__format(out, size, "%.*s.%ld%s%s", (int)(has_end ? length - end : length), base, (long)dsn__state.pid, more,
                has_end ? usual : "");
}

/* The log's own name into f->stem; 0: it is taken. */
static int choose_name(struct dsn_log_file *f, const char *base)
{
    const int of = dsn__state.origin.log_of, most = 1000;

    dsn__format(f->stem, sizeof f->stem, "%.*s", (int)sizeof f->stem - 1, base);
    if (of == DSN_FIRST_LOG || (of == DSN_NEXT_LOG && is_free(f, base)))
        return is_free(f, base);
    for (int nth = 1; nth < most; nth++) {
        add_number(f->stem, sizeof f->stem, base, nth);
        if (is_free(f, f->stem))
            return 1;
    }
    return 0;
}

/* A log whose whole name the user gives; one that exists already is left alone. */
static int create_named(struct dsn_log_file *f, const char *path)
{
    const char *base = strrchr(path, '/');
    int error;

    if (strlen(path) >= sizeof f->given)
        return ENAMETOOLONG;
    dsn__format(f->given, sizeof f->given, "%.*s", base ? (int)(base - path + 1) : 1, base ? path : ".");
    base = base ? base + 1 : path;
    error = open_directory(f, f->given, NULL);
    dsn__format(f->path, sizeof f->path, "%s", path);
    if (error != 0)
        return error;
    if (strlen(base) + 16 + sizeof partial_suffix > sizeof f->partial)
        return ENAMETOOLONG;
    if (!choose_name(f, base))
        return EEXIST;
    f->is_named = 1;
    /* with the process's number: one that was killed while writing must not block the next */
    dsn__format(f->partial, sizeof f->partial, "%.*s.%ld%s", (int)(sizeof f->partial - sizeof partial_suffix - 16),
                base, (long)dsn__state.pid, partial_suffix);
    return create(f, MODE_WHILE_WRITING);
}

int dsn__log_create(struct dsn_log_file *f, int64_t jobid)
{
    const struct dsn_origin *o = &dsn__state.origin;
    const char *logfile = o->is_final ? o->logfile : dsn__state.config.logfile;
    const struct tm *start = &dsn__state.start_local;
    const int64_t begin = dsn__now();
    const char *directory = o->directory;
    int is_flat = o->is_flat, error;

    memset(f, 0, sizeof *f);
    f->dir = f->fd = -1;
    if (!o->is_final)
        directory = dsn__log_directory(&dsn__state.config, &is_flat);
    if (logfile[0]) {
        error = create_named(f, logfile);
    } else {
        make_stem(f, jobid, start);
        error = open_directory(f, directory, is_flat ? NULL : start);
        if (!error)
            error = create(f, MODE_WHILE_WRITING);
    }
    f->took_open = dsn__now() - begin;
    return error;
}

void dsn__log_drop_partial(void)
{
    const struct dsn_origin *o = &dsn__state.origin;
    const struct tm *start = &dsn__state.start_local;
    struct dsn_log_file *f = dsn__pages(sizeof *f);

    if (!f)
        return;
    make_stem(f, o->jobid, start);
    if (open_directory(f, o->directory, o->is_flat ? NULL : start) == 0) {
        unlinkat(f->dir, f->partial, 0);
        close(f->dir);
    }
    dsn__pages_free(f);
}

/* Never over a file that is there, where the file system can promise that. */
static int rename_new(int dir, const char *from, const char *to)
{
    if (syscall(SYS_renameat2, dir, from, dir, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM) /* the last: a sandbox's answer */
        return -1;
    return renameat(dir, from, dir, to);
}

int dsn__log_finish(struct dsn_log_file *f, int64_t seconds)
{
    char name[NAME_MAX + 1];
    int error = 0;

    if (f->is_named)
        dsn__format(name, sizeof name, "%s", f->stem);
    else
        dsn__format(name, sizeof name, "%.220s_%lld.darshan", f->stem, (long long)seconds);
    if (fchmod(f->fd, DSN_LOG_MODE) != 0 && !dsn__is_refused(errno)) /* else only its owner can read it */
        error = errno;
    if (dsn__sync_file(f->fd) != 0)
        error = errno;
    if (close(f->fd) != 0 && error == 0)
        error = errno;
    f->fd = -1;
    if (error == 0 && rename_new(f->dir, f->partial, name) != 0)
        error = errno;
    if (!f->is_named) {
        size_t at = strlen(f->path);

        dsn__format(f->path + at, sizeof f->path - at, "/%s", name);
    }
    if (error)
        unlinkat(f->dir, f->partial, 0);
    close(f->dir);
    return error;
}

void dsn__log_discard(struct dsn_log_file *f)
{
    if (f->fd >= 0) {
        close(f->fd);
        unlinkat(f->dir, f->partial, 0);
    }
    if (f->dir >= 0)
        close(f->dir);
    f->fd = f->dir = -1;
}
