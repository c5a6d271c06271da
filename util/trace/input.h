/* input.h - input of lines or binary records from a file or pipe, possibly compressed by gzip or zstd
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/trace. */
#ifndef DSN_TRACE_INPUT_H
#define DSN_TRACE_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#define DSN__INPUT_WINDOW ((size_t)1 << 20)  /* maximum size used to recognise a format */
#define DSN__INPUT_PIPE   ((size_t)64 << 10) /* of a pipe, which may be live output */
#define DSN__INPUT_LINE   ((size_t)1 << 20)  /* longest line */

struct dsn__input {
    int fd;
    unsigned char *buffer;
    size_t at, end, room;
    int ended, error; /* errno of a read; -1: the compressed stream is damaged; -2: this build cannot decompress it */
    int zipped;       /* compressed: */
    z_stream z;       /* by gzip, or */
    struct dsn__zstd_reader *zstd;
    unsigned char *packed; /* compressed bytes */
    uint64_t taken;        /* bytes returned */
    uint64_t line;         /* number of the last line returned */
};

/* Takes ownership of the descriptor. Returns 0 if out of memory; then the descriptor is closed. */
int dsn__input_open(struct dsn__input *in, int fd);
void dsn__input_close(struct dsn__input *in);

/* The next bytes, without consuming them: up to the size of the window. */
const unsigned char *dsn__input_peek(struct dsn__input *in, size_t *n);

/* The next line without its newline, not NUL-terminated; valid until the next call. Returns 1; 0 at the end, or after
 * an error (dsn__input_failed()). The last line may lack a newline. */
int dsn__input_refill_line(struct dsn__input *in, const char **line, size_t *n);

/* The next n bytes (at most DSN__INPUT_LINE), likewise; NULL if there are fewer. */
const unsigned char *dsn__input_bytes(struct dsn__input *in, size_t n);

/* Skips n bytes. Returns 0 if there are fewer. */
int dsn__input_skip(struct dsn__input *in, uint64_t n);

/* Remaining bytes, fewer than a record. */
size_t dsn__input_left(const struct dsn__input *in);

/* The error of the input; NULL: none. */
const char *dsn__input_failed(const struct dsn__input *in);

/* Usually the whole line is in the buffer. */

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
