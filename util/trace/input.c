/* input.c - buffered, decompressing input
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "zstd.h"

#define PACKED ((size_t)256 << 10)

static ssize_t read_some(int fd, void *to, size_t n)
{
    ssize_t got;

    do
        got = read(fd, to, n);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Reads and decompresses up to n bytes. 0: end, or error. */
static size_t unpack(struct dsn__input *in, unsigned char *to, size_t n)
{
    ssize_t got;
    int rc;

    in->z.next_out = to;
    in->z.avail_out = (uInt)n;
    while (in->z.avail_out == n) {
        if (in->z.avail_in == 0) {
            got = read_some(in->fd, in->packed, PACKED);
            if (got <= 0) {
                in->error = got < 0 ? errno : -1; /* the stream is incomplete */
                return 0;
            }
            in->z.next_in = in->packed;
            in->z.avail_in = (uInt)got;
        }
        rc = inflate(&in->z, Z_NO_FLUSH);
        if (rc == Z_STREAM_END) { /* concatenated files have several streams */
            got = in->z.avail_in > 0 ? 1 : read_some(in->fd, in->packed, PACKED);
            if (got <= 0) {
                in->ended = 1;
                break;
            }
            if (in->z.avail_in == 0) {
                in->z.next_in = in->packed;
                in->z.avail_in = (uInt)got;
            }
            inflateReset(&in->z);
        } else if (rc != Z_OK && rc != Z_BUF_ERROR) {
            in->error = -1;
            return 0;
        }
    }
    return n - in->z.avail_out;
}

/* The same for zstd. */
static size_t unpack_zstd(struct dsn__input *in, unsigned char *to, size_t n)
{
    size_t out = 0;

    while (out == 0 && !in->ended && in->error == 0) {
        const unsigned char *from = in->z.next_in;
        size_t left = in->z.avail_in;
        const int rc = dsn__zstd_read(in->zstd, &from, &left, to, n, &out);

        in->z.next_in = (unsigned char *)(uintptr_t)from;
        in->z.avail_in = (uInt)left;
        if (rc < 0) {
            in->error = -1;
        } else if (out == 0 && left == 0) {
            const ssize_t got = read_some(in->fd, in->packed, PACKED);

            if (got < 0)
                in->error = errno;
            else if (got == 0 && rc == 0)
                in->ended = 1;
            else if (got == 0)
                in->error = -1; /* the frame is incomplete */
            in->z.next_in = in->packed;
            in->z.avail_in = got > 0 ? (uInt)got : 0;
        }
    }
    return out;
}

/* Appends to the buffered bytes. Returns 0 if there are no more. */
static int more(struct dsn__input *in)
{
    ssize_t got;

    if (in->ended || in->error || in->end == in->room)
        return 0;
    if (in->zipped) {
        got = (ssize_t)(in->zstd ? unpack_zstd : unpack)(in, in->buffer + in->end, in->room - in->end);
    } else {
        got = read_some(in->fd, in->buffer + in->end, in->room - in->end);
        if (got < 0)
            in->error = errno;
        else if (got == 0)
            in->ended = 1;
    }
    if (got > 0)
        in->end += (size_t)got;
    return got > 0;
}

static int is_gzip(const struct dsn__input *in)
{
    return in->end >= 2 && in->buffer[0] == 0x1f && in->buffer[1] == 0x8b;
}

/* A frame, or a skippable one, as written by parallel compressors. */
static int is_zstd(const struct dsn__input *in)
{
    static const unsigned char frame[] = { 0x28, 0xb5, 0x2f, 0xfd }, other[] = { 0x2a, 0x4d, 0x18 };

    return in->end >= 4 && (memcmp(in->buffer, frame, 4) == 0 ||
                            ((in->buffer[0] & 0xf0) == 0x50 && memcmp(in->buffer + 1, other, 3) == 0));
}

