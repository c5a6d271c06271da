/* policy.h - cache replacement policies
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks are small numbers (blocks.h), whose maximum is known to a cache at creation; the state of a policy is in
 * arrays indexed by them. Each policy is a file that names its source, and a row of the table in policy.c. The optimum
 * needs the time of each block's next use, which is only possible for a known sequence: it is a bound. Private to
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
    /* Uses a block; returns whether it was in the cache. Sets cache->victim. */
    int (*use)(struct dsn_cache *c, uint32_t block, uint64_t next);
};

/* Blocks in the order of their arrival or use; a block is in at most one list. */
struct dsn_cache_list {
    uint32_t newest, oldest;
    size_t n;
};

struct dsn_cache_entry {
    uint32_t newer, older;
    uint8_t list; /* number of its list, plus 1; 0: none */
    uint8_t uses; /* use count or bit of CLOCK and S3-FIFO */
};

struct dsn_cache {
    const struct dsn_policy *policy;
    size_t capacity, nblocks; /* size in blocks; numbers are below nblocks */
    uint32_t victim;          /* the block evicted by the last use, or DSN_BLOCK_NONE */
    struct dsn_cache_entry *entry;
    struct dsn_cache_list list[DSN_CACHE_LISTS];
    double target;  /* ARC */
    uint64_t *next; /* OPT: next use of each block */
    uint32_t *heap; /* OPT: heap of cached blocks, the latest next use on top */
    uint32_t *at;   /* OPT: index of each in the heap, plus 1 */
    size_t nheap;
};

/* Policy i = 0, 1, ...; NULL at the end. The first is LRU. */
const struct dsn_policy *dsn_policy(size_t i);
const struct dsn_policy *dsn_policy_named(const char *name);

/* Returns 0 if out of memory. `capacity` 0: no block ever stays. */
int dsn_cache_init(struct dsn_cache *c, const struct dsn_policy *policy, size_t capacity, size_t nblocks);
void dsn_cache_free(struct dsn_cache *c);

/* Increases the number of blocks; the new ones are unused. Not for OPT. Returns 0 if out of memory. */
int dsn_cache_grow(struct dsn_cache *c, size_t nblocks);

/* Uses a block, which is used next at `next` (increasing numbers; UINT64_MAX: never; only used by OPT). Returns whether
 * it was in the cache; it is afterwards, and c->victim is the block evicted for it. */
int dsn_cache_use(struct dsn_cache *c, uint32_t block, uint64_t next);

/* Whether a block is in the cache; changes nothing. */
int dsn_cache_has(const struct dsn_cache *c, uint32_t block);

/* ------------------------------------------------------------------ for policies */

int dsn_lru_use(struct dsn_cache *c, uint32_t block, uint64_t next);
int dsn_clock_use(struct dsn_cache *c, uint32_t block, uint64_t next);
int dsn_arc_use(struct dsn_cache *c, uint32_t block, uint64_t next);
int dsn_s3fifo_use(struct dsn_cache *c, uint32_t block, uint64_t next);
int dsn_opt_use(struct dsn_cache *c, uint32_t block, uint64_t next);

void dsn_cache_enter(struct dsn_cache *c, int list, uint32_t block); /* as the newest one */
void dsn_cache_leave(struct dsn_cache *c, uint32_t block);
uint32_t dsn_cache_oldest(struct dsn_cache *c, int list); /* removes it; the list must not be empty */
int dsn_cache_in(const struct dsn_cache *c, int list, uint32_t block);

#endif
