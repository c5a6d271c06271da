/* idmap.c - open addressing, linear probing, at most three quarters full
 * SPDX-License-Identifier: BSD-3-Clause */
#include "idmap.h"

#include <stdlib.h>
#include <time.h>

struct dsn__idmap_slot {
    uint64_t key;
    uint32_t value; /* DSN_IDMAP_NONE: free */
};

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

/* The slot of `key`, or the free one where it would go. */
static struct dsn__idmap_slot *find(const struct dsn__idmap *m, uint64_t key)
{
    size_t i = (size_t)(scramble(key ^ m->seed) & (m->size - 1));

    while (m->slots[i].value != DSN_IDMAP_NONE && m->slots[i].key != key)
        i = (i + 1) & (m->size - 1);
    return &m->slots[i];
}

static int grow(struct dsn__idmap *m)
{
    struct dsn__idmap bigger = { .size = m->size ? 2 * m->size : 64, .used = m->used, .seed = m->seed };

    if (bigger.size > SIZE_MAX / sizeof *bigger.slots)
        return 0;
    bigger.slots = malloc(bigger.size * sizeof *bigger.slots);
    if (!bigger.slots)
        return 0;
    for (size_t i = 0; i < bigger.size; i++)
        bigger.slots[i].value = DSN_IDMAP_NONE;
    for (size_t i = 0; i < m->size; i++)
        if (m->slots[i].value != DSN_IDMAP_NONE)
            *find(&bigger, m->slots[i].key) = m->slots[i];
    free(m->slots);
    *m = bigger;
    return 1;
}

void dsn__idmap_init(struct dsn__idmap *m)
{
    struct timespec now = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &now);
    m->slots = NULL;
    m->size = m->used = 0;
    m->seed = scramble((uint64_t)(uintptr_t)m) ^ scramble((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec);
}

void dsn__idmap_free(struct dsn__idmap *m)
{
    free(m->slots);
    m->slots = NULL;
    m->size = m->used = 0;
}

uint32_t dsn__idmap_get(const struct dsn__idmap *m, uint64_t key)
{
    return m->size ? find(m, key)->value : DSN_IDMAP_NONE;
}

uint32_t dsn__idmap_add(struct dsn__idmap *m, uint64_t key, uint32_t fresh)
{
    struct dsn__idmap_slot *s;

    if (m->used >= m->size / 4 * 3 && !grow(m))
        return DSN_IDMAP_NONE;
    s = find(m, key);
    if (s->value == DSN_IDMAP_NONE) {
        s->key = key;
        s->value = fresh;
        m->used++;
    }
    return s->value;
}
