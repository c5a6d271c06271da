/* command.c - lbio: runs programs with log-based I/O, lists what is pending, recovers logs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/as-user.h"
#include "base/shown.h"
#include "base/text.h"
#include "command-line/options.h"
#include "lbio/closing.h"
#include "lbio/marker.h"
#include "lbio/options.h"
#include "lbio/profile.h"
#include "lbio/saved.h"
#include "lbio/summary.h"

#define BAD_DATA  1
#define BAD_USAGE 2
#define MOST_LOGS 10000 /* of a user, at a time */

static const struct dsn_command *command_line(void);

/* Names come from logs and directories: all that is printed of them goes through base/shown.h. */
static int complain(const char *what, const char *path, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "lbio %s: ", what);
    dsn__put_shown(stderr, path);
    fprintf(stderr, ": %s\n", why);
    return BAD_DATA;
}

static int misused(const char *why)
{
    return dsn_usage(command_line(), "%s", why);
}

/* ------------------------------------------------------------------ logs of a directory */

struct settings {
    const char *pattern, *options, *logdir, *profile, *user;
    const char *target; /* of the marker, as it was given */
    uint64_t dev, ino;  /* of the target */
    int is_quiet;
    int is_all, is_superuser, discards;
    int64_t seconds; /* for each user, by the superuser */
    uid_t uid;       /* of `user` */
    double timeout;  /* seconds; below 0: none */
};

static void log_directory(const struct settings *s, char *out, size_t size)
{
    struct lbio_options o;

    if (s->logdir) {
        snprintf(out, size, "%s", s->logdir);
        return;
    }
    lbio__options_read(&o, getenv("LBIO_OPTS"));
    lbio__options_logdir(&o);
    snprintf(out, size, "%s", o.logdir);
}

/* A process with a user's rights works elsewhere. 0 and errno. */
static int absolute(const char *path, char *out, size_t size)
{
    char here[PATH_MAX];

    if (path[0] == '/')
        here[0] = '\0';
    else if (!getcwd(here, sizeof here))
        return 0;
    if ((size_t)snprintf(out, size, "%s%s%s", here, *here ? "/" : "", path) < size)
        return 1;
    errno = ENAMETOOLONG;
    return 0;
}

/* What to do with a user's logs; `paths`: absolute, one after another, each with its NUL. */
struct task {
    const struct settings *settings;
    int (*perform)(const struct settings *s, const char *path);
    uid_t uid;
    size_t n, size, room;
    char *paths;
};

struct tasks {
    struct task *task;
    size_t n;
};

/* 0: no memory, or one user has more logs than there can be. */
static int add_task(struct tasks *all, const struct settings *s, uid_t uid, const char *directory, const char *name,
                    int (*perform)(const struct settings *s, const char *path))
{
    const size_t size = strlen(directory) + strlen(name) + 2;
    struct task *t;
    size_t i = 0;

    while (i < all->n && all->task[i].uid != uid)
        i++;
    if (i == all->n) {
        t = realloc(all->task, (i + 1) * sizeof *t);
        if (!t)
            return 0;
        all->task = t;
        all->task[all->n++] = (struct task){ .settings = s, .perform = perform, .uid = uid };
    }
    t = &all->task[i];
    if (t->n == MOST_LOGS)
        return 0;
    if (t->size + size > t->room) {
        const size_t room = 2 * t->room + 2 * size;
        char *more = realloc(t->paths, room);

        if (!more)
            return 0;
        t->paths = more;
        t->room = room;
    }
    snprintf(t->paths + t->size, size, "%s%s%s", directory, *directory ? "/" : "", name);
    t->size += size;
    t->n++;
    return 1;
}

static int perform_task(void *context)
{
    const struct task *t = context;
    int bad = 0;

    for (const char *at = t->paths; at < t->paths + t->size; at += strlen(at) + 1)
        bad |= t->perform(t->settings, at) != 0;
    return bad;
}

