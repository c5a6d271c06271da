/* deflate.c - matches between records, and the codes of RFC 1951
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source of the format: P. Deutsch, RFC 1950 and RFC 1951 (1996). */
#include <config.h>

#include "log/deflate.h"

#include <string.h>

#define LONGEST    258
#define ENOUGH     32  /* bytes of a match that is taken without a look at others */
#define NEAR       48  /* bytes back to the values that are tried anyway */
#define PLACES     48  /* with the same eight bytes that are looked at */
#define BYTE       112 /* sixteenths of a bit that one takes which is in no match, more or less */
#define LATER      16  /* what a match that begins a byte later has to save more */
#define LEARN      256 /* tokens after which costs are learnt first */
#define FARTHEST   32768
#define END        256 /* symbol at the end of a block */
#define STORED_MAX 65535
#define NLENGTHS   19

/* ------------------------------------------------------------------ bits */

struct bits {
    unsigned char *at;
    uint64_t word; /* the first of those that are not written yet is the lowest */
    unsigned n;
};

/* Up to 32 bits. */
static inline void put(struct bits *b, uint32_t value, unsigned n)
{
    b->word |= (uint64_t)value << b->n;
    b->n += n;
    if (b->n >= 32) {
        const uint32_t low = (uint32_t)b->word;

        for (int i = 0; i < 4; i++)
            b->at[i] = (unsigned char)(low >> 8 * i);
        b->at += 4;
        b->word >>= 32;
        b->n -= 32;
    }
}

static void to_byte(struct bits *b)
{
    for (; b->n > 0; b->n = b->n > 8 ? b->n - 8 : 0) {
        *b->at++ = (unsigned char)b->word;
        b->word >>= 8;
    }
    b->word = 0;
}

/* ------------------------------------------------------------------ symbols of lengths and distances */

struct symbol {
    unsigned symbol, extra, value; /* the value of so many extra bits */
};

static inline unsigned log2_of(unsigned v)
{
    return 31 - (unsigned)__builtin_clz(v);
}

static inline struct symbol of_length(unsigned length)
{
    const unsigned l = length - 3, k = l < 8 ? 2 : log2_of(l);

    if (length == LONGEST)
        return (struct symbol){ 285, 0, 0 };
    return (struct symbol){ 257 + 4 * (k - 2) + (l >> (k - 2)), k - 2, l & ((1u << (k - 2)) - 1) };
}

static inline struct symbol of_distance(unsigned less_one)
{
    const unsigned k = less_one < 4 ? 1 : log2_of(less_one);

    return (struct symbol){ 2 * (k - 1) + (less_one >> (k - 1)), k - 1, less_one & ((1u << (k - 1)) - 1) };
}

/* ------------------------------------------------------------------ codes */

/* The symbols in use, rarest first. */
static unsigned sorted(const struct dsn_deflate_code *c, unsigned n, uint16_t *out)
{
    unsigned used = 0;

    for (unsigned s = 0; s < n; s++) {
        unsigned k = used;

        if (c->count[s] == 0)
            continue;
        for (; k > 0 && c->count[out[k - 1]] > c->count[s]; k--)
            out[k] = out[k - 1];
        out[k] = (uint16_t)s;
        used++;
    }
    return used;
}

/* Lengths of Huffman's code for symbols sorted by their counts, in two queues: symbols, and pairs in the order in which
 * they are made. Returns the longest. */
static unsigned huffman(struct dsn_deflate_code *c, const uint16_t *symbol, unsigned used)
{
    uint32_t weight[2 * DSN_DEFLATE_SYMBOLS];
    uint16_t parent[2 * DSN_DEFLATE_SYMBOLS];
    uint8_t depth[2 * DSN_DEFLATE_SYMBOLS];
    unsigned leaf = 0, pair = used, end = used, most = 0;

    for (unsigned i = 0; i < used; i++)
        weight[i] = c->count[symbol[i]];
    for (; end < 2 * used - 1; end++) {
        weight[end] = 0;
        for (int i = 0; i < 2; i++) {
            const unsigned least = leaf < used && (pair == end || weight[leaf] <= weight[pair]) ? leaf++ : pair++;

            weight[end] += weight[least];
            parent[least] = (uint16_t)end;
        }
    }
    depth[end - 1] = 0;
    for (unsigned i = end - 1; i-- > 0;) {
        depth[i] = (uint8_t)(depth[parent[i]] + 1);
        if (i < used)
            c->length[symbol[i]] = depth[i];
        most = depth[i] > most ? depth[i] : most;
    }
    return most;
}

