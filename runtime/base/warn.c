/* warn.c - the only place where the runtime prints
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/warn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/signals.h"
#include "darshan-log-format/shown.h"

/* Identity of stderr at the start of the process. Not part of the state, which a process that is not recorded must not
 * touch. */
static struct {
    int is_there;
    dev_t dev;
    ino_t ino;
} first_stderr;

static int is_verbose;

/* With DARSHAN_VERBOSE: another descriptor of stderr. Many programs close theirs (the GNU core utilities) before the log
 * is written. */
static int spare = -1;

void dsn__set_verbose(int verbose)
{
    is_verbose = verbose;
}

void dsn__know_stderr(void)
{
    struct stat st;

    first_stderr.is_there = dsn__sys_fstat(STDERR_FILENO, &st) == 0;
    if (first_stderr.is_there) {
        first_stderr.dev = st.st_dev;
        first_stderr.ino = st.st_ino;
    }
}

/* High, where no program expects its next one. It does not pass exec, and a forked child, which may be a daemon that
 * nobody should wait for, drops it. */
void dsn__keep_stderr(void)
{
    if (first_stderr.is_there)
        spare = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 800);
}

void dsn__drop_stderr(void)
{
    if (spare >= 0)
        dsn__sys_close(spare);
    spare = -1;
}

static bool is_stderr(int fd)
{
    struct stat st;

    return first_stderr.is_there && fd >= 0 && dsn__sys_fstat(fd, &st) == 0 && st.st_dev == first_stderr.dev &&
           st.st_ino == first_stderr.ino;
}

/* -1: the program has closed it. */
static int find_stderr(void)
{
    return is_stderr(STDERR_FILENO) ? STDERR_FILENO : is_stderr(spare) ? spare : -1;
}

/* Waits up to `patience` ms for room: a full pipe that nobody reads would block the application. poll fails with EINVAL
 * for more descriptors than RLIMIT_NOFILE, which may be 0; select does not. */
static bool can_write(int to, int patience)
{
    struct pollfd p = { .fd = to, .events = POLLOUT };
    struct timeval wait = { patience / 1000, patience % 1000 * 1000 };
    fd_set set;
    const int n = poll(&p, 1, patience);

    if (n >= 0 || errno != EINVAL)
        return n == 1 && (p.revents & POLLOUT);
    FD_ZERO(&set);
    FD_SET(to, &set);
    return select(to + 1, NULL, &set, NULL, &wait) == 1;
}

/* One write per line, so that lines of several processes do not interleave. */
static void line(const char *format, va_list args)
{
    char text[1024] = "darshan: ";
    const size_t head = 9;
    const int to = find_stderr();
    struct dsn_signals signals;
    ssize_t written;
    int n = vsnprintf(text + head, sizeof text - head - 1, format, args);
    size_t len = head + (n < 0 ? 0 : (size_t)n < sizeof text - head - 2 ? (size_t)n : sizeof text - head - 2);

    for (size_t i = 0; i < len;) { /* a directory's name may contain anything */
        const size_t shown = dsn_shown((const unsigned char *)text + i);

        text[i] = shown > 0 ? text[i] : '?';
        i += shown > 0 ? shown : 1;
    }
    text[len++] = '\n';
    if (to < 0 || !can_write(to, 0))
        return;
    dsn__signals_hold(&signals);
    written = write(to, text, len);
    dsn__signals_release(&signals);
    (void)written; /* nothing can be reported if this fails */
}

/* A pipe that select reports writable has room for PIPE_BUF bytes: whole lines in pieces of up to that do not block. */
void dsn__print(const char *text, size_t size)
{
    struct dsn_signals signals;
    const int to = find_stderr();
    ssize_t written = 1;

    if (to < 0)
        return;
    dsn__signals_hold(&signals);
    for (size_t n; size > 0 && written > 0 && can_write(to, 1000); text += written, size -= (size_t)written) {
        n = size < PIPE_BUF ? size : PIPE_BUF;
        while (n > 1 && n < size && text[n - 1] != '\n')
            n--;
        written = write(to, text, n > 1 ? n : size < PIPE_BUF ? size : PIPE_BUF);
    }
    dsn__signals_release(&signals);
}

void dsn__warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    line(format, args);
    va_end(args);
}

void dsn__say(const char *format, ...)
{
    va_list args;

    if (!is_verbose)
        return;
    va_start(args, format);
    line(format, args);
    va_end(args);
}
