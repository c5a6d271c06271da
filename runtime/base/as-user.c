/* as-user.c - work on what users have left, by processes that can do no more than those users
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/as-user.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/shown.h"

#define NOGROUP      65534
#define AT_ONCE      16             /* users */
#define GRACE        1000           /* ms for a killed process: one that a user's file system holds does not end */
#define MOST_OUTPUT  (1 << 20)      /* bytes a user, on each of two streams */
#define ALL_TOGETHER 10             /* times the limit of a user */
#define LINE         (2 * PATH_MAX) /* bytes of a longer one are printed as several */

/* Whether the file system of this device is a program of a user, mounted by FUSE: that may say that its files are anybody's.
 * Never asks the file system itself: a device of FUSE is always that of its mount (of btrfs, for one, it is not). */
static bool is_of_user(dev_t device)
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    unsigned major, minor;
    char *line = NULL;
    size_t room = 0;
    int answer = 0;

    while (mounts && getline(&line, &room, mounts) > 0) {
        const char *type = strstr(line, " - "), *options = strrchr(line, ' '); /* blanks within names are escaped */
        const char *by = options ? strstr(options, "user_id=") : NULL;

        if (type && sscanf(line, "%*u %*u %u:%u", &major, &minor) == 2 && makedev(major, minor) == device) {
            answer = strncmp(type, " - fuse", 7) == 0 && (!by || atol(by + 8) != 0);
            break;
        }
    }
    free(line);
    if (mounts)
        fclose(mounts);
    return answer;
}

bool dsn__owner_at(int dir, const char *name, int is_file, uid_t *uid)
{
    struct stat st;

#if defined SYS_statx && defined AT_STATX_DONT_SYNC
    struct statx x;

    if (syscall(SYS_statx, dir, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
                STATX_TYPE | STATX_UID, &x) == 0) {
        *uid = x.stx_uid;
        return (is_file ? S_ISREG(x.stx_mode) : S_ISDIR(x.stx_mode)) &&
               (geteuid() != 0 || !is_of_user(makedev(x.stx_dev_major, x.stx_dev_minor)));
    }
    if (errno != ENOSYS && errno != EPERM)
        return false;
#endif
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0)
        return false;
    *uid = st.st_uid;
    return (is_file ? S_ISREG(st.st_mode) : S_ISDIR(st.st_mode)) && (geteuid() != 0 || !is_of_user(st.st_dev));
}

bool dsn__find_user(const char *name, uid_t *uid)
{
    const struct passwd *user = getpwnam(name);
    unsigned long number;
    char *end;

    if (user) {
        *uid = user->pw_uid;
        return true;
    }
    number = strtoul(name, &end, 10);
    *uid = (uid_t)number;
    return *end == '\0' && end > name && name[0] != '-' && number < UINT32_MAX;
}

/* ------------------------------------------------------------------ the process */

static bool is_refused(uid_t uid, const char *what)
{
    dsn__shown_error("user %u: %s: %s; nothing of this user was changed", (unsigned)uid, what, strerror(errno));
    return false;
}

/* The groups of the user database, while this is still root. Where it cannot be asked there is no guess. */
static bool become(uid_t uid)
{
    struct passwd entry, *user = NULL;
    char *text;
    gid_t group;
    int error;

    if (geteuid() != 0 || uid == 0)
        return true;
    text = malloc(1 << 20);
    error = text ? getpwuid_r(uid, &entry, text, 1 << 20, &user) : ENOMEM;
    errno = error;
    if (!user && error != 0 && error != ENOENT && error != ESRCH)
        return is_refused(uid, "the user database does not respond");
    group = user ? user->pw_gid : NOGROUP;
    if ((user ? initgroups(user->pw_name, group) : setgroups(0, NULL)) != 0 || setresgid(group, group, group) != 0)
        return is_refused(uid, "cannot set its groups");
    free(text);
    if (setresuid(uid, uid, uid) != 0 || getuid() != uid || geteuid() != uid || setuid(0) == 0)
        return is_refused(uid, "cannot change to that user");
    return true;
}

static void lower(int what, rlim_t most)
{
    struct rlimit limit;

    if (getrlimit(what, &limit) != 0)
        return;
    limit.rlim_max = limit.rlim_max < most ? limit.rlim_max : most;
    limit.rlim_cur = limit.rlim_cur < limit.rlim_max ? limit.rlim_cur : limit.rlim_max;
    setrlimit(what, &limit);
}

