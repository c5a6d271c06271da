/* warn.c - the only place where the runtime prints
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/warn.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <poll.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/signals.h"

/* Identity of stderr at the start of the process. Not part of the state, which a process that is not recorded must not
 * touch. */
static struct {
    int is_there;
    dev_t dev;
    ino_t ino;
} first_stderr;

static int is_verbose;

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

static int is_stderr_still_there(void)
{
    struct stat st;

    return first_stderr.is_there && dsn__sys_fstat(STDERR_FILENO, &st) == 0 && st.st_dev == first_stderr.dev &&
           st.st_ino == first_stderr.ino;
}

/* Waits up to `patience` ms for room: a full pipe that nobody reads would block the application. poll fails with EINVAL
 * for more descriptors than RLIMIT_NOFILE, which may be 0; select does not. */
static int can_write(int patience)
{
    struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };
    struct timeval wait = { patience / 1000, patience % 1000 * 1000 };
    fd_set set;
    const int n = poll(&p, 1, patience);

    if (n >= 0 || errno != EINVAL)
        return n == 1 && (p.revents & POLLOUT);
    FD_ZERO(&set);
    FD_SET(STDERR_FILENO, &set);
    return select(STDERR_FILENO + 1, NULL, &set, NULL, &wait) == 1;
}

/* One write per line, so that lines of several processes do not interleave. */
static void line(const char *format, va_list args)
{
    char text[1024] = "darshan: ";
    const size_t head = 9;
    struct dsn_signals signals;
    ssize_t written;
    int n = vsnprintf(text + head, sizeof text - head - 1, format, args);
    size_t len = head + (n < 0 ? 0 : (size_t)n < sizeof text - head - 2 ? (size_t)n : sizeof text - head - 2);

    for (size_t i = 0; i < len; i++) /* a directory's name may contain control characters */
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = '?';
    text[len++] = '\n';
    if (!is_stderr_still_there() || !can_write(0))
        return;
    dsn__signals_hold(&signals);
    written = write(STDERR_FILENO, text, len);
    dsn__signals_release(&signals);
    (void)written; /* nothing can be reported if this fails */
}

/* A pipe that select reports writable has room for PIPE_BUF bytes: whole lines in pieces of up to that do not block. */
void dsn__print(const char *text, size_t size)
{
    struct dsn_signals signals;
    ssize_t written = 1;

    if (!is_stderr_still_there())
        return;
    dsn__signals_hold(&signals);
    for (size_t n; size > 0 && written > 0 && can_write(1000); text += written, size -= (size_t)written) {
        n = size < PIPE_BUF ? size : PIPE_BUF;
        while (n > 1 && n < size && text[n - 1] != '\n')
            n--;
        written = write(STDERR_FILENO, text, n > 1 ? n : size < PIPE_BUF ? size : PIPE_BUF);
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
