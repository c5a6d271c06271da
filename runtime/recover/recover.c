/* recover.c - darshan-recover: writes logs of jobs that were killed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Leftovers are processed by the code that would have written the log, in a process with the rights of their user, so
 * that manipulated files cannot harm anybody else (base/as-user.h). */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/as-user.h"
#include "base/names-in.h"
#include "base/shown.h"
#include "base/warn.h"
#include "command-line/options.h"
#include "command/places.h"
#include "config/config.h"
#include "config/settings.h"
#include "life/make-log.h"
#include "life/state.h"
#include "survive/recover.h"

#define COMMAND       "darshan-recover"
#define USUAL_SECONDS 60 /* limit of the work for one user */

#define SECONDS_TO_ARRIVE 60 /* rendezvous files this new are left alone */

/* Process trees. */
struct counts {
    atomic_int found, still_running;
    _Atomic(int64_t) running_job; /* of one of these */
};

struct settings {
    int64_t job, pid;
    int has_job, has_pid, all, dry_run, quiet, running;
    struct counts *seen; /* in memory shared with the child processes. NULL: not needed */
    int64_t seconds;     /* per user */
    const char *user;
    uid_t uid;
    const char *output;                                  /* NULL: the jobs' log directories */
    char resolved[PATH_MAX];                             /* directory of a live log */
    char file[2 * PATH_MAX], partial[2 * PATH_MAX + 32]; /* of a live log: final name, and name while it is written */
};

/* ------------------------------------------------------------------ one process tree */

#define HERE "." /* the user's directory is the working directory; its name is for messages */

/* Describes a process tree to the user. */
static void describe(const char *directory, uint64_t key)
{
    struct dsn_leftover_counts left;

    dsn__recover_count(HERE, key, &left);
    if (left.survival_files + left.exit_records == 0) {
        dsn__shown_line("nothing that can be read, in %s (k%016llx)", directory, (unsigned long long)key);
        return;
    }
    dsn__shown_line("job %lld: %d killed or running, %d ended, in %s (k%016llx)%s", (long long)left.jobid,
                    left.survival_files, left.exit_records, directory, (unsigned long long)key,
                    left.running ? ": some of its processes are still running" : "");
}

/* Counts a process tree that is left alone, for its job is running or ending. */
static void count_running(struct counts *seen, uint64_t key)
{
    struct dsn_leftover_counts left;

    dsn__recover_count(HERE, key, &left);
    atomic_store(&seen->running_job, left.jobid);
    atomic_fetch_add(&seen->still_running, 1);
}

static void say_running(struct counts *seen)
{
    const int n = atomic_load(&seen->still_running);
    const long long job = (long long)atomic_load(&seen->running_job);

    if (n == 1)
        dsn__shown_error("left alone job %lld, for processes of it are still running or ending; try again later", job);
    else if (n > 1)
        dsn__shown_error(
            "left alone job %lld and %d more, for processes of them are still running or ending; try again later", job,
            n - 1);
}

static bool is_wanted(const struct settings *s, uint64_t key)
{
    struct dsn_leftover_counts left;

    if (s->has_pid && !dsn__recover_has(HERE, key, s->pid))
        return false;
    if (!s->has_job)
        return true;
    dsn__recover_count(HERE, key, &left);
    return left.jobid == s->job;
}

/* Writes the log of a running job. An existing log of the same name is replaced when the new one is complete. */
static bool snapshot_one(const struct settings *s, const char *directory, uint64_t key)
{
    const int is_file = s->file[0] != '\0';
    char path[PATH_MAX];

    switch (dsn__recover_running(HERE, key, is_file ? s->partial : s->resolved, dsn__make_log, path, sizeof path)) {
    case DSN_RECOVERED:
        if (is_file && rename(s->partial, s->file) != 0)
            break;
        dsn__shown_line("%s", is_file ? s->file : path);
        return false;
    case DSN_RECOVER_NEEDLESS:
        dsn__shown_error("k%016llx in %s: %s; its log is or will be in the log directory", (unsigned long long)key,
                         directory, path);
        return true;
    default:
        dsn__shown_error("%s: %s", is_file ? s->file : s->resolved, path);
        unlink(s->partial);
        return true;
    }
    dsn__shown_error("%s: %s", s->file, strerror(errno));
    unlink(s->partial);
    return true;
}