/* `share`: how many processes have half of the machine's memory together. */
static void set_limits(rlim_t seconds, rlim_t share, int has_any_size)
{
    const rlim_t memory = (rlim_t)sysconf(_SC_PHYS_PAGES) / 2 * (rlim_t)sysconf(_SC_PAGESIZE);

    lower(RLIMIT_CORE, 0);
    lower(RLIMIT_CPU, seconds);
    lower(RLIMIT_AS, memory / share);
    if (!has_any_size)
        lower(RLIMIT_FSIZE, memory);
    lower(RLIMIT_NOFILE, 256);
}

static void close_others(void)
{
    const long most = sysconf(_SC_OPEN_MAX);

    if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0)
        return;
    for (int fd = 3; fd < most && fd < 65536; fd++)
        close(fd);
}

/* Signals, files and the working directory as in a process that nobody has started. `standard`: -1: none; there may be
 * no /dev/null. */
static bool detach(uid_t uid, const int standard[3])
{
    int null = open("/dev/null", O_RDWR);
    sigset_t none;

    setsid();
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
#ifdef SYS_memfd_create
    if (null < 0)
        null = (int)syscall(SYS_memfd_create, "null", 0U);
#endif
    for (int i = 2; i >= 0; i--) /* stderr first: it says what is wrong with the others */
        if (dup2(standard[i] >= 0 ? standard[i] : null, i) < 0)
            return is_refused(uid, "/dev/null");
    if (chdir("/") != 0)
        return is_refused(uid, "/");
    close_others();
    umask(022);
    return true;
}

static _Noreturn void be_user(const struct dsn_user_work *w, const int standard[3], pid_t parent, rlim_t seconds,
                              rlim_t share, int has_any_size)
{
    int rc = 1;

    if (!detach(w->uid, standard))
        _exit(1);
    set_limits(seconds, share, has_any_size);
    if (become(w->uid)) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        prctl(PR_SET_DUMPABLE, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* the kernel has dropped what was set as root */
        if (getppid() == parent)
            rc = w->work(w->context);
    }
    fflush(NULL);
    _exit(rc != 0);
}

static void kill_all(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
}

/* ------------------------------------------------------------------ work that goes on */

bool dsn__user_process_begin(struct dsn_user_process *p, uid_t uid, int (*work)(void *context), void *context)
{
    const struct dsn_user_work w = { uid, work, context };
    const pid_t parent = getpid();
    int in[2], out[2];

    fflush(NULL);
    if (pipe2(in, O_CLOEXEC) != 0)
        return is_refused(uid, "no pipe can be made");
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return is_refused(uid, "no pipe can be made");
    }
    p->pid = fork();
    if (p->pid == 0)
        be_user(&w, (const int[]){ in[0], out[1], -1 }, parent, RLIM_INFINITY, AT_ONCE / 2, 0);
    close(in[0]);
    close(out[1]);
    p->to = in[1];
    p->from = out[0];
    if (p->pid > 0)
        return true;
    close(p->to);
    close(p->from);
    return is_refused(uid, "no process can be made");
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Whether it has ended by then, killed if need be. What a user's own file system holds in a call does not end; nobody
 * waits for that. */
