/* blocks.c - small numbers for the blocks of files
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "blocks.h"

#include <stdlib.h>
#include <sys/random.h>

#define NEIGHBOURS 4 /* blocks that stand together */

void dsn_blocks_init(struct dsn_blocks *b, size_t limit)
{
    *b = (struct dsn_blocks){ .limit = limit < DSN_BLOCK_NONE ? limit : DSN_BLOCK_NONE - 1 };
}

void dsn_blocks_free(struct dsn_blocks *b)
{
    free(b->slots);
    *b = (struct dsn_blocks){ .limit = b->limit };
}

static size_t place_of(const struct dsn_blocks *b, uint64_t key)
{
    uint64_t h = (key / NEIGHBOURS ^ b->seed) * 0x9e3779b97f4a7c15u;

    h ^= h >> 32;
    return (size_t)((h * 0xd6e8feb86659fd93u >> 16) * NEIGHBOURS + key % NEIGHBOURS) & (b->size - 1);
}

/* The slot that has the key, or the free one where it belongs. */
static struct dsn_block_slot *slot_of(const struct dsn_blocks *b, uint64_t key)
{
    size_t i = place_of(b, key);

    while (b->slots[i].number != DSN_BLOCK_NONE && b->slots[i].key != key)
        i = (i + 1) & (b->size - 1);
    return &b->slots[i];
}

static int grow(struct dsn_blocks *b)
{
    struct dsn_block_slot *old = b->slots;
    const size_t n = b->size;
    struct dsn_block_slot *slots;

    slots = malloc((n ? 2 * n : 1024) * sizeof *slots);
    if (!slots)
        return 0;
    if (n == 0 && getrandom(&b->seed, sizeof b->seed, GRND_NONBLOCK) != (ssize_t)sizeof b->seed)
        b->seed = (uint64_t)(uintptr_t)slots;
    b->slots = slots;
    b->size = n ? 2 * n : 1024;
    for (size_t i = 0; i < b->size; i++)
        slots[i].number = DSN_BLOCK_NONE;
    for (size_t i = 0; i < n; i++)
        if (old[i].number != DSN_BLOCK_NONE)
            *slot_of(b, old[i].key) = old[i];
    free(old);
    return 1;
}

uint32_t dsn_blocks_find(const struct dsn_blocks *b, uint64_t key)
{
    return b->size ? slot_of(b, key)->number : DSN_BLOCK_NONE;
}

struct dsn_block_slot *dsn_blocks_slot(struct dsn_blocks *b, uint64_t key)
{
    struct dsn_block_slot *s;

    if (b->used * 3 >= b->size * 2 && !grow(b))
        return NULL;
    s = slot_of(b, key);
    if (s->number == DSN_BLOCK_NONE) {
        if (b->used >= b->limit)
            return NULL;
        *s = (struct dsn_block_slot){ .key = key, .number = (uint32_t)b->used++ };
    }
    return s;
}

uint32_t dsn_blocks_add(struct dsn_blocks *b, uint64_t key)
{
    const struct dsn_block_slot *s = dsn_blocks_slot(b, key);

    return s ? s->number : DSN_BLOCK_NONE;
}
