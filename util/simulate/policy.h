/* policy.h - which block of a cache goes when another one needs its place
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks are small numbers (blocks.h), whose maximum is known to a cache at creation; the state of a policy is in
 * arrays indexed by them. Each policy is a file that names its source, and a row of the table in policy.c. The optimum
 * needs to know when a block is used next, which is possible only for a known sequence: it is a bound. Private to
 * util/simulate. */
#ifndef DSN_SIMULATE_POLICY_H
#define DSN_SIMULATE_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "blocks.h"

#define DSN_CACHE_LISTS 4

struct dsn_cache;

struct dsn_policy {
    const char *name, *title;
    int needs_future;
    /* The block is used, and is or was not in the cache: returns whether it was. Sets cache->victim. */
    int (*use)(struct dsn_cache *c, uint32_t block, uint64_t next);
};

/* Blocks in the order of their arrival or use; a block is in one list at most. */
struct dsn_cache_list {
    uint32_t newest, oldest;
    size_t n;
};

struct dsn_cache_entry {
    uint32_t newer, older;
    uint8_t list; /* number of the list that it is in, plus 1; 0: none */
    uint8_t uses; /* what CLOCK and S3-FIFO count of it */
};

struct dsn_cache {
    const struct dsn_policy *policy;
    size_t capacity, nblocks; /* blocks that it has room for; numbers are below nblocks */
    uint32_t victim;          /* the block that went at the last use; DSN_BLOCK_NONE: none did */
    struct dsn_cache_entry *entry;
    struct dsn_cache_list list[DSN_CACHE_LISTS];
    double target;  /* ARC */
    uint64_t *next; /* OPT: when each block is used next */
    uint32_t *heap; /* OPT: resident blocks, the one used last on top */
    uint32_t *at;   /* OPT: place of each in the heap, plus 1 */
    size_t nheap;
};

/* Policy i = 0, 1, ...; NULL when there are no more. The first is LRU. */
const struct dsn_policy *dsn_policy(size_t i);
const struct dsn_policy *dsn_policy_named(const char *name);

/* Returns 0 if there is no memory. `capacity` 0: nothing ever stays. */
int dsn_cache_init(struct dsn_cache *c, const struct dsn_policy *policy, size_t capacity, size_t nblocks);
void dsn_cache_free(struct dsn_cache *c);

/* There are more blocks now, which were never used. Not for OPT. Returns 0 if there is no memory. */
int dsn_cache_grow(struct dsn_cache *c, size_t nblocks);

/* A block is used, and next at `next` (any number that grows; UINT64_MAX: never), which only OPT looks at. Returns
 * whether it was in the cache; it is now, and c->victim is what went for it. */
int dsn_cache_use(struct dsn_cache *c, uint32_t block, uint64_t next);

/* Whether a block is in the cache, which changes nothing. */
int dsn_cache_has(const struct dsn_cache *c, uint32_t block);

/* ------------------------------------------------------------------ for policies */

int dsn_lru_use(struct dsn_cache *c, uint32_t block, uint64_t next);
int dsn_clock_use(struct dsn_cache *c, uint32_t block, uint64_t next);
int dsn_arc_use(struct dsn_cache *c, uint32_t block, uint64_t next);
int dsn_s3fifo_use(struct dsn_cache *c, uint32_t block, uint64_t next);
int dsn_opt_use(struct dsn_cache *c, uint32_t block, uint64_t next);

void dsn_cache_enter(struct dsn_cache *c, int list, uint32_t block); /* as the newest one */
void dsn_cache_leave(struct dsn_cache *c, uint32_t block);
uint32_t dsn_cache_oldest(struct dsn_cache *c, int list); /* leaves it; the list is not empty */
int dsn_cache_in(const struct dsn_cache *c, int list, uint32_t block);

#endif
