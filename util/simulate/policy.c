/* policy.c - table of policies, and their lists
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "policy.h"
#include "util/lib/grow.h"

#include <stdlib.h>
#include <string.h>

static const struct dsn_policy policies[] = {
    { "lru", "evicts the least recently used block", 0, dsn_lru_use },
    { "clock", "evicts the first block not used since the hand passed it", 0, dsn_clock_use },
    { "arc", "adapts between recency and frequency", 0, dsn_arc_use },
    { "s3fifo", "a small queue for blocks used once, and a large one", 0, dsn_s3fifo_use },
    { "opt", "evicts the block used again last: an upper bound for every policy", 1, dsn_opt_use },
};

const struct dsn_policy *dsn_policy(size_t i)
{
    return i < sizeof policies / sizeof policies[0] ? &policies[i] : NULL;
}

const struct dsn_policy *dsn_policy_named(const char *name)
{
    const struct dsn_policy *p = NULL;

    for (size_t i = 0; (p = dsn_policy(i)) != NULL && strcmp(p->name, name) != 0;)
        i++;
    return p;
}

int dsn_cache_init(struct dsn_cache *c, const struct dsn_policy *policy, size_t capacity, size_t nblocks)
{
    *c = (struct dsn_cache){ .policy = policy, .capacity = capacity, .nblocks = nblocks, .victim = DSN_BLOCK_NONE };
    for (int i = 0; i < DSN_CACHE_LISTS; i++)
        c->list[i] = (struct dsn_cache_list){ DSN_BLOCK_NONE, DSN_BLOCK_NONE, 0 };
    if (nblocks == 0)
        return 1;
    if (!policy->needs_future) {
        c->entry = calloc(nblocks, sizeof *c->entry);
        return c->entry != NULL;
    }
    c->next = calloc(nblocks, sizeof *c->next);
    c->heap = calloc(nblocks, sizeof *c->heap);
    c->at = calloc(nblocks, sizeof *c->at);
    return c->next && c->heap && c->at;
}

void dsn_cache_free(struct dsn_cache *c)
{
    free(c->entry);
    free(c->next);
    free(c->heap);
    free(c->at);
    *c = (struct dsn_cache){ 0 };
}

int dsn_cache_grow(struct dsn_cache *c, size_t nblocks)
{
    if (!dsn_resize(&c->entry, nblocks, sizeof *c->entry))
        return 0;
    memset(c->entry + c->nblocks, 0, (nblocks - c->nblocks) * sizeof *c->entry);
    c->nblocks = nblocks;
    return 1;
}

int dsn_cache_use(struct dsn_cache *c, uint32_t block, uint64_t next)
{
    c->victim = DSN_BLOCK_NONE;
    if (c->capacity == 0) {
        c->victim = block;
        return 0;
    }
    return c->policy->use(c, block, next);
}

int dsn_cache_has(const struct dsn_cache *c, uint32_t block)
{
    if (c->capacity == 0)
        return 0;
    if (c->policy->needs_future)
        return c->at[block] != 0;
    return c->entry[block].list == 1 || c->entry[block].list == 2; /* in every policy; the others are ghosts */
}

void dsn_cache_enter(struct dsn_cache *c, int list, uint32_t block)
{
    struct dsn_cache_list *l = &c->list[list];
    struct dsn_cache_entry *e = &c->entry[block];

    e->list = (uint8_t)(list + 1);
    e->newer = DSN_BLOCK_NONE;
    e->older = l->newest;
    *(l->newest == DSN_BLOCK_NONE ? &l->oldest : &c->entry[l->newest].newer) = block;
    l->newest = block;
    l->n++;
}

void dsn_cache_leave(struct dsn_cache *c, uint32_t block)
{
    struct dsn_cache_entry *e = &c->entry[block];
    struct dsn_cache_list *l = &c->list[e->list - 1];

    *(e->newer == DSN_BLOCK_NONE ? &l->newest : &c->entry[e->newer].older) = e->older;
    *(e->older == DSN_BLOCK_NONE ? &l->oldest : &c->entry[e->older].newer) = e->newer;
    l->n--;
    e->list = 0;
}

uint32_t dsn_cache_oldest(struct dsn_cache *c, int list)
{
    const uint32_t block = c->list[list].oldest;

    dsn_cache_leave(c, block);
    return block;
}

int dsn_cache_in(const struct dsn_cache *c, int list, uint32_t block)
{
    return c->entry[block].list == list + 1;
}