/* Returns the exit status of the child process. */
static bool recover_one(const struct settings *s, const char *directory, uint64_t key)
{
    char path[PATH_MAX];

    if (!is_wanted(s, key))
        return false;
    if (s->seen)
        atomic_fetch_add(&s->seen->found, 1);
    if (s->dry_run) {
        describe(directory, key);
        return false;
    }
    if (s->running)
        return snapshot_one(s, directory, key);
    switch (dsn__recover(HERE, key, s->output, dsn__make_log, path, sizeof path)) {
    case DSN_RECOVERED:
        dsn__shown_line("%s", path);
        return false;
    case DSN_RECOVER_NEEDLESS:
        return false;
    case DSN_RECOVER_RUNNING:
        if (s->has_job)
            break;
        if (s->seen)
            count_running(s->seen, key);
        return false;
    default:
        break;
    }
    dsn__shown_error("%s/k%016llx-*: %s; its files are kept", directory, (unsigned long long)key, path);
    return true;
}

/* Runs `work` in a child process; returns whether it succeeded. */
static int in_process(int (*work)(void *context), void *context)
{
    int status = 1;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        int rc;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        rc = work(context);
        fflush(NULL);
        _exit(rc);
    }
    if (pid < 0) {
        dsn__shown_error("cannot create a process: %s", strerror(errno));
        return 0;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS)
        dsn__shown_error("a survival file was truncated while it was read; nothing was written, try again");
    else if (WIFSIGNALED(status))
        dsn__shown_error("killed by signal %d; its files are kept", WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct process_tree {
    const struct settings *settings;
    const char *directory;
    uint64_t key;
};

static int process_tree(void *context)
{
    const struct process_tree *f = context;

    return recover_one(f->settings, f->directory, f->key);
}

/* ------------------------------------------------------------------ one directory */

static int key_of(const char *name, uint64_t *key)
{
    char *end;

    if (name[0] != 'k' || strlen(name) < 18 || name[17] != '-')
        return 0;
    errno = 0;
    *key = strtoull(name + 1, &end, 16);
    return errno == 0 && end == name + 17;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Keys of the process trees in a directory, without duplicates (malloc). */
static uint64_t *list_keys(int dir, size_t *n)
{
    struct dsn_names_in *names = dsn__names_in(dir);
    uint64_t *keys = NULL, *grown, key;
    size_t count = 0, once = 0;

    for (const char *name = NULL; names && (name = dsn__next_name(names, name));) {
        if (!key_of(name, &key))
            continue;
        grown = realloc(keys, (count + 1) * sizeof keys[0]);
        if (!grown)
            break;
        keys = grown;
        keys[count++] = key;
    }
    dsn__names_in_free(names);
    if (count > 0)
        qsort(keys, count, sizeof keys[0], by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || keys[i] != keys[i - 1])
            keys[once++] = keys[i];
    *n = once;
    return keys;
}

/* Removes rendezvous files of MPI ranks (life/arrival.h) that were killed. They are empty; live ranks hold a lock on
 * theirs, except just after creating it. */
static void remove_arrivals(int dir)
{
    static const char end[] = ".ranks";
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    struct dsn_names_in *names =
        lseek(dir, 0, SEEK_SET) == 0 ? dsn__names_in(dir) : NULL; /* the directory was read before */

    for (const char *name = NULL; names && (name = dsn__next_name(names, name));) {
        const size_t n = strlen(name), tail = sizeof end - 1;
        struct stat st;
        int fd;

        if (n <= tail || name[0] != 'k' || strcmp(name + n - tail, end) != 0)
            continue;
        fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0 &&
            st.st_mtime < time(NULL) - SECONDS_TO_ARRIVE && fcntl(fd, F_OFD_SETLK, &whole) == 0)
            unlinkat(dir, name, 0);
        if (fd >= 0)
            close(fd);
    }
    dsn__names_in_free(names);
}

/* The directory of the user whom this process has become. It is opened once, and what is in it is reached from there:
 * below a base in which others may rename, its name may be another's by now. */
static int recover_directory(const struct settings *s, const char *base)
{
    char path[PATH_MAX];
    struct process_tree f = { .settings = s, .directory = path };
    uint64_t *keys;
    struct stat st;
    int dir, ok = 1;
    size_t n = 0;

    snprintf(path, sizeof path, "%s/darshan-%u", base, (unsigned)geteuid());
    dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0 || fstat(dir, &st) != 0 || fchdir(dir) != 0) {
        dsn__shown_error("%s: %s", path, strerror(errno));
        return 0;
    }
    if (st.st_uid != geteuid() || (st.st_mode & 077) != 0) {
        close(dir);
        return 1; /* it is not a directory of survival files */
    }
    keys = list_keys(dir, &n);
    if (!s->dry_run && !s->running)
        remove_arrivals(dir);
    close(dir);
    for (size_t i = 0; i < n; i++) {
        f.key = keys[i];
        ok &= in_process(process_tree, &f);
    }
    free(keys);
    return ok;
}

