/* pairmap.c - a hash table of pairs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "pairmap.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/grow.h"
#include "util/lib/idmap.h"

/* Source: the finalizer of Austin Appleby's MurmurHash3 (public domain). */
uint64_t dsn__pair_hash(uint64_t seed, uint64_t key)
{
    uint64_t k = key ^ seed;

    k ^= k >> 33;
    k *= 0xff51afd7ed558ccd;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53;
    return k ^ k >> 33;
}

void dsn__pairmap_init(struct dsn__pairmap *m)
{
    struct dsn__idmap seeded;

    memset(m, 0, sizeof *m);
    dsn__idmap_init(&seeded); /* source of the seed */
    m->seed = seeded.seed;
    m->other_seed = dsn__pair_hash(m->seed, 1);
    dsn__idmap_free(&seeded);
}

void dsn__pairmap_free(struct dsn__pairmap *m)
{
    free(m->pairs);
    free(m->slots);
    memset(m, 0, sizeof *m);
}

/* Both halves of one product: twice as fast as a finalizer for each half of the key. */
static inline size_t place(const struct dsn__pairmap *m, uint64_t a, uint64_t b, uint32_t which)
{
    const unsigned __int128 product = (unsigned __int128)((a ^ m->seed) + which) * (b ^ m->other_seed);

    return ((uint64_t)product ^ (uint64_t)(product >> 64)) & (m->size - 1);
}

static inline uint32_t *slot_of(const struct dsn__pairmap *m, uint64_t a, uint64_t b, uint32_t which)
{
    size_t i = place(m, a, b, which);

    for (;; i = (i + 1) & (m->size - 1)) {
        const uint32_t n = m->slots[i];

        if (n == DSN__PAIR_NONE || (m->pairs[n].a == a && m->pairs[n].b == b && m->pairs[n].which == which))
            return &m->slots[i];
    }
}

static size_t place_of(const struct dsn__pairmap *m, uint32_t n)
{
    return place(m, m->pairs[n].a, m->pairs[n].b, m->pairs[n].which);
}

static int grow_slots(struct dsn__pairmap *m)
{
    const size_t size = m->size ? 2 * m->size : 64;
    uint32_t *slots = malloc(size * sizeof *slots);

    if (!slots)
        return 0;
    memset(slots, 0xff, size * sizeof *slots);
    free(m->slots);
    m->slots = slots;
    m->size = size;
    for (size_t i = 0; i < m->used; i++)
        *slot_of(m, m->pairs[i].a, m->pairs[i].b, m->pairs[i].which) = (uint32_t)i;
    return 1;
}

uint32_t dsn__pairmap_get(const struct dsn__pairmap *m, uint64_t a, uint64_t b, uint32_t which)
{
    return m->size ? *slot_of(m, a, b, which) : DSN__PAIR_NONE;
}

uint32_t dsn__pairmap_add(struct dsn__pairmap *m, uint64_t a, uint64_t b, uint32_t which)
{
    uint32_t *slot = m->size ? slot_of(m, a, b, which) : NULL;

    if (slot && *slot != DSN__PAIR_NONE)
        return *slot;
    if (m->used == DSN__PAIR_NONE || !dsn_grow_zeroed(&m->pairs, &m->room, sizeof *m->pairs, m->used))
        return DSN__PAIR_NONE;
    if (4 * (m->used + 1) > 3 * m->size) {
        if (!grow_slots(m))
            return DSN__PAIR_NONE;
        slot = slot_of(m, a, b, which);
    }
    m->pairs[m->used] = (struct dsn__pair){ a, b, which };
    return *slot = (uint32_t)m->used++;
}

/* Entries displaced by the removed one are moved up, so that searches do not end too early. */
void dsn__pairmap_remove(struct dsn__pairmap *m, uint32_t n)
{
    const size_t mask = m->size - 1;
    const uint32_t last = (uint32_t)m->used - 1;
    size_t hole = (size_t)(slot_of(m, m->pairs[n].a, m->pairs[n].b, m->pairs[n].which) - m->slots);

    for (size_t i = (hole + 1) & mask; m->slots[i] != DSN__PAIR_NONE; i = (i + 1) & mask)
        if (((i - place_of(m, m->slots[i])) & mask) >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    m->slots[hole] = DSN__PAIR_NONE;
    if (n != last) {
        *slot_of(m, m->pairs[last].a, m->pairs[last].b, m->pairs[last].which) = n;
        m->pairs[n] = m->pairs[last];
    }
    m->used--;
}
