/* idmap.c - open addressing, linear probing, at most three quarters full
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Keys are stored in insertion order. A slot contains a key's hash (upper half) and index (lower half): lookups compare
 * few keys, and growing the table compares none. */
#include "idmap.h"
#include "grow.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Source: the finalizer of Austin Appleby's MurmurHash3 (public domain). */
static uint64_t scramble(uint64_t k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccd;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53;
    k ^= k >> 33;
    return k;
}

#define FREE UINT64_MAX

static uint32_t hash_of(const struct dsn__idmap *m, uint64_t key)
{
    return (uint32_t)scramble(key ^ m->seed);
}

/* The slot of `key`, or the free slot to insert it into. */
static uint64_t *find_slot(const struct dsn__idmap *m, uint64_t key)
{
    const uint32_t hash = hash_of(m, key);
    size_t i = hash & (m->size - 1);

    while (m->slots[i] != FREE && (m->slots[i] >> 32 != hash || m->keys[(uint32_t)m->slots[i]] != key))
        i = (i + 1) & (m->size - 1);
    return &m->slots[i];
}

static int grow_table(struct dsn__idmap *m)
{
    const size_t size = m->size ? 2 * m->size : 64;
    uint64_t *slots;

    /* Keys and values of three quarters of the slots. */
    if (!dsn_resize(&m->keys, size / 4 * 3, sizeof *m->keys) ||
        !dsn_resize(&m->values, size / 4 * 3, sizeof *m->values))
        return 0;
    slots = malloc(size * sizeof *slots);
    if (!slots)
        return 0;
    memset(slots, 0xff, size * sizeof *slots); /* all FREE */
    for (size_t i = 0; i < m->size; i++) {
        size_t to = m->slots[i] >> 32 & (size - 1);

        if (m->slots[i] == FREE)
            continue;
        while (slots[to] != FREE)
            to = (to + 1) & (size - 1);
        slots[to] = m->slots[i];
    }
    free(m->slots);
    m->slots = slots;
    m->size = size;
    return 1;
}

void dsn__idmap_init(struct dsn__idmap *m)
{
    struct timespec now = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &now);
    *m = (struct dsn__idmap){
        .seed = scramble((uint64_t)(uintptr_t)m) ^ scramble((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec),
    };
}

void dsn__idmap_free(struct dsn__idmap *m)
{
    free(m->slots);
    free(m->keys);
    free(m->values);
    *m = (struct dsn__idmap){ .seed = m->seed };
}

uint32_t dsn__idmap_get(const struct dsn__idmap *m, uint64_t key)
{
    const uint64_t slot = m->size ? *find_slot(m, key) : FREE;

    return slot == FREE ? DSN_IDMAP_NONE : m->values[(uint32_t)slot];
}

uint32_t dsn__idmap_add(struct dsn__idmap *m, uint64_t key, uint32_t fresh)
{
    uint64_t *slot;

    if (m->used >= m->size / 4 * 3 && (m->used >= DSN_IDMAP_NONE - 1 || !grow_table(m)))
        return DSN_IDMAP_NONE;
    slot = find_slot(m, key);
    if (*slot == FREE) {
        m->keys[m->used] = key;
        m->values[m->used] = fresh;
        *slot = (uint64_t)hash_of(m, key) << 32 | m->used++;
    }
    return m->values[(uint32_t)*slot];
}

void dsn__idmap_set(struct dsn__idmap *m, uint64_t key, uint32_t value)
{
    m->values[(uint32_t)*find_slot(m, key)] = value;
}
