/* inflate.c - blocks and symbols of a stream, 56 bits of input at a time
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "inflate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

#include "huffman.h"

#define HISTORY    ((size_t)32768)           /* no match reaches further back */
#define AREA       ((size_t)98304)           /* new bytes behind it: all fits into a fast cache */
#define SLACK      (HUFF_LONGEST_MATCH + 64) /* writes go a little over the end */
#define FAST_INPUT 32                        /* bytes that decode_fast() begins with */
#define HEAD_INPUT 600                       /* bytes; the longest description of codes takes 563 */

enum state { HEAD, BLOCK, STORED, CODED, TRAILER, DONE, CUT_OFF, DAMAGED };

/* GO_ON: take the next part of the stream; PAUSE: the output is full, or there is too little input. */
enum progress { GO_ON, PAUSE };

/* Input as bits. */
struct bits {
    const unsigned char *in, *end;
    uint64_t buffer; /* the next bit is the lowest */
    unsigned n;      /* that are good */
    int last;        /* nothing follows `end` */
};

struct dsn__inflate {
    enum state state;
    int is_last_block;
    int has_fixed;      /* the tables are those of blocks with fixed codes */
    size_t stored;      /* bytes left of a stored block */
    unsigned char rest; /* bits of the last byte that have not been taken */
    unsigned nrest;
    uint32_t checksum;
    unsigned char *out; /* end of what has been made */
    uint32_t litlen[HUFF_LITLEN_SIZE], dist[HUFF_DIST_SIZE];
    unsigned char buffer[HISTORY + AREA + SLACK];
};

static int make_tables(struct dsn__inflate *s, const unsigned char *lengths, unsigned nlitlen, unsigned ndist)
{
    return dsn__huffman_litlen(s->litlen, lengths, nlitlen) && dsn__huffman_dist(s->dist, lengths + nlitlen, ndist);
}

/* ------------------------------------------------------------------ bits */

/* At least 48 bits, if there are so many. */
static void fill(struct bits *b)
{
    while (b->n <= 56 && b->in < b->end) {
        b->buffer |= (uint64_t)*b->in++ << b->n;
        b->n += 8;
    }
}

/* 0: there are not so many (at most 48). */
static int has(struct bits *b, unsigned n)
{
    if (b->n < n)
        fill(b);
    return b->n >= n;
}

static unsigned take(struct bits *b, unsigned n)
{
    const unsigned v = (unsigned)(b->buffer & (((uint64_t)1 << n) - 1));

    b->buffer >>= n;
    b->n -= n;
    return v;
}

/* Gives back whole bytes. */
static void unread(struct bits *b)
{
    b->in -= b->n >> 3;
    b->n &= 7;
    b->buffer &= ((uint64_t)1 << b->n) - 1;
}

/* ------------------------------------------------------------------ blocks */

static enum progress damaged(struct dsn__inflate *s)
{
    s->state = DAMAGED;
    return PAUSE;
}

/* The input ends within a part that is taken as a whole. */
static enum progress cut_off(struct dsn__inflate *s)
{
    s->state = CUT_OFF;
    return PAUSE;
}

/* Source: RFC 1950, 2.2. */
static enum progress read_head(struct dsn__inflate *s, struct bits *b)
{
    unsigned method, flags;

    if (!has(b, 16))
        return cut_off(s);
    method = take(b, 8);
    flags = take(b, 8);
    if ((method << 8 | flags) % 31 != 0 || (method & 15) != 8 || method >> 4 > 7 || flags & 32)
        return damaged(s);
    s->state = BLOCK;
    return GO_ON;
}

static enum progress read_stored(struct dsn__inflate *s, struct bits *b)
{
    unsigned length, complement;

    take(b, b->n & 7);
    if (!has(b, 32))
        return cut_off(s);
    length = take(b, 16);
    complement = take(b, 16);
    if ((length ^ complement) != 0xffff)
        return damaged(s);
    unread(b);
    s->stored = length;
    s->state = STORED;
    return GO_ON;
}

static enum progress fixed_codes(struct dsn__inflate *s)
{
    unsigned char lengths[HUFF_LITLENS + HUFF_DISTS];

    s->state = CODED;
    if (s->has_fixed)
        return GO_ON;
    s->has_fixed = 1;
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 256 - 144);
    memset(lengths + 256, 7, 280 - 256);
    memset(lengths + 280, 8, HUFF_LITLENS - 280);
    memset(lengths + HUFF_LITLENS, 5, HUFF_DISTS);
    make_tables(s, lengths, HUFF_LITLENS, HUFF_DISTS);
    return GO_ON;
}