/* The last `n` bits of `code`, of at most 16, in the other order. */
static uint16_t reversed(unsigned code, unsigned n)
{
    code = (code & 0x5555) << 1 | (code >> 1 & 0x5555);
    code = (code & 0x3333) << 2 | (code >> 2 & 0x3333);
    code = (code & 0x0f0f) << 4 | (code >> 4 & 0x0f0f);
    return (uint16_t)(((code & 0xff) << 8 | code >> 8) >> (16 - n));
}

/* The bits of each symbol, from the lengths; the first bit of a code is written first. */
static void make_bits(struct dsn_deflate_code *c, unsigned n)
{
    unsigned next[17] = { 0 }, of_length[17] = { 0 };

    for (unsigned s = 0; s < n; s++)
        of_length[c->length[s]]++;
    of_length[0] = 0;
    for (unsigned l = 1; l <= 16; l++)
        next[l] = (next[l - 1] + of_length[l - 1]) << 1;
    memset(c->bits, 0, n * sizeof c->bits[0]); /* GCC 12.2 for aarch64 leaves the loop out if it stores every value */
    for (unsigned s = 0; s < n; s++) {
        const unsigned length = c->length[s];

        if (length > 0)
            c->bits[s] = reversed(next[length]++, length);
    }
}

/* A code that is too deep becomes flatter when counts are brought closer to each other. */
static void make_lengths(struct dsn_deflate_code *c, unsigned n, unsigned limit)
{
    uint16_t symbol[DSN_DEFLATE_SYMBOLS];
    const unsigned used = sorted(c, n, symbol);

    memset(c->length, 0, n);
    if (used == 1)
        c->length[symbol[0]] = 1;
    while (used > 1 && huffman(c, symbol, used) > limit)
        for (unsigned i = 0; i < used; i++)
            c->count[symbol[i]] = c->count[symbol[i]] / 2 + 1;
}

/* ------------------------------------------------------------------ blocks */

/* Lengths of both codes as a sequence in which repetitions are one: symbol, and value of its extra bits. */
struct run {
    uint8_t symbol, value;
};

static const uint8_t run_extra[NLENGTHS] = { [16] = 2, [17] = 3, [18] = 7 };

static unsigned runs_of(const uint8_t *length, unsigned n, struct run *out)
{
    unsigned count = 0;

    for (unsigned i = 0, same; i < n; i += same) {
        const unsigned most = length[i] ? 7 : 138;

        for (same = 1; same < most && i + same < n && length[i + same] == length[i]; same++)
            ;
        if (length[i]) {
            out[count++] = (struct run){ length[i], 0 };
            if (same >= 4)
                out[count++] = (struct run){ 16, (uint8_t)(same - 4) };
            else
                same = 1;
        } else if (same >= 11) {
            out[count++] = (struct run){ 18, (uint8_t)(same - 11) };
        } else if (same >= 3) {
            out[count++] = (struct run){ 17, (uint8_t)(same - 3) };
        } else {
            out[count++] = (struct run){ 0, 0 };
            same = 1;
        }
    }
    return count;
}

struct block {
    struct run run[DSN_DEFLATE_SYMBOLS + DSN_DEFLATE_DISTS];
    unsigned nruns, nsymbols, ndistances, nlengths;
    size_t head; /* bits of what describes the codes */
};

static const uint8_t length_order[NLENGTHS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };

static unsigned last_used(const uint8_t *length, unsigned n, unsigned least)
{
    while (n > least && length[n - 1] == 0)
        n--;
    return n;
}

