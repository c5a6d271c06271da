/* as-user.c - work on what a user has left, by a process that can do no more than that user
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "command/as-user.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/warn.h"
#include "command/options.h"

#define NOGROUP     65534
#define MOST_OUTPUT (1 << 20) /* bytes a user, on each of two streams */
#define LINE        4096      /* bytes of a longer one are printed as several */

/* ------------------------------------------------------------------ the process */

static int is_refused(uid_t uid, const char *what)
{
    dsn__shown_error("user %u: %s: %s; its files are kept", (unsigned)uid, what, strerror(errno));
    return 0;
}

/* The groups of the user database, while this is still root. Where it cannot be asked there is no guess. */
static int take_groups(uid_t uid)
{
    struct passwd entry, *user = NULL;
    char *text = malloc(1 << 20);
    const int error = text ? getpwuid_r(uid, &entry, text, 1 << 20, &user) : ENOMEM;
    const int is_unknown = !user && (error == 0 || error == ENOENT || error == ESRCH);
    const gid_t group = user ? user->pw_gid : NOGROUP;
    int ok;

    errno = error;
    if (!user && !is_unknown)
        ok = is_refused(uid, "the user database does not respond");
    else
        ok = ((user ? initgroups(user->pw_name, group) : setgroups(0, NULL)) == 0 &&
              setresgid(group, group, group) == 0) ||
             is_refused(uid, "cannot set its groups");
    free(text);
    return ok;
}

static int become(uid_t uid)
{
    if (geteuid() != 0 || uid == 0)
        return 1;
    if (!take_groups(uid))
        return 0;
    if (setresuid(uid, uid, uid) != 0 || getuid() != uid || geteuid() != uid || setuid(0) == 0)
        return is_refused(uid, "cannot change to that user");
    return 1;
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

static void set_limits(rlim_t seconds)
{
    const rlim_t memory = (rlim_t)sysconf(_SC_PHYS_PAGES) / 2 * (rlim_t)sysconf(_SC_PAGESIZE);

    lower(RLIMIT_CORE, 0);
    lower(RLIMIT_CPU, seconds);
    lower(RLIMIT_AS, memory);
    lower(RLIMIT_FSIZE, memory);
    lower(RLIMIT_NOFILE, 256);
}

static void close_others(void)
{
    const long most = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0)
        return;
#endif
    for (int fd = 3; fd < most && fd < 65536; fd++)
        close(fd);
}

/* Signals, files and the working directory as in a process that nobody has started; -1: /dev/null. */
static int detach(const int standard[3])
{
    const int null = open("/dev/null", O_RDWR);
    sigset_t none;

    setsid();
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 0; i < 3; i++)
        if (null < 0 || dup2(standard[i] >= 0 ? standard[i] : null, i) < 0)
            return 0;
    if (chdir("/") != 0)
        return 0;
    close_others();
    umask(022);
    dsn__know_stderr();
    return 1;
}

static _Noreturn void be_user(uid_t uid, rlim_t seconds, const int standard[3], pid_t parent,
                              int (*work)(void *context), void *context)
{
    int rc = 1;

    if (!detach(standard))
        _exit(1);
    set_limits(seconds);
    if (become(uid)) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        prctl(PR_SET_DUMPABLE, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* the kernel has dropped what was set as root */
        if (getppid() == parent)
            rc = work(context);
    }
    fflush(NULL);
    _exit(rc);
}

static void kill_all(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
}

/* ------------------------------------------------------------------ work that goes on */

int dsn__user_process_begin(struct dsn_user_process *p, uid_t uid, int (*work)(void *context), void *context)
{
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
        be_user(uid, RLIM_INFINITY, (const int[]){ in[0], out[1], -1 }, parent, work, context);
    close(in[0]);
    close(out[1]);
    p->to = in[1];
    p->from = out[0];
    if (p->pid > 0)
        return 1;
    close(p->to);
    close(p->from);
    return is_refused(uid, "no process can be made");
}