/* ------------------------------------------------------------------ all users */

struct user {
    const struct settings *settings;
    uid_t uid;
    unsigned nbases;
    const char *base[2];
};

struct users {
    const struct settings *settings;
    struct user *user;
    size_t n;
    unsigned places; /* directories of survival files */
};

static int recover_user(void *context)
{
    const struct user *u = context;
    int ok = 1;

    dsn__know_stderr();
    for (unsigned i = 0; i < u->nbases; i++)
        ok &= recover_directory(u->settings, u->base[i]);
    return !ok;
}

static bool add_user(void *context, const char *base, uid_t uid)
{
    struct users *all = context;
    const struct settings *s = all->settings;
    struct user *more;
    size_t i = 0;

    if (!s->all && uid != s->uid)
        return true;
    all->places++;
    if (geteuid() != 0 && geteuid() != uid) {
        dsn__shown_error("%s/darshan-%u: only the user and root may do that; its files are kept", base, (unsigned)uid);
        return false;
    }
    while (i < all->n && all->user[i].uid != uid)
        i++;
    if (i == all->n) {
        more = realloc(all->user, (i + 1) * sizeof *more);
        if (!more)
            return false;
        all->user = more;
        all->user[all->n++] = (struct user){ .settings = s, .uid = uid };
    }
    if (all->user[i].nbases == 0 || all->user[i].base[all->user[i].nbases - 1] != base) /* it can be listed twice */
        all->user[i].base[all->user[i].nbases++] = base;
    return true;
}

/* Each user's directories in a process of that user. Returns whether nothing went wrong. */
static bool recover_all(const struct settings *s)
{
    const struct dsn_user_limits limits = { .seconds = s->seconds, .kept = "its remaining files are kept" };
    struct users all = { .settings = s };
    struct dsn_user_work *work;
    const char *bases[2];
    const unsigned nbases = dsn__command_bases(bases);
    struct stat st;
    int ok = 1;

    for (unsigned i = 0; i < nbases; i++)
        if (stat(bases[i], &st) != 0) {
            dsn__shown_error("%s: %s; survival files are looked for there", bases[i], strerror(errno));
            ok = 0;
        } else {
            ok &= bases[i][0] != '/' || dsn__command_users(bases[i], add_user, &all);
        }
    work = calloc(all.n + 1, sizeof *work);
    for (size_t i = 0; work && i < all.n; i++)
        work[i] = (struct dsn_user_work){ all.user[i].uid, recover_user, &all.user[i] };
    ok &= work && dsn__as_users(work, all.n, &limits) == 0;
    free(work);
    free(all.user);
    if (ok && all.places == 0 && s->quiet && s->has_job)
        dsn__shown_error(
            "no directory of survival files in %s%s%s: no program has been recorded here, or it has others "
            "of these names (DARSHAN_MMAP_LOGPATH)",
            bases[0], nbases > 1 ? " and " : "", nbases > 1 ? bases[1] : "");
    return ok;
}

/* Determines whose leftovers to recover; false: no such user, which was reported. */
static bool find_user(struct settings *s)
{
    s->uid = geteuid();
    if (!s->user || dsn__find_user(s->user, &s->uid))
        return true;
    dsn__shown_error("--user %s: unknown user", s->user);
    return false;
}

/* ------------------------------------------------------------------ options */

static const struct dsn_option options[] = {
    { "mine", NULL, "what one's own jobs have left: the default with any other option", 'm' },
    { "job", "ID", "only what the job with this id has left", 'j' },
    { "user", "NAME", "what this user's jobs have left, instead of one's own (root only)", 'u' },
    { "all", NULL, "what all users' jobs have left (root only; for a batch system's epilog)", 'a' },
    { "live", NULL, "a log of a running job so far: of the process PID and its process tree, or of --job", 'l' },
    { "output", "DIR", "write logs into this directory, instead of where the jobs would have (--live: or to this file)",
      'o' },
    { "dry-run", NULL, "only print what there is", 'n' },
    { "quiet", NULL, "no message if there is nothing to recover", 'q' },
    { "time-limit", "SECONDS", "time limit per user (60)", 't' },
};

static const struct dsn_command command = {
    .name = COMMAND,
    .operands = "--mine | options\n--live PID -o LOG\n--live --job ID -o LOG",
    .purpose =
        "Makes logs of programs that could not write one themselves: killed, aborted, ended without\n"
        "MPI_Finalize. Prints the path of each log. Survival files are removed once the log is on disk; jobs that are\n"
        "still running are left alone.",
    .options = options,
    .noptions = sizeof options / sizeof options[0],
    .note = DSN_COMMAND_BASES,
};