static void describe_codes(struct dsn_deflate *d, struct block *b)
{
    uint8_t all[DSN_DEFLATE_SYMBOLS + DSN_DEFLATE_DISTS];

    b->nsymbols = last_used(d->symbols.length, 286, 257);
    b->ndistances = last_used(d->distances.length, DSN_DEFLATE_DISTS, 1);
    memcpy(all, d->symbols.length, b->nsymbols);
    memcpy(all + b->nsymbols, d->distances.length, b->ndistances);
    b->nruns = runs_of(all, b->nsymbols + b->ndistances, b->run);
    memset(d->lengths.count, 0, sizeof d->lengths.count);
    for (unsigned i = 0; i < b->nruns; i++)
        d->lengths.count[b->run[i].symbol]++;
    make_lengths(&d->lengths, NLENGTHS, 7);
    make_bits(&d->lengths, NLENGTHS);
    b->nlengths = NLENGTHS;
    while (b->nlengths > 4 && d->lengths.length[length_order[b->nlengths - 1]] == 0)
        b->nlengths--;
    b->head = 14 + 3 * b->nlengths;
    for (unsigned i = 0; i < b->nruns; i++)
        b->head += d->lengths.length[b->run[i].symbol] + run_extra[b->run[i].symbol];
}

static void put_codes(const struct dsn_deflate *d, const struct block *b, struct bits *out)
{
    put(out, b->nsymbols - 257, 5);
    put(out, b->ndistances - 1, 5);
    put(out, b->nlengths - 4, 4);
    for (unsigned i = 0; i < b->nlengths; i++)
        put(out, d->lengths.length[length_order[i]], 3);
    for (unsigned i = 0; i < b->nruns; i++) {
        put(out, d->lengths.bits[b->run[i].symbol], d->lengths.length[b->run[i].symbol]);
        put(out, b->run[i].value, run_extra[b->run[i].symbol]);
    }
}

/* RFC 1951, section 3.2.6. */
#define FIXED_DISTANCE 5

static unsigned fixed_length(unsigned symbol)
{
    return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}

static unsigned fixed_code(unsigned symbol)
{
    return symbol < 144 ? 48 + symbol : symbol < 256 ? 400 - 144 + symbol : symbol < 280 ? symbol - 256 : symbol - 88;
}

/* Of what is used. */
static void fixed_codes(struct dsn_deflate *d)
{
    for (unsigned s = 0; s < 286; s++)
        if (d->symbols.count[s] > 0) {
            d->symbols.length[s] = (uint8_t)fixed_length(s);
            d->symbols.bits[s] = reversed(fixed_code(s), fixed_length(s));
        }
    for (unsigned s = 0; s < DSN_DEFLATE_DISTS; s++) {
        d->distances.length[s] = FIXED_DISTANCE;
        d->distances.bits[s] = reversed(s, FIXED_DISTANCE);
    }
}

/* How often each symbol stands in a block; the codes' own counts change where a code would be too deep. */
struct counts {
    uint32_t symbol[286], distance[DSN_DEFLATE_DISTS];
};

static unsigned extra_of_symbol(unsigned s)
{
    return s < 265 || s == 285 ? 0 : (s - 261) / 4;
}

static unsigned extra_of_distance(unsigned s)
{
    return s < 4 ? 0 : s / 2 - 1;
}

/* Bits of the block's tokens in the codes that there are. */
static size_t cost(const struct dsn_deflate *d, const struct counts *c)
{
    size_t bits = 0;

    for (unsigned s = 0; s < 286; s++)
        bits += (size_t)c->symbol[s] * (d->symbols.length[s] + extra_of_symbol(s));
    for (unsigned s = 0; s < DSN_DEFLATE_DISTS; s++)
        bits += (size_t)c->distance[s] * (d->distances.length[s] + extra_of_distance(s));
    return bits;
}

/* The same in the fixed codes, which most often are not worth making. */
static size_t fixed_cost(const struct counts *c)
{
    size_t bits = 0;

    for (unsigned s = 0; s < 286; s++)
        bits += (size_t)c->symbol[s] * (fixed_length(s) + extra_of_symbol(s));
    for (unsigned s = 0; s < DSN_DEFLATE_DISTS; s++)
        bits += (size_t)c->distance[s] * (FIXED_DISTANCE + extra_of_distance(s));
    return bits;
}

