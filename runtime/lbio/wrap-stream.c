/* wrap-stream.c - wrappers of calls that open and close streams
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lbio/stream.h"
#include "lbio/wrap.h"

NEXT_DECL(int, fileno, (FILE * stream))
NEXT_DECL(int, fflush, (FILE * stream))

static int truncates(const char *mode)
{
    return mode && mode[0] == 'w' ? O_TRUNC : 0;
}

static int appends(const char *mode)
{
    return mode && mode[0] == 'a';
}

/* -1: the stream has none, which is not an error of the application's call */
static int number_of(FILE *stream)
{
    const int error = errno, fd = stream && NEXT_IS(fileno) ? NEXT(fileno)(stream) : -1;

    errno = error;
    return fd;
}

/* Opening a stream for appending finds the end of the file. */
static void update(const char *path, const char *mode)
{
    struct lbio_call c;

    if (!path || !appends(mode))
        return;
    lbio__call_clear(&c);
    lbio__is_served(&c, lbio__begin_direct_at(&c, AT_FDCWD, path));
    lbio__call_end(&c, 0);
}

/* What the application gets for a stream that has been opened. */
static FILE *logged_or_plain(FILE *plain)
{
    FILE *logged = plain ? lbio__stream_open(plain) : NULL;

    if (plain && !logged)
        lbio__plain_stream(number_of(plain), 1);
    return logged ? logged : plain;
}

#define FOPEN(name)                                                                                                    \
    NEXT_DECL(FILE *, name, (const char *path, const char *mode))                                                      \
    LBIO_EXPORT FILE *name(const char *path, const char *mode)                                                         \
    {                                                                                                                  \
        struct lbio_call c;                                                                                            \
        FILE *ret;                                                                                                     \
                                                                                                                       \
        if (!NEXT_IS(name))                                                                                            \
            return NULL;                                                                                               \
        update(path, mode);                                                                                            \
        lbio__call_clear(&c);                                                                                          \
        if (lbio__is_served(&c, lbio__begin_open(&c, AT_FDCWD, path, truncates(mode))))                                \
            ret = NULL;                                                                                                \
        else                                                                                                           \
            do                                                                                                         \
                ret = NEXT(name)(path, mode);                                                                          \
            while (!ret && lbio__make_room(&c));                                                                       \
        lbio__call_end(&c, number_of(ret));                                                                            \
        if (c.is_refused) {                                                                                            \
            fclose(ret);                                                                                               \
            errno = EIO;                                                                                               \
            return NULL;                                                                                               \
        }                                                                                                              \
        return logged_or_plain(ret);                                                                                   \
    }

FOPEN(fopen)
FOPEN(fopen64)

NEXT_DECL(FILE *, fdopen, (int fd, const char *mode))

LBIO_EXPORT FILE *fdopen(int fd, const char *mode)
{
    if (!NEXT_IS(fdopen))
        return NULL;
    if (appends(mode))
        lbio__make_direct(fd, LBIO_BY_STREAM); /* before it finds the end */
    return logged_or_plain(NEXT(fdopen)(fd, mode));
}

/* Before the C library writes what the stream `s` has in its buffer, and sets its own functions. Without a path it keeps
 * its file. Returns the descriptor. */
static int leave(struct lbio_stream *s, FILE *stream, const char *path)
{
    const int fd = number_of(stream);

    if (s && !lbio__stream_is_plain(s)) {
        if (NEXT_IS(fflush))
            NEXT(fflush)(stream);
        lbio__stream_becomes_plain(s);
    }
    if (path) {
        lbio__plain_stream(fd, 0);
        lbio__forget_number(fd);
    } else {
        lbio__make_direct(fd, LBIO_BY_STREAM);
    }
    return fd;
}

/* The stream stays the same, and so it is a plain one from now on. */
#define FREOPEN(name)                                                                                                  \
    NEXT_DECL(FILE *, name, (const char *path, const char *mode, FILE *stream))                                        \
    LBIO_EXPORT FILE *name(const char *path, const char *mode, FILE *stream)                                           \
    {                                                                                                                  \
        const int error = errno;                                                                                       \
        struct lbio_stream *s = lbio__stream_of(stream);                                                               \
        struct lbio_call c;                                                                                            \
        FILE *ret;                                                                                                     \
        int fd;                                                                                                        \
                                                                                                                       \
        if (!NEXT_IS(name))                                                                                            \
            return NULL;                                                                                               \
        fd = leave(s, stream, path);                                                                                   \
        update(path, mode);                                                                                            \
        errno = error;                                                                                                 \
        lbio__call_clear(&c);                                                                                          \
        ret = lbio__is_served(&c, lbio__begin_open(&c, AT_FDCWD, path, truncates(mode)))                               \
                  ? NULL                                                                                               \
                  : NEXT(name)(path, mode, stream);                                                                    \
        lbio__call_end(&c, number_of(ret));                                                                            \
        lbio__plain_stream(ret ? number_of(ret) : fd, ret != NULL);                                                    \
        if (s && !ret)                                                                                                 \
            lbio__stream_lost(s);                                                                                      \
        return ret;                                                                                                    \
    }

FREOPEN(freopen)
FREOPEN(freopen64)

NEXT_DECL(int, fclose, (FILE * stream))

/* Returns the error of its replay. */
static int close_plain(FILE *stream)
{
    const int fd = number_of(stream);
    int error, ret;

    lbio__plain_stream(fd, 0);
    error = lbio__forget_number(fd);
    ret = NEXT(fclose)(stream);
    if (ret == 0 && error) {
        errno = error;
        ret = EOF;
    }
    return ret;
}

LBIO_EXPORT int fclose(FILE *stream)
{
    struct lbio_stream *s;
    int ret;

    if (!NEXT_IS(fclose))
        return EOF;
    s = lbio__stream_of(stream);
    if (!s)
        return close_plain(stream);
    lbio__stream_closing(s);
    ret = lbio__stream_is_plain(s) ? close_plain(stream) : NEXT(fclose)(stream);
    lbio__stream_closed(s);
    return ret;
}