/* Decompresses what has been buffered so far, and from now on. */
static int begin_unpacking(struct dsn__input *in, int by_zstd)
{
    in->packed = malloc(PACKED);
    if (by_zstd && !DSN__HAS_ZSTD) {
        in->error = -2;
        in->end = 0;
        return in->packed != NULL;
    }
    if (by_zstd)
        in->zstd = dsn__zstd_reader_new();
    if (!in->packed || (by_zstd ? !in->zstd : inflateInit2(&in->z, 15 + 16) != Z_OK))
        return 0;
    memcpy(in->packed, in->buffer, in->end);
    in->z.next_in = in->packed;
    in->z.avail_in = (uInt)in->end;
    in->end = 0;
    in->ended = 0;
    in->zipped = 1;
    return 1;
}

int dsn__input_open(struct dsn__input *in, int fd)
{
    const size_t room = 2 * DSN__INPUT_WINDOW;

    memset(in, 0, sizeof *in);
    in->fd = fd;
    in->buffer = malloc(room);
    if (!in->buffer) {
        dsn__input_close(in);
        return 0;
    }
    in->room = PACKED;
    while (in->end < 4 && more(in))
        ;
    if ((is_gzip(in) || is_zstd(in)) && !begin_unpacking(in, is_zstd(in))) {
        dsn__input_close(in);
        return 0;
    }
    in->room = room;
    return 1;
}

void dsn__input_close(struct dsn__input *in)
{
    if (in->zipped && !in->zstd)
        inflateEnd(&in->z);
    dsn__zstd_reader_free(in->zstd);
    if (in->fd >= 0)
        close(in->fd);
    free(in->packed);
    free(in->buffer);
    memset(in, 0, sizeof *in);
    in->fd = -1;
}

static void move_to_front(struct dsn__input *in)
{
    memmove(in->buffer, in->buffer + in->at, in->end - in->at);
    in->end -= in->at;
    in->at = 0;
}

const unsigned char *dsn__input_peek(struct dsn__input *in, size_t *n)
{
    const size_t most = lseek(in->fd, 0, SEEK_CUR) >= 0 ? DSN__INPUT_WINDOW : DSN__INPUT_PIPE;

    if (in->at > 0)
        move_to_front(in);
    while (in->end < most && more(in))
        ;
    *n = in->end < DSN__INPUT_WINDOW ? in->end : DSN__INPUT_WINDOW;
    return in->buffer;
}

int dsn__input_refill_line(struct dsn__input *in, const char **line, size_t *n)
{
    const unsigned char *lf = NULL;
    size_t looked = in->end - in->at;

    move_to_front(in);
    while (!lf && more(in)) {
        lf = memchr(in->buffer + looked, '\n', in->end - looked);
        looked = in->end;
    }
    if (in->error)
        return 0;
    if (!lf && in->end == in->room) {
        in->error = E2BIG;
        return 0;
    }
    if (in->end == 0)
        return 0;
    *line = (const char *)in->buffer;
    *n = lf ? (size_t)(lf - in->buffer) : in->end;
    in->at = *n + (lf != NULL);
    in->taken += in->at;
    in->line++;
    if (*n > 0 && in->buffer[*n - 1] == '\r')
        --*n;
    return 1;
}

const unsigned char *dsn__input_bytes(struct dsn__input *in, size_t n)
{
    const unsigned char *bytes;

    if (in->end - in->at < n) {
        move_to_front(in);
        while (in->end < n && more(in))
            ;
        if (in->end < n)
            return NULL;
    }
    bytes = in->buffer + in->at;
    in->at += n;
    in->taken += n;
    return bytes;
}

int dsn__input_skip(struct dsn__input *in, uint64_t n)
{
    size_t part;

    for (; n > 0; n -= part) {
        part = n < DSN__INPUT_LINE ? (size_t)n : DSN__INPUT_LINE;
        if (!dsn__input_bytes(in, part))
            return 0;
    }
    return 1;
}

size_t dsn__input_left(const struct dsn__input *in)
{
    return in->end - in->at;
}

const char *dsn__input_failed(const struct dsn__input *in)
{
    if (in->error == 0)
        return NULL;
    if (in->error == E2BIG)
        return "has a line of more than 1 MiB";
    if (in->error == -2)
        return "is compressed by zstd, which this build cannot read: `zstd -dc FILE |` it to standard input";
    if (in->error > 0)
        return strerror(in->error);
    return in->zstd ? "is compressed by zstd, and damaged or truncated"
                    : "is compressed by gzip, and damaged or truncated";
}