static void put_tokens(const struct dsn_deflate *d, struct bits *out)
{
    for (unsigned i = 0; i < d->ntokens; i++) {
        const uint32_t t = d->token[i];

        if (t < 256) {
            put(out, d->symbols.bits[t], d->symbols.length[t]);
        } else {
            const struct symbol l = of_length(t >> 16), far = of_distance(t & 0xffff);

            put(out, d->symbols.bits[l.symbol], d->symbols.length[l.symbol]);
            put(out, l.value, l.extra);
            put(out, d->distances.bits[far.symbol], d->distances.length[far.symbol]);
            put(out, far.value, far.extra);
        }
    }
    put(out, d->symbols.bits[END], d->symbols.length[END]);
}

/* `end` of the stream stands behind the last part. */
static void put_stored(struct bits *out, const unsigned char *bytes, size_t size, int end)
{
    do {
        const size_t n = size < STORED_MAX ? size : STORED_MAX;

        put(out, end && n == size, 1);
        put(out, 0, 2);
        to_byte(out);
        put(out, (uint32_t)n | (uint32_t)~n << 16, 32);
        memcpy(out->at, bytes, n);
        out->at += n;
        bytes += n;
        size -= n;
    } while (size > 0);
}

/* The tokens so far, which stand for `size` bytes: in codes of their own, in the fixed ones, or as they are. */
static void put_block(struct dsn_deflate *d, struct bits *out, const unsigned char *bytes, size_t size, int end)
{
    const size_t stored = 8 * (size + 5 * (size / STORED_MAX + 1));
    size_t own, fixed = SIZE_MAX;
    struct counts c;
    struct block b;

    d->symbols.count[END]++;
    memcpy(c.symbol, d->symbols.count, sizeof c.symbol);
    memcpy(c.distance, d->distances.count, sizeof c.distance);
    make_lengths(&d->symbols, 286, 15);
    make_lengths(&d->distances, DSN_DEFLATE_DISTS, 15);
    describe_codes(d, &b);
    own = b.head + cost(d, &c);
    if (own > 10 * (size_t)d->ntokens) /* else it cannot be: fixed codes take 7 bits for the shortest symbol */
        fixed = fixed_cost(&c);
    if (fixed <= own && fixed < stored) {
        fixed_codes(d);
        put(out, end ? 3 : 2, 3);
        put_tokens(d, out);
    } else if (own >= stored) {
        put_stored(out, bytes, size, end);
    } else {
        make_bits(&d->symbols, 286);
        make_bits(&d->distances, DSN_DEFLATE_DISTS);
        put(out, end ? 5 : 4, 3);
        put_codes(d, &b, out);
        put_tokens(d, out);
    }
    d->ntokens = 0;
    memset(d->symbols.count, 0, sizeof d->symbols.count);
    memset(d->distances.count, 0, sizeof d->distances.count);
}

/* ------------------------------------------------------------------ what things cost */

/* Sixteenths of a bit: log2 of a number of at least 1, straight between powers of two. */
static uint32_t log2_16(uint32_t v)
{
    const unsigned k = log2_of(v);

    return 16 * k + (k >= 4 ? (v >> (k - 4)) - 16 : (v << (4 - k)) - 16);
}

static void set_costs(struct dsn_deflate_code *c, unsigned n)
{
    uint32_t sum = n, most; /* what has not been used yet may be */

    for (unsigned s = 0; s < n; s++)
        sum += 4 * c->count[s];
    most = log2_16(sum);
    for (unsigned s = 0; s < n; s++)
        c->cost[s] = (uint16_t)(c->count[s] == 0 ? most : most - log2_16(4 * c->count[s] + 1));
}

/* By what the block has used so far. */
static void learn_costs(struct dsn_deflate *d)
{
    set_costs(&d->symbols, 286);
    set_costs(&d->distances, DSN_DEFLATE_DISTS);
    for (unsigned length = 3; length < LONGEST;) { /* symbol by symbol: the next has the lengths behind these */
        const struct symbol s = of_length(length);
        const uint16_t each = (uint16_t)(d->symbols.cost[s.symbol] + 16 * s.extra);

        for (const unsigned end = length + (1u << s.extra); length < end; length++)
            d->length_cost[length] = each;
    }
    d->length_cost[LONGEST] = d->symbols.cost[of_length(LONGEST).symbol];
}

