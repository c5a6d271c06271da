/* spill.c - temporary files
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)64 << 10)

/* -1: error. On file systems without O_TMPFILE the file has a name for a moment. */
static int open_nameless(void)
{
    const char *directory = secure_getenv("TMPDIR");
    char path[4096];
    int fd, n;

    if (!directory || !*directory)
        directory = "/tmp";
    fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    n = snprintf(path, sizeof path, "%s/darshan-XXXXXX", directory);
    if (n < 0 || (size_t)n >= sizeof path)
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

int dsn__spill_open(struct dsn__spill *s)
{
    struct rlimit limit;

    memset(s, 0, sizeof *s);
    s->most = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : INT64_MAX;
    s->buffer = malloc(BUFFER_SIZE);
    if (!s->buffer)
        return 0;
    s->fd = open_nameless();
    if (s->fd >= 0)
        return 1;
    free(s->buffer);
    s->buffer = NULL;
    return 0;
}

/* `most` says whether the file is open: 0 is a valid descriptor. */
void dsn__spill_close(struct dsn__spill *s)
{
    free(s->buffer);
    if (s->most > 0 && s->fd >= 0)
        close(s->fd);
    memset(s, 0, sizeof *s);
}

static int write_at(const struct dsn__spill *s, uint64_t at, const unsigned char *bytes, size_t n)
{
    if (at + n > s->most)
        return 0;
    while (n > 0) {
        const ssize_t done = pwrite(s->fd, bytes, n, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return 0;
        bytes += done;
        at += (uint64_t)done;
        n -= (size_t)done;
    }
    return 1;
}

static int write_buffer(struct dsn__spill *s)
{
    const int ok = write_at(s, s->size - s->used, s->buffer, s->used);

    s->used = 0;
    return ok;
}

int dsn__spill_put(struct dsn__spill *s, const void *bytes, size_t n)
{
    if (!s->buffer && !(s->buffer = malloc(BUFFER_SIZE)))
        return 0;
    if (s->used + n > BUFFER_SIZE && !write_buffer(s))
        return 0;
    s->size += n;
    if (n > BUFFER_SIZE)
        return write_at(s, s->size - n, bytes, n);
    memcpy(s->buffer + s->used, bytes, n);
    s->used += n;
    return 1;
}

int dsn__spill_flush(struct dsn__spill *s)
{
    const int ok = s->used == 0 || write_buffer(s);

    free(s->buffer);
    s->buffer = NULL;
    return ok;
}

int dsn__spill_get(const struct dsn__spill *s, uint64_t at, void *bytes, size_t n)
{
    unsigned char *to = bytes;

    while (n > 0) {
        const ssize_t done = pread(s->fd, to, n, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return 0;
        to += done;
        at += (uint64_t)done;
        n -= (size_t)done;
    }
    return 1;
}
