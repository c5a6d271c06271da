/* blocks.c - assigns small numbers to blocks of files
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "blocks.h"
#include "util/lib/grow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_ROOM 64 /* groups */

void dsn_blocks_init(struct dsn_blocks *b, size_t limit)
{
    *b = (struct dsn_blocks){ .limit = limit < DSN_BLOCK_NONE ? limit : DSN_BLOCK_NONE - 1 };
}

void dsn_blocks_free(struct dsn_blocks *b)
{
    free(b->slots);
    free(b->values);
    dsn_blocks_init(b, b->limit);
}

/* The slot of the group, or the free one where it belongs. */
static struct dsn_block_slot *slot_of(const struct dsn_blocks *b, uint64_t key)
{
    uint64_t h = (key ^ b->seed) * 0x9e3779b97f4a7c15u;
    size_t i;

    h ^= h >> 32;
    i = (size_t)(h * 0xd6e8feb86659fd93u >> 16) & (b->size - 1);
    while (b->slots[i].group != DSN_BLOCK_NONE && b->slots[i].key != key)
        i = (i + 1) & (b->size - 1);
    return &b->slots[i];
}

/* Doubles the number of groups; at most half of the slots are used. */
static int grow(struct dsn_blocks *b)
{
    struct dsn_block_slot *old = b->slots, *slots;
    const size_t n = b->size, room = b->room ? 2 * b->room : FIRST_ROOM;

    if (!dsn_resize(&b->values, room, DSN_BLOCK_GROUP * sizeof *b->values))
        return 0;
    slots = malloc(2 * room * sizeof *slots);
    if (!slots)
        return 0;
    if (n == 0 && getrandom(&b->seed, sizeof b->seed, GRND_NONBLOCK) != (ssize_t)sizeof b->seed)
        b->seed = (uint64_t)(uintptr_t)slots;
    b->room = room;
    b->slots = slots;
    b->size = 2 * room;
    for (size_t i = 0; i < b->size; i++)
        slots[i].group = DSN_BLOCK_NONE;
    for (size_t i = 0; i < n; i++)
        if (old[i].group != DSN_BLOCK_NONE)
            *slot_of(b, old[i].key) = old[i];
    free(old);
    return 1;
}

/* The group, or DSN_BLOCK_NONE. */
static uint32_t group_of(struct dsn_blocks *b, uint64_t key)
{
    if (b->last == 0 || b->last_key != key) {
        b->last = (b->size ? slot_of(b, key)->group : DSN_BLOCK_NONE) + 1;
        b->last_key = key;
    }
    return b->last - 1;
}

static uint32_t *value_of(const struct dsn_blocks *b, uint32_t group, uint64_t key)
{
    return b->values + (size_t)group * DSN_BLOCK_GROUP + key % DSN_BLOCK_GROUP;
}

uint32_t *dsn_blocks_value(struct dsn_blocks *b, uint64_t key)
{
    uint32_t group = group_of(b, key / DSN_BLOCK_GROUP);

    if (group == DSN_BLOCK_NONE) {
        if (b->ngroups == b->room && !grow(b))
            return NULL;
        group = (uint32_t)b->ngroups++;
        b->last = group + 1;
        *slot_of(b, key / DSN_BLOCK_GROUP) = (struct dsn_block_slot){ key / DSN_BLOCK_GROUP, group };
        memset(value_of(b, group, 0), 0, DSN_BLOCK_GROUP * sizeof *b->values);
    }
    return value_of(b, group, key);
}

uint32_t dsn_blocks_find(struct dsn_blocks *b, uint64_t key)
{
    const uint32_t group = group_of(b, key / DSN_BLOCK_GROUP);

    return group == DSN_BLOCK_NONE ? DSN_BLOCK_NONE : *value_of(b, group, key) - 1; /* for 0: DSN_BLOCK_NONE */
}

uint32_t dsn_blocks_add(struct dsn_blocks *b, uint64_t key)
{
    uint32_t *value = dsn_blocks_value(b, key);

    if (!value)
        return DSN_BLOCK_NONE;
    if (*value == 0 && b->used < b->limit)
        *value = (uint32_t)++b->used;
    return *value - 1;
}