void dsn__user_process_end(struct dsn_user_process *p)
{
    close(p->to);
    close(p->from);
    kill_all(p->pid);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    p->pid = 0;
}

/* ------------------------------------------------------------------ the one that waits for it */

struct stream {
    int fd; /* -1: at its end */
    FILE *to;
    size_t used, all;
    char line[LINE + 1];
};

static void end_line(struct stream *s)
{
    s->line[s->used] = '\0';
    if (s->all <= MOST_OUTPUT)
        dsn__put_shown(s->to, s->line);
    s->used = 0;
}

static void pass_on(struct stream *s)
{
    char bytes[LINE];
    const ssize_t n = read(s->fd, bytes, sizeof bytes);

    for (ssize_t i = 0; i < n; i++)
        if (bytes[i] == '\n' || s->used == LINE) {
            end_line(s);
            if (bytes[i] != '\n')
                s->line[s->used++] = bytes[i];
        } else {
            s->line[s->used++] = bytes[i] ? bytes[i] : '?';
        }
    s->all += n > 0 ? (size_t)n : 0;
    if (n > 0 || (n < 0 && errno == EINTR))
        return;
    if (s->used > 0)
        end_line(s);
    close(s->fd);
    s->fd = -1;
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Until nobody can write to it any more, or the time is over. */
static void pass_all_on(struct stream s[2], int64_t deadline)
{
    int64_t left;

    while ((s[0].fd >= 0 || s[1].fd >= 0) && (left = deadline - now_ms()) > 0) {
        struct pollfd p[2] = { { .fd = s[0].fd, .events = POLLIN }, { .fd = s[1].fd, .events = POLLIN } };

        if (poll(p, 2, left < 60000 ? (int)left : 60000) <= 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (p[i].revents)
                pass_on(&s[i]);
    }
    for (int i = 0; i < 2; i++)
        if (s[i].fd >= 0)
            close(s[i].fd);
}

/* Whether it has ended by then; it stays a zombie, so that its number stays its own. */
static int has_ended(pid_t pid, int64_t deadline)
{
    const struct timespec nap = { 0, 10000000 };
    siginfo_t info = { 0 };

    for (;;) {
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid)
            return 1;
        if (now_ms() >= deadline)
            return 0;
        nanosleep(&nap, NULL);
    }
}

static int judge(uid_t uid, int64_t seconds, int has_time, int status)
{
    if (!has_time)
        dsn__shown_error("user %u: not finished within %lld s (--time-limit); the remaining files are kept",
                         (unsigned)uid, (long long)seconds);
    else if (WIFSIGNALED(status))
        dsn__shown_error("user %u: killed by signal %d; the remaining files are kept", (unsigned)uid, WTERMSIG(status));
    return has_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int dsn__as_user(uid_t uid, int64_t seconds, int (*work)(void *context), void *context)
{
    const int64_t deadline = now_ms() + seconds * 1000;
    const pid_t parent = getpid();
    static struct stream s[2];
    int out[2], err[2], status = 1, has_time;
    pid_t pid;

    fflush(NULL);
    if (pipe2(out, O_CLOEXEC) != 0)
        return is_refused(uid, "cannot create a pipe");
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return is_refused(uid, "cannot create a pipe");
    }
    pid = fork();
    if (pid == 0)
        be_user(uid, (rlim_t)seconds + 1, (const int[]){ -1, out[1], err[1] }, parent, work, context);
    close(out[1]);
    close(err[1]);
    s[0] = (struct stream){ .fd = out[0], .to = stdout };
    s[1] = (struct stream){ .fd = err[0], .to = stderr };
    if (pid < 0)
        is_refused(uid, "cannot create a process");
    pass_all_on(s, pid < 0 ? 0 : deadline);
    if (pid < 0)
        return 0;
    has_time = has_ended(pid, deadline);
    kill_all(pid);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return judge(uid, seconds, has_time, status);
}