/* The lengths of a block's codes, run by run. 0: it is cut off or damaged, which is noted. */
static int read_lengths(struct dsn__inflate *s, struct bits *b, const uint32_t *order, unsigned char *lengths,
                        unsigned n)
{
    static const unsigned char extra[3] = { 2, 3, 7 }, base[3] = { 3, 3, 11 };

    for (unsigned i = 0; i < n;) {
        uint32_t e;
        unsigned symbol, run;

        has(b, HUFF_ORDER_BITS + 7);
        e = order[b->buffer & ((1 << HUFF_ORDER_BITS) - 1)];
        symbol = HUFF_VALUE(e);
        if (HUFF_TAKES(e) + (symbol < 16 ? 0 : extra[symbol - 16]) > b->n) {
            cut_off(s);
            return 0;
        }
        take(b, HUFF_TAKES(e));
        if (symbol < 16) {
            lengths[i++] = (unsigned char)symbol;
            continue;
        }
        run = base[symbol - 16] + take(b, extra[symbol - 16]);
        if (run > n - i || (symbol == 16 && i == 0)) {
            damaged(s);
            return 0;
        }
        memset(lengths + i, symbol == 16 ? lengths[i - 1] : 0, run);
        i += run;
    }
    return 1;
}

/* Source: RFC 1951, 3.2.7. */
static enum progress read_codes(struct dsn__inflate *s, struct bits *b)
{
    static const unsigned char place[HUFF_ORDERS] = {
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
    };
    unsigned char lengths[HUFF_LITLENS + HUFF_DISTS] = { 0 };
    uint32_t order[1 << HUFF_ORDER_BITS];
    unsigned nlitlen, ndist, norder;

    if (!has(b, 14))
        return cut_off(s);
    nlitlen = 257 + take(b, 5);
    ndist = 1 + take(b, 5);
    norder = 4 + take(b, 4);
    if (nlitlen > 286 || ndist > 30)
        return damaged(s);
    for (unsigned i = 0; i < norder; i++) {
        if (!has(b, 3))
            return cut_off(s);
        lengths[place[i]] = (unsigned char)take(b, 3);
    }
    if (!dsn__huffman_order(order, lengths, HUFF_ORDERS))
        return damaged(s);
    if (!read_lengths(s, b, order, lengths, nlitlen + ndist))
        return PAUSE;
    s->has_fixed = 0;
    if (lengths[256] == 0 || !make_tables(s, lengths, nlitlen, ndist))
        return damaged(s);
    s->state = CODED;
    return GO_ON;
}

static enum progress read_block(struct dsn__inflate *s, struct bits *b)
{
    if (!b->last && b->end - b->in < HEAD_INPUT)
        return PAUSE;
    if (s->is_last_block) {
        s->state = TRAILER;
        return GO_ON;
    }
    if (!has(b, 3))
        return cut_off(s);
    s->is_last_block = (int)take(b, 1);
    switch (take(b, 2)) {
    case 0:
        return read_stored(s, b);
    case 1:
        return fixed_codes(s);
    case 2:
        return read_codes(s, b);
    default:
        return damaged(s);
    }
}

static enum progress copy_stored(struct dsn__inflate *s, struct bits *b)
{
    const size_t room = (size_t)(s->buffer + HISTORY + AREA - s->out), there = (size_t)(b->end - b->in);
    size_t n = s->stored < there ? s->stored : there;

    n = n < room ? n : room;
    memcpy(s->out, b->in, n);
    s->out += n;
    b->in += n;
    s->stored -= n;
    if (s->stored > 0)
        return PAUSE;
    s->state = BLOCK;
    return GO_ON;
}

/* ------------------------------------------------------------------ coded blocks */

/* Writes up to 15 bytes more than `length`. */
static inline unsigned char *copy_match(unsigned char *out, size_t distance, size_t length)
{
    unsigned char *const end = out + length;
    const unsigned char *from = out - distance;

    if (distance >= 16) {
        do {
            memcpy(out, from, 16);
            out += 16;
            from += 16;
        } while (out < end);
    } else if (distance >= 8) {
        do {
            memcpy(out, from, 8);
            out += 8;
            from += 8;
        } while (out < end);
    } else if (distance == 1) {
        memset(out, *from, length);
    } else {
        while (out < end)
            *out++ = *from++;
    }
    return end;
}

