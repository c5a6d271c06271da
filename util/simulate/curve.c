/* curve.c - misses of an LRU cache of every size
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "curve.h"
#include "util/lib/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM  ((size_t)1 << 12)
#define WORD        64
#define MOST_BLOCKS ((size_t)1 << 29)

/* ------------------------------------------------------------------ the order of last uses */

static void count(struct dsn_distances *d, size_t word, uint32_t by)
{
    for (size_t i = word + 1; i <= d->room / WORD; i += i & -i)
        d->tree[i - 1] += by;
}

/* Number of last uses in a word before this place. */
static uint32_t in_word(const struct dsn_distances *d, size_t place)
{
    return (uint32_t)__builtin_popcountll(d->bits[place / WORD] & (((uint64_t)1 << place % WORD) - 1));
}

/* Number of last uses at places before this one. */
static size_t before(const struct dsn_distances *d, size_t place)
{
    size_t n = in_word(d, place);

    for (size_t i = place / WORD; i > 0; i &= i - 1)
        n += d->tree[i - 1];
    return n;
}

/* The last uses of n blocks are at the first n places. */
static void fill(struct dsn_distances *d)
{
    const size_t complete = d->n / WORD;

    memset(d->bits, 0, d->room / WORD * sizeof *d->bits);
    memset(d->bits, 0xff, complete * sizeof *d->bits);
    if (d->n % WORD > 0)
        d->bits[complete] = UINT64_MAX >> (WORD - d->n % WORD);
    for (size_t end = 1; end <= d->room / WORD; end++) { /* each node of the tree is the sum of some words */
        const size_t begin = end & (end - 1), full = end < complete ? end : complete;

        d->tree[end - 1] = begin < full ? (uint32_t)((full - begin) * WORD) : 0;
    }
    d->now = d->n;
}

/* Moves the last uses to the first places, in order. */
static void compact(struct dsn_distances *d)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < d->room / WORD; i++) { /* instead of the tree: the number before each word */
        d->tree[i] = sum;
        sum += (uint32_t)__builtin_popcountll(d->bits[i]);
    }
    for (size_t i = 0; i < d->blocks.ngroups * DSN_BLOCK_GROUP; i++) {
        uint32_t *place = &d->blocks.values[i];

        if (*place > 0)
            *place = d->tree[(*place - 1) / WORD] + in_word(d, *place - 1) + 1;
    }
    fill(d);
}

/* Makes room for the next use: there are four times as many places as blocks, so that compaction is rare. */
static int make_room(struct dsn_distances *d)
{
    size_t room = d->room ? d->room : FIRST_ROOM;

    if (d->now < d->room)
        return 1;
    if (d->room > 0)
        compact(d);
    while (d->n * 4 > room)
        room *= 2;
    if (room == d->room)
        return 1;
    if (!dsn_resize(&d->bits, room / WORD, sizeof *d->bits) || !dsn_resize(&d->tree, room / WORD, sizeof *d->tree))
        return 0;
    d->room = room;
    fill(d);
    return 1;
}

/* Room for one more block. */
static int grow_blocks(struct dsn_distances *d)
{
    size_t reads = d->block_room, writes = d->block_room;

    if (!dsn_grow_zeroed(&d->reads, &reads, sizeof *d->reads, d->n) ||
        !dsn_grow_zeroed(&d->writes, &writes, sizeof *d->writes, d->n))
        return 0;
    d->block_room = reads;
    return 1;
}

static int use(struct dsn_distances *d, uint64_t key, int is_write)
{
    uint32_t *place;

    if (!make_room(d) || !grow_blocks(d) || !(place = dsn_blocks_value(&d->blocks, key)))
        return 0;
    d->uses[is_write]++;
    if (*place == 0) {
        if (d->n == MOST_BLOCKS)
            return 0;
        d->n++;
        d->cold[is_write]++;
    } else {
        const size_t last = *place - 1;

        (is_write ? d->writes : d->reads)[d->n - before(d, last) - 1]++;
        d->bits[last / WORD] &= ~((uint64_t)1 << last % WORD);
        if (last / WORD < d->now / WORD)
            count(d, last / WORD, (uint32_t)-1);
    }
    d->bits[d->now / WORD] |= (uint64_t)1 << d->now % WORD;
    *place = (uint32_t)++d->now;
    if (d->now % WORD == 0) /* the word is complete, and only now added to the tree */
        count(d, d->now / WORD - 1, in_word(d, d->now - 1) + 1);
    return 1;
}

