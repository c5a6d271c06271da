/* pack.c - differences between segments, in as few bytes as they need
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of each segment: a byte that tells what follows; offset and length, unless they are as expected; the thread, unless
 * it is the same; then start and end, as the distance of their bits from those of the time before. */
#include "pack.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST     41
#define EXPECTED    0x40 /* the segment begins where the last one ended and is as long */
#define SAME_THREAD 0x80
/* Lowest six bits: bytes of both distances, each less 1. */

int dsn__pack_init(struct dsn__pack *p, size_t size)
{
    p->bytes = malloc(size);
    p->size = size;
    dsn__pack_rewind(p);
    return p->bytes != NULL;
}

void dsn__pack_free(struct dsn__pack *p)
{
    free(p->bytes);
    p->bytes = NULL;
}

void dsn__pack_rewind(struct dsn__pack *p)
{
    p->used = 0;
    memset(&p->last, 0, sizeof p->last);
}

static uint64_t bits_of(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Small distances, up or down, are small numbers. */
static uint64_t distance(uint64_t to, uint64_t from)
{
    const uint64_t d = to - from;

    return d << 1 ^ -(d >> 63);
}

static uint64_t at_distance(uint64_t from, uint64_t v)
{
    return from + (v >> 1 ^ -(v & 1));
}

static unsigned bytes_of(uint64_t v)
{
    return (71 - (unsigned)__builtin_clzll(v | 1)) / 8;
}

/* Eight bytes, lowest first, of which the caller wants some. */
static void put_word(unsigned char *to, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(to, &v, sizeof v);
}

static uint64_t get_word(const unsigned char *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static uint64_t lowest(uint64_t v, unsigned bytes)
{
    return v & (UINT64_MAX >> (64 - 8 * bytes));
}

static uint64_t expected_offset(const struct dsn_dxt_segment *last)
{
    return (uint64_t)last->offset + (uint64_t)last->length;
}

static size_t put_one(unsigned char *to, const struct dsn_dxt_segment *last, const struct dsn_dxt_segment *s)
{
    const uint64_t start = distance(bits_of(s->start), bits_of(last->end));
    const uint64_t end = distance(bits_of(s->end), bits_of(s->start));
    const unsigned nstart = bytes_of(start), nend = bytes_of(end);
    unsigned char *p = to + 1;

    *to = (unsigned char)((nstart - 1) | (nend - 1) << 3);
    if (s->length == last->length && (uint64_t)s->offset == expected_offset(last)) {
        *to |= EXPECTED;
    } else {
        put_word(p, (uint64_t)s->offset);
        put_word(p + 8, (uint64_t)s->length);
        p += 16;
    }
    if (s->thread == last->thread) {
        *to |= SAME_THREAD;
    } else {
        put_word(p, s->thread);
        p += 8;
    }
    put_word(p, start);
    put_word(p + nstart, end);
    return (size_t)(p + nstart + nend - to);
}

static size_t take_one(const unsigned char *from, const struct dsn_dxt_segment *last, struct dsn_dxt_segment *s)
{
    const unsigned nstart = (*from & 7) + 1, nend = (*from >> 3 & 7) + 1;
    const unsigned char *p = from + 1;

    s->offset = (int64_t)expected_offset(last);
    s->length = last->length;
    s->thread = last->thread;
    if (!(*from & EXPECTED)) {
        s->offset = (int64_t)get_word(p);
        s->length = (int64_t)get_word(p + 8);
        p += 16;
    }
    if (!(*from & SAME_THREAD)) {
        s->thread = get_word(p);
        p += 8;
    }
    s->start = double_of(at_distance(bits_of(last->end), lowest(get_word(p), nstart)));
    s->end = double_of(at_distance(bits_of(s->start), lowest(get_word(p + nstart), nend)));
    return (size_t)(p + nstart + nend - from);
}

int dsn__pack_put(struct dsn__pack *p, const struct dsn_dxt_segment *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p->size - p->used < LONGEST + sizeof(uint64_t)) /* words are written as a whole */
            return 0;
        p->used += put_one(p->bytes + p->used, i > 0 ? &s[i - 1] : &p->last, &s[i]);
    }
    if (n > 0)
        p->last = s[n - 1];
    return 1;
}

void dsn__pack_take(struct dsn__pack *p, struct dsn_dxt_segment *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p->used += take_one(p->bytes + p->used, i > 0 ? &out[i - 1] : &p->last, &out[i]);
    if (n > 0)
        p->last = out[n - 1];
}