/* The base of an entry and its extra bits, which are the next in `bits`. */
static inline size_t with_extra(uint32_t e, uint64_t bits)
{
    return HUFF_VALUE(e) + (size_t)((bits & (((uint64_t)1 << HUFF_TAKES(e)) - 1)) >> HUFF_CODE(e));
}

static inline void refill(struct bits *b)
{
    uint64_t next;

    memcpy(&next, b->in, sizeof next);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    next = __builtin_bswap64(next);
#endif
    b->buffer |= next << b->n;
    b->in += (63 - b->n) >> 3;
    b->n |= 56;
}

static inline void drop(struct bits *b, uint32_t e)
{
    b->buffer >>= HUFF_TAKES(e);
    b->n -= HUFF_TAKES(e);
}

/* Symbols as long as there is input for one more, and the output is not full; to begin with, FAST_INPUT bytes and room
 * for a byte. The first entry is looked up before the loop, each next one before the match that it waits behind. */
static enum progress decode_fast(struct dsn__inflate *s, struct bits *bits)
{
    const uint32_t *const litlen = s->litlen, *const dist = s->dist;
    const unsigned char *const in_end = bits->end - 16; /* a turn reads 15 bytes at most */
    unsigned char *const limit = s->buffer + HISTORY + AREA;
    unsigned char *out = s->out;
    struct bits b = *bits;
    uint32_t e;

    refill(&b);
    e = litlen[b.buffer & HUFF_LITLEN_MASK];
    do {
        size_t length, distance;

        if (e & HUFF_LITERAL) { /* three at most: 33 bits */
            drop(&b, e);
            *out++ = (unsigned char)HUFF_VALUE(e);
            e = litlen[b.buffer & HUFF_LITLEN_MASK];
            if (e & HUFF_LITERAL) {
                drop(&b, e);
                *out++ = (unsigned char)HUFF_VALUE(e);
                e = litlen[b.buffer & HUFF_LITLEN_MASK];
                if (e & HUFF_LITERAL) {
                    drop(&b, e);
                    *out++ = (unsigned char)HUFF_VALUE(e);
                    refill(&b);
                    e = litlen[b.buffer & HUFF_LITLEN_MASK];
                    continue;
                }
            }
        }
        refill(&b);
        if (e & HUFF_SPECIAL) {
            if (e & HUFF_SECOND) {
                drop(&b, e);
                e = litlen[HUFF_VALUE(e) + (b.buffer & ((1U << HUFF_CODE(e)) - 1))];
                if (e & HUFF_LITERAL) {
                    drop(&b, e);
                    *out++ = (unsigned char)HUFF_VALUE(e);
                    e = litlen[b.buffer & HUFF_LITLEN_MASK];
                    continue;
                }
            }
            if (e & HUFF_SPECIAL) {
                drop(&b, e);
                s->state = e & HUFF_END ? BLOCK : DAMAGED;
                break;
            }
        }
        length = with_extra(e, b.buffer);
        drop(&b, e); /* 20 bits at most: 36 are left */
        e = dist[b.buffer & ((1 << HUFF_DIST_BITS) - 1)];
        if (e & HUFF_SPECIAL) {
            if (e & HUFF_SECOND) {
                drop(&b, e);
                e = dist[HUFF_VALUE(e) + (b.buffer & ((1U << HUFF_CODE(e)) - 1))];
            }
            if (e & HUFF_SPECIAL) {
                s->state = DAMAGED;
                break;
            }
        }
        distance = with_extra(e, b.buffer);
        drop(&b, e);
        if (distance > (size_t)(out - s->buffer)) {
            s->state = DAMAGED;
            break;
        }
        refill(&b);
        e = litlen[b.buffer & HUFF_LITLEN_MASK];
        out = copy_match(out, distance, length);
    } while (b.in <= in_end && out < limit);
    b.buffer &= ((uint64_t)1 << b.n) - 1;
    *bits = b;
    s->out = out;
    return GO_ON;
}

/* An entry of a table, of the second if need be. 0: it takes more bits than there are. */
static uint32_t look_up(struct bits *b, const uint32_t *table, unsigned root)
{
    uint32_t e = table[b->buffer & ((1U << root) - 1)];

    if (e & HUFF_SPECIAL && e & HUFF_SECOND && HUFF_TAKES(e) <= b->n) {
        drop(b, e);
        e = table[HUFF_VALUE(e) + (b->buffer & ((1U << HUFF_CODE(e)) - 1))];
    }
    return HUFF_TAKES(e) <= b->n ? e : 0;
}

