/* deflate.c - zlib with memory of ours, as much as the input is worth
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/deflate.h"

#include <stdint.h>
#include <zlib.h>

#define LEVEL       5
#define WINDOW_BITS 15  /* at most */
#define MEMORY      8   /* likewise: zlib's memLevel */
#define LOOK_AHEAD  262 /* bytes of a window in which zlib looks for nothing */
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

/* All of it is free again when the next stream begins. */
static void leave_memory(voidpf opaque, voidpf p)
{
    (void)opaque;
    (void)p;
}

size_t dsn__deflate_bound(size_t size)
{
    return size + size / 8 + size / 64 + 64; /* zlib's own, for whatever window and memory */
}

/* Most processes have little to say: zlib clears its window and its table of places before it begins, 128 KB in all for
 * large input. A window need not be larger than what goes through it, and so many places keep others' chains short. */
static int begin_stream(z_stream *z, size_t size)
{
    int bits = 9;

    while (bits < WINDOW_BITS && (size_t)1 << bits < size + LOOK_AHEAD)
        bits++;
    return deflateInit2(z, LEVEL, Z_DEFLATED, bits, bits - 4 < MEMORY ? bits - 4 : MEMORY, Z_DEFAULT_STRATEGY);
}

size_t dsn__deflate(struct dsn_deflate *d, const void *bytes, size_t size, void *out)
{
    z_stream z = { .zalloc = take_memory, .zfree = leave_memory, .opaque = d };
    const unsigned char *end = (unsigned char *)out + dsn__deflate_bound(size);
    size_t left = size;
    int rc = Z_OK;

    d->used = 0;
    if (begin_stream(&z, size) != Z_OK)
        return 0;
    z.next_in = (unsigned char *)(uintptr_t)bytes;
    z.next_out = out;
    while (rc == Z_OK) {
        const size_t in = left < AT_ONCE ? left : AT_ONCE, to = (size_t)(end - z.next_out);

        if (z.avail_in == 0) {
            z.avail_in = (uInt)in;
            left -= in;
        }
        z.avail_out = (uInt)(to < AT_ONCE ? to : AT_ONCE);
        rc = deflate(&z, left == 0 ? Z_FINISH : Z_NO_FLUSH);
    }
    deflateEnd(&z);
    return rc == Z_STREAM_END ? (size_t)(z.next_out - (unsigned char *)out) : 0;
}
