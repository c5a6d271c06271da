/* input.h - bytes of a trace as they come: lines or records, out of a file, a pipe or what gzip or zstd made of it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/trace. */
#ifndef DSN_TRACE_INPUT_H
#define DSN_TRACE_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#define DSN__INPUT_WINDOW ((size_t)1 << 20)  /* what a format is recognised by, at most */
#define DSN__INPUT_PIPE   ((size_t)64 << 10) /* of a pipe, which may be somebody's live output */
#define DSN__INPUT_LINE   ((size_t)1 << 20)  /* longest line */

struct dsn__input {
    int fd;
    unsigned char *buffer;
    size_t at, end, room;
    int ended, error; /* errno of reading; -1: the compressed stream is damaged; -2: it cannot be decompressed here */
    int zipped;       /* it is compressed: */
    z_stream z;       /* by gzip, or */
    struct dsn__zstd_reader *zstd;
    unsigned char *packed; /* as read */
    uint64_t taken;        /* bytes handed out */
    uint64_t line;         /* number of the line that was handed out last */
};

/* Takes over the descriptor. Returns 0 if there is no memory; the descriptor is closed then. */
int dsn__input_open(struct dsn__input *in, int fd);
void dsn__input_close(struct dsn__input *in);

/* What comes next, without taking it: as much of the window as there is. */
const unsigned char *dsn__input_peek(struct dsn__input *in, size_t *n);

/* The next line without its end, not terminated by NUL; valid until the next call. Returns 1; 0 at the end, or at an
 * error (dsn__input_failed()). The last line may lack its end. */
int dsn__input_refill_line(struct dsn__input *in, const char **line, size_t *n);

/* The next n bytes (at most DSN__INPUT_LINE), likewise; NULL if there are fewer. */
const unsigned char *dsn__input_bytes(struct dsn__input *in, size_t n);

/* Passes over n bytes. Returns 0 if there are fewer. */
int dsn__input_skip(struct dsn__input *in, uint64_t n);

/* Bytes left over that are no whole record. */
size_t dsn__input_left(const struct dsn__input *in);

/* What is wrong with the input itself; NULL: nothing. */
const char *dsn__input_failed(const struct dsn__input *in);

/* Most lines lie in the buffer as a whole. */

static inline int dsn__input_line(struct dsn__input *in, const char **line, size_t *n)
{
    const unsigned char *from = in->buffer + in->at;
    const unsigned char *lf = in->end > in->at ? memchr(from, '\n', in->end - in->at) : NULL;

    if (!lf)
        return dsn__input_refill_line(in, line, n);
    *line = (const char *)from;
    *n = (size_t)(lf - from);
    in->at += *n + 1;
    in->taken += *n + 1;
    in->line++;
    if (*n > 0 && lf[-1] == '\r')
        --*n;
    return 1;
}

#endif