/* One symbol of the last bytes of input. */
static enum progress decode_one(struct dsn__inflate *s, struct bits *bits)
{
    struct bits b = *bits;
    size_t length, distance;
    uint32_t e;

    fill(&b);
    e = look_up(&b, s->litlen, HUFF_LITLEN_BITS);
    if (e == 0)
        return PAUSE;
    if (e & HUFF_SPECIAL && !(e & HUFF_END))
        return damaged(s);
    length = with_extra(e, b.buffer);
    drop(&b, e);
    if (e & HUFF_SPECIAL) {
        s->state = BLOCK;
    } else if (e & HUFF_LITERAL) {
        *s->out++ = (unsigned char)HUFF_VALUE(e);
    } else {
        fill(&b);
        e = look_up(&b, s->dist, HUFF_DIST_BITS);
        if (e == 0)
            return PAUSE;
        if (e & HUFF_SPECIAL)
            return damaged(s);
        distance = with_extra(e, b.buffer);
        drop(&b, e);
        if (distance > (size_t)(s->out - s->buffer))
            return damaged(s);
        s->out = copy_match(s->out, distance, length);
    }
    *bits = b;
    return GO_ON;
}

static enum progress decode(struct dsn__inflate *s, struct bits *b)
{
    if (s->out >= s->buffer + HISTORY + AREA)
        return PAUSE;
    if (b->end - b->in >= FAST_INPUT)
        return decode_fast(s, b);
    return b->last ? decode_one(s, b) : PAUSE;
}

static enum progress read_trailer(struct dsn__inflate *s, struct bits *b)
{
    uint32_t expected = 0;

    unread(b);
    take(b, b->n);
    if (!has(b, 32))
        return PAUSE;
    for (int i = 0; i < 4; i++)
        expected = expected << 8 | take(b, 8);
    s->state = expected == s->checksum ? DONE : DAMAGED;
    return PAUSE;
}

/* ------------------------------------------------------------------ the stream */

struct dsn__inflate *dsn__inflate_new(void)
{
    struct dsn__inflate *s = malloc(sizeof *s);

    if (!s)
        return NULL;
    s->has_fixed = 0;
    dsn__inflate_begin(s);
    return s;
}

void dsn__inflate_free(struct dsn__inflate *s)
{
    free(s);
}

void dsn__inflate_begin(struct dsn__inflate *s)
{
    s->state = HEAD;
    s->is_last_block = 0;
    s->nrest = 0;
    s->rest = 0;
    s->checksum = 1; /* Adler-32 of nothing */
    s->out = s->buffer;
}

static enum progress advance(struct dsn__inflate *s, struct bits *b)
{
    switch (s->state) {
    case HEAD:
        return read_head(s, b);
    case BLOCK:
        return read_block(s, b);
    case STORED:
        return copy_stored(s, b);
    case CODED:
        return decode(s, b);
    default:
        return PAUSE;
    }
}

static void add_to_checksum(struct dsn__inflate *s, const unsigned char *bytes, size_t n)
{
#ifdef HAVE_LIBDEFLATE
    s->checksum = libdeflate_adler32(s->checksum, bytes, n);
#else
    s->checksum = (uint32_t)adler32(s->checksum, bytes, (uInt)n);
#endif
}

enum dsn__inflate_result dsn__inflate_step(struct dsn__inflate *s, struct dsn__inflate_io *io)
{
    struct bits b = { io->in, io->in + io->avail_in, s->rest, s->nrest, io->last };

    if (s->out >= s->buffer + HISTORY + AREA) {
        memmove(s->buffer, s->out - HISTORY, HISTORY);
        s->out = s->buffer + HISTORY;
    }
    io->out = s->out;
    while (advance(s, &b) == GO_ON)
        ;
    io->given = (size_t)(s->out - io->out);
    add_to_checksum(s, io->out, io->given);
    if (s->state == TRAILER)
        read_trailer(s, &b);
    unread(&b);
    s->rest = (unsigned char)b.buffer;
    s->nrest = b.n;
    io->avail_in -= (size_t)(b.in - io->in);
    io->in = b.in;
    if (io->given > 0)
        return DSN_INFLATE_MORE;
    if (s->state == DONE)
        return DSN_INFLATE_END;
    if (s->state == DAMAGED)
        return DSN_INFLATE_BAD;
    return s->state == CUT_OFF || io->last ? DSN_INFLATE_CUT_OFF : DSN_INFLATE_MORE;
}