static int take_option(void *context, int letter, const char *argument)
{
    struct settings *s = context;

    switch (letter) {
    case 'j':
        s->has_job = 1;
        return dsn_number(argument, INT64_MIN, &s->job);
    case 'm':
        break;
    case 'u':
        s->user = argument;
        break;
    case 'a':
        s->all = 1;
        break;
    case 'l':
        s->running = 1;
        break;
    case 'o':
        s->output = argument;
        break;
    case 'n':
        s->dry_run = 1;
        break;
    case 'q':
        s->quiet = 1;
        break;
    default:
        return dsn_number(argument, 1, &s->seconds) && s->seconds <= 1000000;
    }
    return 1;
}

/* An argument that is not an option: the process of --live. Returns -1 to continue, else the exit status. */
static int take_process(struct settings *s, const char *word, int is_last)
{
    if (!s->running)
        return dsn_usage(&command, "%s: unexpected argument", word);
    if (!dsn_number(word, 1, &s->pid) || !is_last)
        return dsn_usage(&command, "--live %s: expected one pid", word);
    s->has_pid = 1;
    return -1;
}

/* Likewise. */
static int read_options(struct settings *s, int argc, char **argv)
{
    int status = dsn_options(&command, argc, argv, take_option, s);

    if (status < 0 && optind < argc)
        status = take_process(s, argv[optind], optind + 1 == argc);
    if (status >= 0)
        return status;
    if (argc < 2)
        return dsn_usage(&command, "give --mine to make the logs of one's own jobs, or --dry-run to see what there is");
    if (s->all && s->user)
        return dsn_usage(&command, "--all and --user exclude each other");
    if (s->running && s->has_pid == s->has_job)
        return dsn_usage(&command, "--live needs a pid, or --job");
    if (s->running && !s->output && !s->dry_run)
        return dsn_usage(&command, "--live needs --output: a file, or a directory, for the log");
    return -1;
}

/* Resolves links in the path of the output directory, or of a live log's directory, and sets the log's names. False: it
 * does not exist. */
static bool resolve_output(struct settings *s)
{
    char copy[PATH_MAX], *slash;

    if (realpath(s->output, s->resolved)) {
        struct stat st;

        if (!s->running || (stat(s->resolved, &st) == 0 && S_ISDIR(st.st_mode)))
            return true;
    } else if (!s->running) {
        return false;
    }
    if ((size_t)snprintf(copy, sizeof copy, "%s", s->output) >= sizeof copy) {
        errno = ENAMETOOLONG;
        return false;
    }
    slash = strrchr(copy, '/');
    if (slash)
        *slash = '\0';
    if (!realpath(!slash ? "." : copy[0] ? copy : "/", s->resolved))
        return false;
    snprintf(s->file, sizeof s->file, "%s/%s", s->resolved, slash ? slash + 1 : copy);
    snprintf(s->partial, sizeof s->partial, "%s.new-%ld", s->file, (long)getpid());
    return true;
}

/* Root may name anybody's process. */
static void find_owner(struct settings *s)
{
    char path[64];
    struct stat st;

    snprintf(path, sizeof path, "/proc/%lld", (long long)s->pid);
    if (!s->user && stat(path, &st) == 0)
        s->uid = st.st_uid;
}

/* NULL: no memory. */
static struct counts *shared_counts(void)
{
    void *page = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return page == MAP_FAILED ? NULL : page;
}

int main(int argc, char **argv)
{
    static struct settings s = { .seconds = USUAL_SECONDS };
    const char *bases[2];
    unsigned nbases;
    int ok, status;

    dsn__shown_command(COMMAND);
    status = read_options(&s, argc, argv);
    if (status >= 0)
        return status;
    if (!find_user(&s))
        return 1;
    dsn__know_stderr();
    dsn__config_load(dsn__config, dsn__state.config_text, sizeof dsn__state.config_text);
    nbases = dsn__command_bases(bases);
    if (s.output && !resolve_output(&s)) {
        dsn__shown_error("%s: %s", s.output, strerror(errno));
        return 1;
    }
    s.output = s.output ? s.resolved : NULL;
    if (s.has_pid)
        find_owner(&s);
    s.seen = s.quiet && !s.running ? NULL : shared_counts();
    ok = recover_all(&s);
    if (s.seen)
        say_running(s.seen);
    if (!ok || !s.seen || atomic_load(&s.seen->found) > 0)
        return !ok;
    dsn__shown_error("%s in %s%s%s", s.running ? "no such job is running and recorded" : "there is nothing to recover",
                     bases[0], nbases > 1 ? " and " : "", nbases > 1 ? bases[1] : "");
    return s.running;
}
