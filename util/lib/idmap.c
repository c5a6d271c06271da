/* idmap.c - open addressing, linear probing, at most three quarters full
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Keys stand in the order in which they came; what is hashed are their numbers, of four bytes each. */
#include "idmap.h"

#include <stdlib.h>
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

uint64_t dsn__idmap_hash(uint64_t seed, uint64_t key)
{
    return scramble(key ^ seed);
}

/* The slot of `key`, or the free one where it would go. */
static uint32_t *find(const struct dsn__idmap *m, uint64_t key)
{
    size_t i = (size_t)(scramble(key ^ m->seed) & (m->size - 1));

    while (m->slots[i] != DSN_IDMAP_NONE && m->keys[m->slots[i]] != key)
        i = (i + 1) & (m->size - 1);
    return &m->slots[i];
}

/* Room for keys and values up to three quarters of `size`. */
static int grow_arrays(struct dsn__idmap *m, size_t size)
{
    uint64_t *keys = realloc(m->keys, size / 4 * 3 * sizeof *keys);
    uint32_t *values;

    if (!keys)
        return 0;
    m->keys = keys;
    values = realloc(m->values, size / 4 * 3 * sizeof *values);
    if (!values)
        return 0;
    m->values = values;
    return 1;
}

static int grow(struct dsn__idmap *m)
{
    const size_t size = m->size ? 2 * m->size : 64;
    uint32_t *slots;

    if (size > SIZE_MAX / sizeof *m->keys || !grow_arrays(m, size))
        return 0;
    slots = malloc(size * sizeof *slots);
    if (!slots)
        return 0;
    free(m->slots);
    m->slots = slots;
    m->size = size;
    for (size_t i = 0; i < size; i++)
        slots[i] = DSN_IDMAP_NONE;
    for (size_t i = 0; i < m->used; i++)
        *find(m, m->keys[i]) = (uint32_t)i;
    return 1;
}

void dsn__idmap_init(struct dsn__idmap *m)
{
    struct timespec now = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &now);
    m->slots = m->values = NULL;
    m->keys = NULL;
    m->size = m->used = 0;
    m->seed = scramble((uint64_t)(uintptr_t)m) ^ scramble((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec);
}

void dsn__idmap_free(struct dsn__idmap *m)
{
    free(m->slots);
    free(m->keys);
    free(m->values);
    m->slots = m->values = NULL;
    m->keys = NULL;
    m->size = m->used = 0;
}

void dsn__idmap_clear(struct dsn__idmap *m)
{
    for (size_t i = 0; i < m->size; i++)
        m->slots[i] = DSN_IDMAP_NONE;
    m->used = 0;
}

uint32_t dsn__idmap_get(const struct dsn__idmap *m, uint64_t key)
{
    const uint32_t at = m->size ? *find(m, key) : DSN_IDMAP_NONE;

    return at == DSN_IDMAP_NONE ? DSN_IDMAP_NONE : m->values[at];
}

uint32_t dsn__idmap_add(struct dsn__idmap *m, uint64_t key, uint32_t fresh)
{
    uint32_t *slot;

    if (m->used >= m->size / 4 * 3 && (m->used >= DSN_IDMAP_NONE - 1 || !grow(m)))
        return DSN_IDMAP_NONE;
    slot = find(m, key);
    if (*slot == DSN_IDMAP_NONE) {
        m->keys[m->used] = key;
        m->values[m->used] = fresh;
        *slot = (uint32_t)m->used++;
    }
    return m->values[*slot];
}

void dsn__idmap_set(struct dsn__idmap *m, uint64_t key, uint32_t value)
{
    m->values[*find(m, key)] = value;
}