static bool reap(pid_t pid, int *status)
{
    const struct timespec nap = { 0, 1000000 };
    const int64_t deadline = now_ms() + GRACE;

    kill_all(pid);
    while (waitpid(pid, status, WNOHANG) != pid) {
        if (now_ms() >= deadline)
            return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

void dsn__user_process_end(struct dsn_user_process *p)
{
    int status;

    close(p->to);
    close(p->from);
    reap(p->pid, &status);
    p->pid = 0;
}

/* ------------------------------------------------------------------ the one that waits for them */

struct stream {
    int fd; /* -1: at its end */
    FILE *to;
    size_t used, all;
    char line[LINE + 1];
};

static void end_line(struct stream *s)
{
    s->line[s->used] = '\0';
    if (s->all <= MOST_OUTPUT) {
        dsn__put_shown(s->to, s->line);
        putc('\n', s->to);
        fflush(s->to);
    }
    s->used = 0;
}

/* Passes on what is there; a pipe has no more than 64 KiB. */
static void pass_on(struct stream *s)
{
    char bytes[4096];
    ssize_t n;

    for (int i = 0; i < 17 && s->fd >= 0 && ((n = read(s->fd, bytes, sizeof bytes)) >= 0 || errno != EAGAIN); i++) {
        for (ssize_t at = 0; at < n; at++) {
            if (bytes[at] == '\n' || s->used == LINE)
                end_line(s);
            if (bytes[at] != '\n')
                s->line[s->used++] = bytes[at] ? bytes[at] : '?';
        }
        s->all += n > 0 ? (size_t)n : 0;
        if (n > 0 || (n < 0 && errno == EINTR))
            continue;
        if (s->used > 0)
            end_line(s);
        close(s->fd);
        s->fd = -1;
    }
}

struct running {
    pid_t pid; /* 0: none */
    uid_t uid;
    int64_t deadline;
    struct stream stream[2];
};

static bool begin_work(struct running *r, const struct dsn_user_work *w, const struct dsn_user_limits *limits,
                       size_t share)
{
    const pid_t parent = getpid();
    int out[2], err[2];

    if (pipe2(out, O_CLOEXEC) != 0)
        return is_refused(w->uid, "cannot create a pipe");
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return is_refused(w->uid, "cannot create a pipe");
    }
    fflush(NULL);
    r->pid = fork();
    if (r->pid == 0)
        be_user(w, (const int[]){ -1, out[1], err[1] }, parent, (rlim_t)limits->seconds + 1, share,
                limits->has_any_size);
    close(out[1]);
    close(err[1]);
    if (r->pid < 0) {
        close(out[0]);
        close(err[0]);
        r->pid = 0;
        return is_refused(w->uid, "cannot create a process");
    }
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    r->uid = w->uid;
    r->deadline = now_ms() + limits->seconds * 1000;
    r->stream[0] = (struct stream){ .fd = out[0], .to = stdout };
    r->stream[1] = (struct stream){ .fd = err[0], .to = stderr };
    return true;
}

/* Whether it has succeeded, now that it has ended, or its time has. */
static bool end(struct running *r, int has_time, const struct dsn_user_limits *limits)
{
    int status = 1, has_ended = reap(r->pid, &status);

    for (int i = 0; i < 2; i++) {
        pass_on(&r->stream[i]);
        if (r->stream[i].fd >= 0)
            close(r->stream[i].fd);
    }
    r->pid = 0;
    if (!has_time)
        dsn__shown_error("user %u: not finished within %lld s (--time-limit); %s", (unsigned)r->uid,
                         (long long)limits->seconds, limits->kept);
    else if (has_ended && WIFSIGNALED(status))
        dsn__shown_error("user %u: killed by signal %d; %s", (unsigned)r->uid, WTERMSIG(status), limits->kept);
    return has_time && has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* It stays a zombie, so that its number stays its own. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = { 0 };

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* So that no pipe has the number of a standard stream that is closed. */
static void have_standard_streams(void)
{
    int fd;

    while ((fd = open("/", O_PATH | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd >= 0)
        close(fd);
}

size_t dsn__as_users(const struct dsn_user_work *work, size_t n, const struct dsn_user_limits *limits)
{
    static struct running place[AT_ONCE];
    const size_t places = n < AT_ONCE ? n : AT_ONCE;
    const int64_t deadline = now_ms() + ALL_TOGETHER * limits->seconds * 1000;
    size_t next = 0, running = 0, failed = 0;

    have_standard_streams();
    while (next < n || running > 0) {
        if (next < n && now_ms() >= deadline) { /* one user can have very many numbers */
            dsn__shown_error("%zu more users: not begun within %lld s; %s", n - next,
                             ALL_TOGETHER * (long long)limits->seconds, limits->kept);
            failed += n - next;
            next = n;
        }
        struct pollfd p[2 * AT_ONCE];
        nfds_t open = 0;
        int pause = 20; /* ms: a descendant may hold the streams of one that has ended */

        for (size_t i = 0; i < places; i++) {
            struct running *r = &place[i];
            int is_over;

            if (r->pid > 0 && ((is_over = has_ended(r->pid)) || now_ms() >= r->deadline)) {
                failed += !end(r, is_over, limits);
                running--;
            }
            for (; r->pid == 0 && next < n; next++)
                if (begin_work(r, &work[next], limits, places))
                    running++;
                else
                    failed++;
            for (int k = 0; r->pid > 0 && k < 2; k++)
                if (r->stream[k].fd >= 0)
                    p[open++] = (struct pollfd){ r->stream[k].fd, POLLIN, 0 };
            if (r->pid > 0 && r->stream[0].fd < 0 && r->stream[1].fd < 0)
                pause = 1;
        }
        if (running > 0)
            poll(p, open, pause);
        for (size_t i = 0; i < places; i++)
            for (int k = 0; place[i].pid > 0 && k < 2; k++)
                pass_on(&place[i].stream[k]);
    }
    return failed;
}