/* ------------------------------------------------------------------ the curve */

void dsn_curve_init(struct dsn_curve *c, uint64_t uses)
{
    *c = (struct dsn_curve){ .ngroups = 1, .most = (uint64_t)1 << 32 };
    if (uses > DSN_CURVE_EXACT) {
        c->ngroups = DSN_CURVE_GROUPS;
        c->most = (uint64_t)((double)((uint64_t)1 << 32) * DSN_CURVE_SAMPLE / (double)uses) + 1;
    }
    for (int i = 0; i < DSN_CURVE_GROUPS; i++)
        dsn_blocks_init(&c->group[i].blocks, 0);
}

void dsn_curve_free(struct dsn_curve *c)
{
    for (int i = 0; i < DSN_CURVE_GROUPS; i++) {
        struct dsn_distances *d = &c->group[i];

        dsn_blocks_free(&d->blocks);
        free(d->bits);
        free(d->tree);
        free(d->reads);
        free(d->writes);
    }
    memset(c, 0, sizeof *c);
}

int dsn_curve_use(struct dsn_curve *c, uint64_t key, int is_write)
{
    uint64_t h = key + 0x9e3779b97f4a7c15u;

    if (c->ngroups == 1)
        return use(&c->group[0], key, is_write);
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u; /* splitmix64, public domain */
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    return (h >> 32) >= c->most || use(&c->group[h % DSN_CURVE_GROUPS], key, is_write);
}

void dsn_curve_end(struct dsn_curve *c)
{
    for (int i = 0; i < c->ngroups; i++) {
        struct dsn_distances *d = &c->group[i];

        for (size_t k = 1; k < d->block_room; k++) {
            d->reads[k] += d->reads[k - 1];
            d->writes[k] += d->writes[k - 1];
        }
    }
}

/* Number of blocks that a block of a group stands for. */
static double scale_of(const struct dsn_curve *c)
{
    return (double)((uint64_t)1 << 32) / (double)c->most * c->ngroups;
}

/* Share of misses of a group with `size` of its own blocks, interpolated between integers. */
static double misses_of(const struct dsn_distances *d, double size, int all)
{
    const double uses = (double)d->uses[0] + (all ? (double)d->uses[1] : 0);
    const size_t whole = (size_t)(size < (double)d->block_room ? size : (double)d->block_room);
    double hits = 0, next = 0;

    if (uses == 0)
        return 0;
    if (whole > 0)
        hits = (double)d->reads[whole - 1] + (all ? (double)d->writes[whole - 1] : 0);
    if (whole < d->block_room)
        next = (double)d->reads[whole] + (all ? (double)d->writes[whole] : 0) - hits;
    if (size > (double)whole)
        hits += next * (size - (double)whole);
    return 1 - hits / uses;
}

double dsn_curve_misses(const struct dsn_curve *c, uint64_t size, int all, double *error)
{
    double sum = 0, squares = 0, n = c->ngroups;

    *error = 0;
    if (c->ngroups == 1)
        return misses_of(&c->group[0], (double)size, all);
    for (int i = 0; i < c->ngroups; i++) {
        const double m = misses_of(&c->group[i], (double)size / scale_of(c), all);

        sum += m;
        squares += m * m;
    }
    squares = squares / n - sum / n * (sum / n);
    *error = sqrt((squares > 0 ? squares : 0) / (n - 1));
    return sum / n;
}

uint64_t dsn_curve_largest(const struct dsn_curve *c)
{
    size_t most = 0;

    for (int i = 0; i < c->ngroups; i++) {
        const struct dsn_distances *d = &c->group[i];
        size_t n = d->n;

        while (n > 0 && d->reads[n - 1] + d->writes[n - 1] == (n > 1 ? d->reads[n - 2] + d->writes[n - 2] : 0))
            n--;
        most = n > most ? n : most;
    }
    return (uint64_t)((double)most * (c->ngroups == 1 ? 1 : scale_of(c)));
}