/* What is one's own is done here; what is another user's, by root, in a process of that user (base/as-user.h), and by
 * others not at all. Returns whether something is left. */
static int perform_all(const struct settings *s, struct tasks *all)
{
    const struct dsn_user_limits limits = { .seconds = s->seconds, .has_any_size = 1, .kept = "its logs are kept" };
    struct dsn_user_work *work = calloc(all->n + 1, sizeof *work);
    size_t n = 0;
    int bad = !work;

    for (size_t i = 0; work && i < all->n; i++)
        if (all->task[i].uid == geteuid())
            bad |= perform_task(&all->task[i]);
        else if (geteuid() == 0)
            work[n++] = (struct dsn_user_work){ all->task[i].uid, perform_task, &all->task[i] };
    fflush(stdout);
    bad |= work && dsn__as_users(work, n, &limits) > 0;
    for (size_t i = 0; i < all->n; i++)
        free(all->task[i].paths);
    free(all->task);
    free(work);
    return bad;
}

/* Calls perform(directory of a log) for each log, `is_own`: of this user. Returns whether a call failed, or -1: there is
 * no such directory. */
static int each_log(const struct settings *s, const char *what, int is_own,
                    int (*perform)(const struct settings *s, const char *log))
{
    char directory[LBIO_TEXT_MAX], path[PATH_MAX];
    struct tasks all = { NULL, 0 };
    int is_full = 0;
    DIR *d;

    log_directory(s, directory, sizeof directory);
    d = absolute(directory, path, sizeof path) ? opendir(directory) : NULL;
    if (!d) {
        complain(what, directory, strerror(errno));
        return -1;
    }
    for (const struct dirent *e; (e = readdir(d));) {
        uid_t uid;

        if (strncmp(e->d_name, "lbio.", 5) == 0 && dsn__owner_at(dirfd(d), e->d_name, 0, &uid) &&
            (geteuid() == 0 ? !s->user || uid == s->uid : 1) && (uid == geteuid() || (geteuid() == 0 && !is_own)))
            is_full |= !add_task(&all, s, uid, path, e->d_name, perform);
    }
    closedir(d);
    if (is_full)
        complain(what, directory, "there are more logs than can be looked at now; call it again");
    return perform_all(s, &all) || is_full;
}

/* ------------------------------------------------------------------ recover */

static const char *why_no_log(void)
{
    return errno == EBADMSG ? "is not a log of lbio, or is damaged"
           : errno == EPERM ? "is not this user's log, or others can write to it"
                            : strerror(errno);
}

/* `is_kept`: its data stays in the log. Returns 0 or an exit status. */
static int recover_file(const struct settings *s, struct lbio_saved *l, size_t number, int *is_kept)
{
    const struct lbio_saved_file *f = &l->file[number];
    const int64_t bytes = lbio__saved_pending(l, number);
    char where[LBIO_PATH_MAX] = "";

    switch (lbio__saved_write(l, number, where)) {
    case LBIO_WRITTEN:
        if (bytes > 0) {
            dsn__put_shown(stdout, f->path);
            printf(": %lld bytes recovered", (long long)bytes);
            if (strcmp(where, f->path) != 0) {
                fputs(", in ", stdout);
                dsn__put_shown(stdout, where);
            }
            putchar('\n');
        }
        return 0;
    case LBIO_CHANGED:
        fflush(stdout);
        fprintf(stderr, "lbio recover: ");
        dsn__put_shown(stderr, f->path);
        fprintf(stderr,
                ": has been changed, replaced or removed since; %lld bytes that were logged for it are, at their "
                "offsets, in ",
                (long long)bytes);
        dsn__put_shown(stderr, where);
        fputc('\n', stderr);
        return BAD_DATA;
    case LBIO_NOT_THERE:
        complain("recover", f->path,
                 "cannot be found, nor its directory; its data stays in the log (--discard drops it)");
        *is_kept |= !s->discards;
        return !s->discards;
    default:
        *is_kept = 1;
        return complain("recover", f->path, strerror(errno));
    }
}

