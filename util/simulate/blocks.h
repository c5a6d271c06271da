/* blocks.h - small numbers 0, 1, 2, ... for the blocks of files, in the order in which they are first touched
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a cache knows of a block then stands in an array, and only this table hashes. Blocks that follow each other in a
 * file stand together in it, four to a cache line, for that is how programs read. Private to util/simulate. */
#ifndef DSN_SIMULATE_BLOCKS_H
#define DSN_SIMULATE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define DSN_BLOCK_NONE UINT32_MAX

struct dsn_blocks {
    struct dsn_block_slot {
        uint64_t key;
        uint32_t number; /* DSN_BLOCK_NONE: the slot is free */
        uint32_t place;  /* what the user of the table keeps of the block; at first 0 */
    } * slots;           /* `size` of them, a power of two or 0 */
    size_t size, used, limit;
    uint64_t seed;
};

/* An empty table, which will have `limit` blocks at most; allocates nothing. */
void dsn_blocks_init(struct dsn_blocks *b, size_t limit);
void dsn_blocks_free(struct dsn_blocks *b);

/* The number of a block; DSN_BLOCK_NONE if it has none. */
uint32_t dsn_blocks_find(const struct dsn_blocks *b, uint64_t key);

/* The same, and one that is not there gets the next number. DSN_BLOCK_NONE: there is no memory, or too many. */
uint32_t dsn_blocks_add(struct dsn_blocks *b, uint64_t key);

/* The slot itself, which stays where it is until another block is added. NULL: there is no memory, or too many. */
struct dsn_block_slot *dsn_blocks_slot(struct dsn_blocks *b, uint64_t key);

#endif
