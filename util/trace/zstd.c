/* zstd.c - zstd streams
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "zstd.h"

#ifdef HAVE_ZSTD

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#define LEVEL      3
#define WINDOW_LOG 27 /* zstd's default: streams that require more are rejected */

struct dsn__zstd_reader {
    ZSTD_DStream *stream;
    size_t wants; /* 0: between frames */
};

struct dsn__zstd_writer {
    ZSTD_CCtx *stream;
    int fd;
    char *bytes;
    size_t room;
};

struct dsn__zstd_reader *dsn__zstd_reader_new(void)
{
    struct dsn__zstd_reader *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->stream = ZSTD_createDStream();
    if (!r->stream || ZSTD_isError(ZSTD_DCtx_setParameter(r->stream, ZSTD_d_windowLogMax, WINDOW_LOG))) {
        dsn__zstd_reader_free(r);
        return NULL;
    }
    return r;
}

void dsn__zstd_reader_free(struct dsn__zstd_reader *r)
{
    if (!r)
        return;
    ZSTD_freeDStream(r->stream);
    free(r);
}

int dsn__zstd_read(struct dsn__zstd_reader *r, const unsigned char **from, size_t *left, unsigned char *to, size_t room,
                   size_t *out)
{
    ZSTD_inBuffer in = { *from, *left, 0 };
    ZSTD_outBuffer result = { to, room, 0 };
    const size_t wants = r->wants == 0 && *left == 0 ? 0 : ZSTD_decompressStream(r->stream, &result, &in);

    if (ZSTD_isError(wants))
        return -1;
    r->wants = wants;
    *from += in.pos;
    *left -= in.pos;
    *out = result.pos;
    return wants > 0;
}

struct dsn__zstd_writer *dsn__zstd_writer_new(int fd)
{
    struct dsn__zstd_writer *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->fd = fd;
    w->room = ZSTD_CStreamOutSize();
    w->bytes = malloc(w->room);
    w->stream = ZSTD_createCCtx();
    if (!w->bytes || !w->stream || ZSTD_isError(ZSTD_CCtx_setParameter(w->stream, ZSTD_c_compressionLevel, LEVEL)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(w->stream, ZSTD_c_checksumFlag, 1))) {
        dsn__zstd_writer_free(w);
        return NULL;
    }
    return w;
}

void dsn__zstd_writer_free(struct dsn__zstd_writer *w)
{
    if (!w)
        return;
    ZSTD_freeCCtx(w->stream);
    free(w->bytes);
    free(w);
}

static int write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(fd, bytes, n);

        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        }
    }
    return 0;
}

int dsn__zstd_write(struct dsn__zstd_writer *w, const char *bytes, size_t n, int ends)
{
    ZSTD_inBuffer in = { bytes, n, 0 };
    size_t left;

    do {
        ZSTD_outBuffer out = { w->bytes, w->room, 0 };
        int error;

        left = ZSTD_compressStream2(w->stream, &out, &in, ends ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return ENOMEM;
        error = write_all(w->fd, w->bytes, out.pos);
        if (error != 0)
            return error;
    } while (ends ? left > 0 : in.pos < in.size);
    return 0;
}

#else

struct dsn__zstd_reader *dsn__zstd_reader_new(void)
{
    return NULL;
}

void dsn__zstd_reader_free(struct dsn__zstd_reader *r)
{
    (void)r;
}

int dsn__zstd_read(struct dsn__zstd_reader *r, const unsigned char **from, size_t *left, unsigned char *to, size_t room,
                   size_t *out)
{
    (void)r, (void)from, (void)left, (void)to, (void)room;
    *out = 0;
    return -1;
}

struct dsn__zstd_writer *dsn__zstd_writer_new(int fd)
{
    (void)fd;
    return NULL;
}

void dsn__zstd_writer_free(struct dsn__zstd_writer *w)
{
    (void)w;
}

int dsn__zstd_write(struct dsn__zstd_writer *w, const char *bytes, size_t n, int ends)
{
    (void)w, (void)bytes, (void)n, (void)ends;
    return -1;
}

#endif