static int recover_log(const struct settings *s, const char *log)
{
    struct lbio_saved *l = lbio__saved_open(log);
    char lost[128];
    int bad = 0, is_kept = 0;

    if (!l) {
        const int error = errno;

        if (lbio__saved_is_empty(log, 1))
            return 0;
        errno = error;
        return complain("recover", log, why_no_log());
    }
    if (l->is_owned) {
        lbio__saved_close(l);
        return 0; /* its process writes it */
    }
    if (l->unsynced > 0) {
        snprintf(lost, sizeof lost, "the node was restarted: %llu writes that had not been synced are lost",
                 (unsigned long long)l->unsynced);
        bad = complain("recover", log, lost);
    }
    if (l->absent > 0) {
        snprintf(lost, sizeof lost, "the data of %llu writes is not in the log, which stays (--discard drops it)",
                 (unsigned long long)l->absent);
        complain("recover", log, lost);
        is_kept = !s->discards;
        bad |= is_kept;
    }
    for (size_t i = 1; i < l->files; i++)
        if (l->file[i].path)
            bad |= recover_file(s, l, i, &is_kept);
    if (!is_kept && lbio__saved_remove(l) != 0)
        bad = complain("recover", log, strerror(errno));
    lbio__saved_close(l);
    return bad;
}

/* `path`: of something that perform() gets, in a process of its owner. Returns 0 or an exit status. */
static int perform_as_owner(const struct settings *s, const char *what, const char *path, int is_file,
                            int (*perform)(const struct settings *s, const char *path))
{
    char full[PATH_MAX];
    struct tasks all = { NULL, 0 };
    uid_t uid;

    if (!absolute(path, full, sizeof full))
        return complain(what, path, strerror(errno));
    errno = 0;
    if (!dsn__owner_at(AT_FDCWD, full, is_file, &uid)) {
        if (is_file) /* it was there a moment ago */
            return 0;
        return complain(what, path, errno ? strerror(errno) : "is not a directory, or is a user's mount");
    }
    if (geteuid() != 0 && uid != geteuid())
        return complain(what, path, "belongs to another user");
    if (!add_task(&all, s, uid, "", full, perform))
        return complain(what, path, strerror(ENOMEM));
    return perform_all(s, &all) ? BAD_DATA : 0;
}

static int recover(const struct settings *s, int argc, char **argv)
{
    int bad = 0;

    if (!s->is_all && argc == 0)
        return misused("recover needs --all or the directory of a log");
    if (s->is_all)
        bad = each_log(s, "recover", 0, recover_log) != 0;
    for (int i = 0; i < argc; i++)
        bad |= perform_as_owner(s, "recover", argv[i], 0, recover_log) != 0;
    return bad ? BAD_DATA : 0;
}

/* ------------------------------------------------------------------ status, wait, drain */

static int status_of_log(const struct settings *s, const char *log)
{
    struct lbio_saved *l = lbio__saved_open(log);
    int n = 0;

    (void)s;
    if (!l) {
        const int error = errno;

        if (lbio__saved_is_empty(log, 0))
            return 0;
        errno = error;
        return complain("status", log, why_no_log());
    }
    for (size_t i = 1; i < l->files; i++) {
        const int64_t bytes = l->file[i].path ? lbio__saved_pending(l, i) : 0;

        if (bytes == 0)
            continue;
        n++;
        dsn__put_shown(stdout, l->file[i].path);
        printf(": %lld bytes are in the log of %s process %u%s\n", (long long)bytes, l->is_owned ? "running" : "ended",
               l->header.pid, l->is_owned ? "" : ": run lbio recover --all");
    }
    lbio__saved_close(l);
    return n;
}

