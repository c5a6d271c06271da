/* blocks.h - small numbers 0, 1, 2, ... for the blocks of files, in the order in which they are first touched
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a cache knows of a block then stands in an array, and only this table hashes. Blocks that follow each other in a
 * file stand together in it, sixteen in a cache line, of which one hash is looked up: programs read on, and come back to
 * where they were. Memory: 6 bytes a block of files that are used as a whole, 110 of a block that is alone among
 * sixteen. Private to util/simulate. */
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
    uint32_t *values;   /* DSN_BLOCK_GROUP of each group; 0: the block was not touched */
    size_t size, ngroups, room;
    uint64_t last_key;  /* the group that was asked for last, often the next one, too */
    uint32_t last;      /* its number plus 1; 0: none was */
    size_t used, limit; /* numbers */
    uint64_t seed;
};

/* An empty table, which will have `limit` numbers at most; allocates nothing. */
void dsn_blocks_init(struct dsn_blocks *b, size_t limit);
void dsn_blocks_free(struct dsn_blocks *b);

/* The number of a block; DSN_BLOCK_NONE if it has none. */
uint32_t dsn_blocks_find(struct dsn_blocks *b, uint64_t key);

/* The same, and one that is not there gets the next number. DSN_BLOCK_NONE: there is no memory, or too many. */
uint32_t dsn_blocks_add(struct dsn_blocks *b, uint64_t key);

/* For who keeps something else than numbers: the value of a block, at first 0, which stays where it is until another block
 * is asked for. NULL: there is no memory. */
uint32_t *dsn_blocks_value(struct dsn_blocks *b, uint64_t key);

#endif