static int cost_of(const struct dsn_deflate *d, size_t length, size_t distance)
{
    const struct symbol s = of_distance((unsigned)distance - 1);

    return d->length_cost[length] + d->distances.cost[s.symbol] + (int)(16 * s.extra);
}

/* ------------------------------------------------------------------ matches */

struct text {
    const unsigned char *bytes;
    size_t size, stride, last; /* distance of the last match that was not at one of those that are tried anyway */
};

struct match {
    size_t length, distance;
    int worth; /* sixteenths of a bit that it saves */
};

static uint64_t eight(const unsigned char *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t four(const unsigned char *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

/* Bytes that are the same at `at` and `distance` before it, up to `most`. */
static size_t same(const unsigned char *at, size_t distance, size_t most)
{
    size_t n = 0;

    while (n + 8 <= most && eight(at + n) == eight(at + n - distance))
        n += 8;
    while (n < most && at[n] == at[n - distance])
        n++;
    return n;
}

/* Only a longer one than the best so far can be better: those that cost less are tried first. */
static inline void try(const struct dsn_deflate *d, const struct text *t, size_t at, size_t distance, size_t most,
                       struct match *best)
{
    const unsigned char *p = t->bytes + at;
    size_t n;
    int worth;

    if (distance == 0 || distance > at || distance > FARTHEST || best->length == most ||
        p[best->length] != p[best->length - distance])
        return;
    n = same(p, distance, most);
    if (n < 3 || n <= best->length)
        return;
    worth = BYTE * (int)n - cost_of(d, n, distance);
    if (worth > best->worth)
        *best = (struct match){ n, distance, worth };
}

/* How far it is to the last place with the same four bytes, or 0. The next one finds this one. */
static size_t to_four(struct dsn_deflate *d, const struct text *t, size_t at)
{
    uint32_t *place = &d->place[four(t->bytes + at) * 2654435761u >> (32 - d->place_bits)].four;
    const size_t there = *place;

    *place = (uint32_t)at + 1;
    return there > 0 ? at + 1 - there : 0;
}

/* The same for eight bytes; dsn_deflate.back has how far it is from there to the one before it. */
static size_t to_eight(struct dsn_deflate *d, const struct text *t, size_t at)
{
    uint32_t *place = &d->place[eight(t->bytes + at) * 0x9e3779b97f4a7c15u >> (64 - d->place_bits)].eight;
    const size_t far = *place > 0 ? at + 1 - *place : 0;

    *place = (uint32_t)at + 1;
    d->back[at % FARTHEST] = (uint16_t)(far <= FARTHEST ? far : 0);
    return far;
}

/* In records a value stands there, with those next to it, and several of some earlier record may be the same. Zeros
 * are everywhere; names begin alike. */
static void try_values(struct dsn_deflate *d, const struct text *t, size_t at, size_t most, struct match *best)
{
    size_t distance, step;

    if (t->stride == 0 || most < 8 || eight(t->bytes + at) == 0)
        return;
    distance = step = to_eight(d, t, at);
    for (int i = 0; i < PLACES && step > 0 && distance <= FARTHEST; i++, distance += step) {
        try(d, t, at, distance, most, best);
        step = d->back[(at - distance) % FARTHEST];
    }
}

/* The best one at a place: of nearby values, the same place of the record before, that of the last match, and where
 * the same bytes stood. */
static struct match find(struct dsn_deflate *d, const struct text *t, size_t at)
{
    const size_t most = t->size - at < LONGEST ? t->size - at : LONGEST;
    struct match best = { 0 };
    size_t there;

    if (at >= t->size || most < 4)
        return best;
    there = to_four(d, t, at);
    try(d, t, at, 1, most, &best);
    for (size_t distance = 8; distance <= NEAR; distance += 8)
        try(d, t, at, distance, most, &best);
    try(d, t, at, t->stride, most, &best);
    if (best.length >= ENOUGH)
        return best;
    try(d, t, at, t->last, most, &best);
    try(d, t, at, there, most, &best);
    try_values(d, t, at, most, &best);
    return best;
}

static void add_byte(struct dsn_deflate *d, unsigned char byte)
{
    d->token[d->ntokens++] = byte;
    d->symbols.count[byte]++;
}

static void add_match(struct dsn_deflate *d, struct text *t, const struct match *m)
{
    const unsigned less_one = (unsigned)m->distance - 1;

    d->token[d->ntokens++] = (uint32_t)m->length << 16 | less_one;
    d->symbols.count[of_length((unsigned)m->length).symbol]++;
    d->distances.count[of_distance(less_one).symbol]++;
    if (m->distance > NEAR && m->distance != t->stride)
        t->last = m->distance;
}

size_t dsn__deflate_bound(size_t size)
{
    return size + size / 512 + 64;
}

/* Most processes have little to say: to clear more places than there are bytes would cost more than to compress them. */
static void clear_places(struct dsn_deflate *d, size_t size)
{
    d->place_bits = 6;
    while (((size_t)1 << d->place_bits) < size / 2 && ((size_t)1 << d->place_bits) < DSN_DEFLATE_PLACES)
        d->place_bits++;
    memset(d->place, 0, sizeof d->place[0] << d->place_bits);
}

static void begin_piece(struct dsn_deflate *d, size_t size)
{
    clear_places(d, size);
    memset(d->symbols.count, 0, sizeof d->symbols.count);
    memset(d->distances.count, 0, sizeof d->distances.count);
    d->ntokens = 0;
    learn_costs(d);
}

/* Up to 2 GiB: places are counted in 32 bits. */
static void put_piece(struct dsn_deflate *d, struct bits *out, struct text *t, int end)
{
    struct match m, next;
    size_t begin = 0, at = 0;
    unsigned learn = LEARN;

    begin_piece(d, t->size);
    m = find(d, t, 0);
    while (at < t->size) {
        next.worth = 0;
        if (m.length < ENOUGH)
            next = find(d, t, at + 1);
        if (m.worth <= 0 || next.worth > m.worth + LATER) {
            add_byte(d, t->bytes[at++]);
            m = next;
        } else {
            add_match(d, t, &m);
            at += m.length;
            m = find(d, t, at);
        }
        if (d->ntokens == DSN_DEFLATE_TOKENS || at == t->size) {
            put_block(d, out, t->bytes + begin, at - begin, end && at == t->size);
            begin = at;
            learn = LEARN;
        } else if (d->ntokens >= learn) {
            learn_costs(d);
            learn *= 2;
        }
    }
}

/* RFC 1950, section 8.2: the two sums fit into 32 bits for so many bytes. zlib's own is as fast, but lies among what else
 * of zlib no process needs that only writes. */
static uint32_t adler(uint32_t sum, const unsigned char *p, size_t size)
{
    const size_t most = 5552;
    const uint32_t base = 65521;
    uint32_t a = sum & 0xffff, b = sum >> 16;

    for (size_t n; size > 0; size -= n) {
        n = size < most ? size : most;
        for (size_t words = n / 8; words > 0; words--, p += 8) {
            b += 8 * a;
            if (eight(p) == 0) /* as most of a record is */
                continue;
            for (unsigned i = 0; i < 8; i++) {
                a += p[i];
                b += (8 - i) * p[i];
            }
        }
        for (size_t left = n % 8; left > 0; left--) {
            a += *p++;
            b += a;
        }
        a %= base;
        b %= base;
    }
    return b << 16 | a;
}

size_t dsn__deflate(struct dsn_deflate *d, const void *bytes, size_t size, size_t stride, void *out)
{
    const size_t most = (size_t)1 << 30;
    const unsigned char *p = bytes;
    struct bits b = { .at = out };
    uint32_t sum = 1;
    size_t n;

    put(&b, 0x9c78, 16);
    for (size_t left = size; left > 0; left -= n, p += n) {
        n = left < most ? left : most;
        sum = adler(sum, p, n);
        put_piece(d, &b, &(struct text){ .bytes = p, .size = n, .stride = stride }, n == left);
    }
    if (size == 0) {
        put(&b, 3, 3); /* a last block in fixed codes, with nothing in it */
        put(&b, 0, 7);
    }
    to_byte(&b);
    for (int i = 24; i >= 0; i -= 8)
        *b.at++ = (unsigned char)(sum >> i);
    return (size_t)(b.at - (unsigned char *)out);
}
