/* blocks.h - assigns small numbers 0, 1, 2, ... to blocks of files, in the order of their first use
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Per-block state of caches is then in arrays, and only this table hashes. Consecutive blocks of a file are stored
 * together in groups of sixteen per cache line, with one hash lookup: programs read sequentially, and return to earlier
 * places. Memory: 6 bytes per block for files that are used completely, 110 for a block that is the only one of its
 * group. Private to util/simulate. */
#ifndef DSN_SIMULATE_BLOCKS_H
#define DSN_SIMULATE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define DSN_BLOCK_NONE  UINT32_MAX
#define DSN_BLOCK_GROUP 16

struct dsn_blocks {
    struct dsn_block_slot {
        uint64_t key;   /* of the group: that of its blocks / DSN_BLOCK_GROUP */
        uint32_t group; /* DSN_BLOCK_NONE: the slot is free */
    } * slots;          /* `size` of them, a power of two or 0 */
    uint32_t *values;   /* DSN_BLOCK_GROUP per group; 0: the block was not used */
    size_t size, ngroups, room;
    uint64_t last_key;  /* the last group looked up, often the next one, too */
    uint32_t last;      /* its number plus 1; 0: none */
    size_t used, limit; /* numbers */
    uint64_t seed;
};

/* An empty table for up to `limit` numbers; allocates nothing. */
void dsn_blocks_init(struct dsn_blocks *b, size_t limit);
void dsn_blocks_free(struct dsn_blocks *b);

/* The number of a block, or DSN_BLOCK_NONE. */
uint32_t dsn_blocks_find(struct dsn_blocks *b, uint64_t key);

/* The same, and assigns the next number to a new block. DSN_BLOCK_NONE: no memory, or too many. */
uint32_t dsn_blocks_add(struct dsn_blocks *b, uint64_t key);

/* For values other than numbers: the value of a block, initially 0, valid until the next call. NULL: no memory. */
uint32_t *dsn_blocks_value(struct dsn_blocks *b, uint64_t key);

#endif