/* What a network file system has kept of a file's attributes, opening it corrects. Root opens nothing of others. */
static int is_still_there(const char *marker)
{
    const int fd = open(marker, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return errno != ENOENT;
    close(fd);
    return 1;
}

static int has_marker(const char *path, char *marker, size_t size)
{
    char full[PATH_MAX];
    struct stat st;

    if (!realpath(path, full) || !lbio__marker_path(full, marker, size) || lstat(marker, &st) != 0)
        return 0;
    return geteuid() == 0 || is_still_there(marker);
}

static int print_line(const struct lbio_marker_line *line, void *path)
{
    if (line->is_closed) /* it has another log */
        return 0;
    dsn__put_shown(stdout, path);
    fputs(": bytes are in the log ", stdout);
    dsn__put_shown(stdout, line->log);
    fputs(" on ", stdout);
    dsn__put_shown(stdout, line->host);
    fputc('\n', stdout);
    return 0;
}

static int print_marker(const struct settings *s, const char *marker)
{
    return lbio__marker_each(marker, s->is_superuser, print_line, (void *)(uintptr_t)s->target);
}

/* Whatever name the file had when its data was logged. */
static int pending_of_target(const struct settings *s, const char *log)
{
    struct lbio_saved *l = lbio__saved_open(log);
    int is_pending = 0;

    for (size_t i = 1; l && i < l->files; i++) {
        const int64_t bytes =
            l->file[i].path && l->file[i].ino == s->ino && l->file[i].dev == s->dev ? lbio__saved_pending(l, i) : 0;

        if (bytes > 0 && !s->is_quiet) {
            dsn__put_shown(stdout, s->target);
            printf(": %lld bytes are in the log of %s process %u, for ", (long long)bytes,
                   l->is_owned ? "running" : "ended", l->header.pid);
            dsn__put_shown(stdout, l->file[i].path);
            putchar('\n');
        }
        is_pending |= bytes > 0;
    }
    if (l)
        lbio__saved_close(l);
    return is_pending;
}

/* Whether a log of this node has data of the file, which has no marker: it has been renamed. */
static int is_in_a_log(const struct settings *s, const char *path, int is_quiet)
{
    struct settings one = *s;
    char directory[LBIO_TEXT_MAX];
    struct stat st;

    log_directory(s, directory, sizeof directory);
    if (stat(path, &st) != 0 || access(directory, R_OK | X_OK) != 0)
        return 0;
    one.target = path;
    one.dev = st.st_dev;
    one.ino = st.st_ino;
    one.is_quiet = is_quiet;
    return each_log(&one, "status", 0, pending_of_target) > 0;
}

static int status(const struct settings *s, int argc, char **argv)
{
    struct settings one = *s;
    char marker[PATH_MAX];
    int incomplete = 0;

    if (argc == 0)
        return each_log(s, "status", 0, status_of_log) != 0 ? BAD_DATA : 0;
    for (int i = 0; i < argc; i++) {
        one.target = argv[i];
        if (access(argv[i], F_OK) != 0) {
            incomplete = complain("status", argv[i], strerror(errno));
        } else if (has_marker(argv[i], marker, sizeof marker)) {
            if (!s->is_superuser)
                print_marker(&one, marker);
            else
                perform_as_owner(&one, "status", marker, 1, print_marker);
            incomplete = BAD_DATA;
        } else if (is_in_a_log(s, argv[i], 0)) {
            incomplete = BAD_DATA;
        } else {
            dsn__put_shown(stdout, argv[i]);
            puts(": complete");
        }
    }
    return incomplete;
}

static int wait_for(const struct settings *s, int argc, char **argv)
{
    char marker[PATH_MAX];
    double waited = 0;

    if (argc == 0)
        return misused("wait needs a path");
    for (int i = 0; i < argc;) {
        if (access(argv[i], F_OK) != 0)
            return complain("wait", argv[i], strerror(errno));
        if (!has_marker(argv[i], marker, sizeof marker) && !is_in_a_log(s, argv[i], 1)) {
            i++;
            continue;
        }
        if (s->timeout >= 0 && waited >= s->timeout)
            return complain("wait", argv[i], "is not complete yet; lbio status lists the processes with its data");
        poll(NULL, 0, 50);
        waited += 0.05;
    }
    return 0;
}

struct recovery {
    const struct settings *settings;
    int bad;
};

static int recover_line(const struct lbio_marker_line *line, void *data)
{
    struct recovery *r = data;
    struct stat st;
    const int is_there = line->is_own_host && (lstat(line->log, &st) == 0 || errno != ENOENT);

    if (is_there && lstat(line->log, &st) == 0 && st.st_uid == geteuid())
        r->bad |= recover_log(r->settings, line->log) != 0;
    else if (is_there && kill((pid_t)line->pid, 0) != 0 && errno == ESRCH)
        r->bad |= complain("drain", line->log, "belongs to another user than this marker: lbio recover --all");
    return 0;
}

static int recover_marked(const struct settings *s, const char *marker)
{
    struct recovery r = { s, 0 };

    lbio__marker_each(marker, s->is_superuser, recover_line, &r);
    return r.bad;
}

/* Recovers the logs of ended processes, and waits for those of running ones. Root follows a marker only in a process
 * of its owner, whom it may have been made by to mislead root. */
static int drain(const struct settings *s, int argc, char **argv)
{
    char marker[PATH_MAX];
    int bad = 0;

    if (argc == 0)
        return each_log(s, "drain", 0, recover_log) != 0 ? BAD_DATA : 0;
    for (int i = 0; i < argc; i++)
        if (has_marker(argv[i], marker, sizeof marker))
            bad |=
                s->is_superuser ? perform_as_owner(s, "drain", marker, 1, recover_marked) : recover_marked(s, marker);
    return bad ? BAD_DATA : wait_for(s, argc, argv);
}

static int report(const struct settings *s, int argc, char **argv)
{
    int64_t bytes;

    (void)s;
    if (argc != 1)
        return misused("report needs the file given by report=FILE");
    bytes = lbio__summary_print(argv[0], stdout);
    if (bytes < 0)
        return complain("report", argv[0], errno == EBADMSG ? "is not a report of lbio" : strerror(errno));
    return bytes > 0 ? BAD_DATA : 0;
}

/* ------------------------------------------------------------------ run */

/* After the libraries already there, such as libdarshan.so, which then sees the program's own calls. */
static void set_preload(void)
{
    const char *before = getenv("LD_PRELOAD");
    char *value;

    if (asprintf(&value, "%s%s%s", before ? before : "", before && *before ? ":" : "", LBIO_LIBRARY) < 0)
        exit(BAD_DATA);
    setenv("LD_PRELOAD", value, 1);
}

/* Inserts the profile's number of tokens before the options, so that an explicit one overrides it. Returns 0 or an exit
 * status. */
static int set_tokens(const char *profile, const struct lbio_options *o, const char **options)
{
    char why[256], *all;
    int tokens;

    if (!o->slots[0])
        return misused("--profile sets the number of tokens, which needs the option slots=FILE");
    tokens = lbio__profile_tokens(profile, why, sizeof why);
    if (tokens == 0)
        return complain("run", profile, why);
    if (asprintf(&all, "tokens=%d,%s", tokens, *options) < 0)
        return complain("run", profile, strerror(ENOMEM));
    *options = all; /* used until the command ends */
    return 0;
}

static int set_options(const struct settings *s)
{
    struct lbio_options o;
    const char *options = s->options ? s->options : getenv("LBIO_OPTS");
    const char *pattern = s->pattern ? s->pattern : getenv("LBIO_PATTERN");
    regex_t compiled;
    int wrong;

    if (!pattern)
        return misused("run needs --files REGEX, or LBIO_PATTERN");
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return misused("the pattern is not a valid extended regular expression");
    regfree(&compiled);
    wrong = lbio__options_read(&o, options);
    if (wrong >= 0) {
        fprintf(stderr, "lbio: unknown option or invalid value: %.*s; see 'lbio --help'\n",
                (int)strcspn(options + wrong, ","), options + wrong);
        return BAD_USAGE;
    }
    if (s->profile && (wrong = set_tokens(s->profile, &o, &options)) != 0)
        return wrong;
    lbio__options_read(&o, options);
    lbio__options_logdir(&o);
    if (access(o.logdir, W_OK | X_OK) != 0) {
        complain("run", o.logdir, "is not a writable directory for logs; choose one with LBIO_OPTS=logdir=...");
        return BAD_USAGE;
    }
    setenv("LBIO_PATTERN", pattern, 1);
    if (options)
        setenv("LBIO_OPTS", options, 1);
    return 0;
}

/* When the command has ended, retries what its processes could not write or were killed during. */
static int run(const struct settings *s, int argc, char **argv)
{
    struct settings after = *s;
    struct lbio_options o;
    struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
    char closing[PATH_MAX];
    pid_t pid;
    int status, bad, has_closing;

    if (argc == 0)
        return misused("run needs a command");
    status = set_options(s);
    if (status)
        return status;
    lbio__options_read(&o, getenv("LBIO_OPTS"));
    lbio__options_logdir(&o);
    has_closing = lbio__closing_create(o.logdir, closing, sizeof closing) == 0;
    if (has_closing)
        setenv(LBIO_CLOSING, closing, 1);
    pid = fork();
    if (pid == 0) {
        set_preload();
        execvp(argv[0], argv);
        complain("run", argv[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    after.logdir = o.logdir;
    if (o.end == LBIO_END_LEAVE)
        bad = 0;
    else if (freopen("/dev/null", "w", stdout)) /* lbio must not write to the command's output */
        bad = each_log(&after, "run", 1, recover_log);
    else
        bad = -1;
    if (pid < 0)
        return complain("run", argv[0], strerror(errno));
    if (has_closing)
        lbio__closing_print(closing, getenv("LBIO_PATTERN"), stderr);
    if (WIFSIGNALED(status))
        return 128 + WTERMSIG(status);
    return WEXITSTATUS(status) == 0 && bad != 0 ? BAD_DATA : WEXITSTATUS(status);
}

/* ------------------------------------------------------------------ options */

enum { FILES = 256, OPTIONS, PROFILE, LOGDIR, TIMEOUT, TIME_LIMIT, USER, ALL, DISCARD };

static const struct dsn_option options[] = {
    { "files", "REGEX", "run: the files (POSIX extended; matches absolute paths; default: LBIO_PATTERN)", FILES },
    { "options", "OPTIONS", "run: key=value,... as below (LBIO_OPTS)", OPTIONS },
    { "profile", "FILE",
      "run: a storage profile of darshan-sweep, whose best number of writers is that of tokens, unless OPTIONS say "
      "tokens=N; needs slots",
      PROFILE },
    { "logdir", "DIR", "status, recover, drain: where the logs are, if not where the option logdir says", LOGDIR },
    { "timeout", "SECONDS", "wait: no longer than this", TIMEOUT },
    { "all", NULL, "recover: all logs in DIR; for root each with the rights of its owner, several users side by side",
      ALL },
    { "user", "NAME", "recover: those of this user", USER },
    { "time-limit", "SECONDS", "recover: for each user, 1 to 1000000 (240)", TIME_LIMIT },
    { "discard", NULL,
      "recover: removes logs whose files have been replaced or cannot be found, too; their data is lost", DISCARD },
};

/* -1: not a number within these bounds */
static int64_t number_within(const char *text, int64_t least, int64_t most)
{
    int64_t n;
    const char *end = dsn__number(text, &n);

    return end && !*end && n >= least && n <= most ? n : -1;
}

/* 0: its argument is wrong */
static int take_option(void *context, int value, const char *argument)
{
    struct settings *s = context;
    char *end;

    switch (value) {
    case FILES:
        s->pattern = argument;
        return 1;
    case OPTIONS:
        s->options = argument;
        return 1;
    case PROFILE:
        s->profile = argument;
        return 1;
    case LOGDIR:
        s->logdir = argument;
        return 1;
    case TIMEOUT:
        s->timeout = strtod(argument, &end);
        return end != argument && !*end && s->timeout >= 0;
    case TIME_LIMIT:
        return (s->seconds = number_within(argument, 1, 1000000)) > 0;
    case USER:
        s->user = argument;
        s->is_all = 1;
        return dsn__find_user(argument, &s->uid);
    case ALL:
        return s->is_all = 1;
    default:
        return s->discards = 1;
    }
}

static const struct {
    const char *name;
    int (*perform)(const struct settings *s, int argc, char **argv);
    const char *operands, *does;
} words[] = {
    { "run", run, "[--files REGEX] [--options OPTIONS] [--profile FILE] [--] COMMAND [ARGUMENT]...",
      "runs a command; its writes to matching files go to a log on a local disk, and to the files in the background; "
      "when it returns all files are complete" },
    { "status", status, "[--logdir DIR] [PATH]",
      "lists incomplete files, and the processes whose logs have their data; exit status 1 if there are any" },
    { "wait", wait_for, "[--timeout SECONDS] PATH...",
      "waits until the files are complete; exit status 1 if that takes longer than SECONDS" },
    { "recover", recover, "[--discard] [--logdir DIR] --all | --user NAME | DIRECTORY...",
      "writes what killed processes have left in their logs to the files, and removes the logs; exit status 1 if "
      "something is left. Can be repeated" },
    { "drain", drain, "[--logdir DIR] [PATH]",
      "recovers logs of ended processes with data of PATH, or all of them, and waits for running processes" },
    { "report", report, "FILE",
      "prints what the processes of a run with the option report=FILE have done, and which bytes several of them wrote "
      "concurrently: exit status 1 if there are any. FILE must be on a file system that all nodes share" },
};
#define NWORDS (sizeof words / sizeof words[0])

/* What it is called with; --help is made of the tables. */
static const struct dsn_command *command_line(void)
{
    static char operands[1024], purpose[4096], note[6144];
    static const struct dsn_command command = { "lbio", operands, purpose, options, sizeof options / sizeof options[0],
                                                note };
    const char *key, *choice, *help;
    size_t o = 0, p = 0, n;

    for (size_t i = 0; i < NWORDS; i++) {
        o += (size_t)snprintf(operands + o, sizeof operands - o, "%s%s %s", i ? "\n" : "", words[i].name,
                              words[i].operands);
        p += (size_t)snprintf(purpose + p, sizeof purpose - p, "  %-9s  %s\n", words[i].name, words[i].does);
    }
    purpose[p - 1] = '\0';
    n = (size_t)snprintf(note, sizeof note, "OPTIONS:\n\n");
    for (size_t i = 0; lbio__option_help(i, &key, &choice, &help); i++)
        n += (size_t)snprintf(note + n, sizeof note - n, "  %-10s  %s%s%s%s\n", key, help, *choice ? " (" : "", choice,
                              *choice ? ")" : "");
    return &command;
}

int main(int argc, char **argv)
{
    struct settings s = { .timeout = -1, .seconds = 240, .is_superuser = geteuid() == 0 };
    const char *word = argc > 1 ? argv[1] : "";
    const int has_word = *word && *word != '-';
    struct dsn_nearest nearest = { .word = word };
    int rc;

    dsn__shown_command("lbio");
    rc = dsn_options(command_line(), argc - has_word, argv + has_word, take_option, &s);
    if (rc >= 0)
        return rc;
    if (!has_word)
        return misused(argc > 1 ? "the command must come first" : "no command given");
    for (size_t i = 0; i < NWORDS; i++) {
        dsn_nearest(&nearest, words[i].name);
        if (strcmp(word, words[i].name) == 0)
            return words[i].perform(&s, argc - 1 - optind, argv + 1 + optind);
    }
    return dsn_unknown(command_line(), &nearest);
}
