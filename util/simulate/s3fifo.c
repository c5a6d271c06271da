/* s3fifo.c - S3-FIFO: a small queue, from which only reused blocks move to the main queue, and a ghost queue
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: Yang, Zhang, Qiu, Yue, Rashmi, "FIFO queues are all you need for cache eviction", SOSP '23, algorithm 1: the
 * small queue has a tenth of the cache, there are as many ghosts as blocks in the main queue, and uses are counted up
 * to 3. */
#include <config.h>
#include "policy.h"

enum { SMALL, MAIN, GHOST };

static size_t small_share(const struct dsn_cache *c)
{
    return c->capacity >= 20 ? c->capacity / 10 : 1;
}

static void evict_main(struct dsn_cache *c)
{
    while (c->list[MAIN].n > 0) {
        const uint32_t b = dsn_cache_oldest(c, MAIN);

        if (c->entry[b].uses == 0) {
            c->victim = b;
            return;
        }
        c->entry[b].uses--;
        dsn_cache_enter(c, MAIN, b);
    }
}

static void evict_small(struct dsn_cache *c)
{
    const size_t main = c->capacity - small_share(c);

    while (c->list[SMALL].n > 0) {
        const uint32_t b = dsn_cache_oldest(c, SMALL);

        if (c->entry[b].uses > 1) {
            c->entry[b].uses = 0;
            dsn_cache_enter(c, MAIN, b);
            if (c->list[MAIN].n > main) {
                evict_main(c);
                return;
            }
            continue;
        }
        c->victim = b;
        if (main > 0 && c->list[GHOST].n == main)
            dsn_cache_oldest(c, GHOST);
        if (main > 0)
            dsn_cache_enter(c, GHOST, b);
        return;
    }
}

int dsn_s3fifo_use(struct dsn_cache *c, uint32_t block, uint64_t next)
{
    struct dsn_cache_entry *e = &c->entry[block];
    int ghost;

    (void)next;
    if (dsn_cache_in(c, SMALL, block) || dsn_cache_in(c, MAIN, block)) {
        e->uses = (uint8_t)(e->uses < 3 ? e->uses + 1 : 3);
        return 1;
    }
    ghost = dsn_cache_in(c, GHOST, block);
    if (ghost)
        dsn_cache_leave(c, block);
    while (c->list[SMALL].n + c->list[MAIN].n >= c->capacity) {
        if (c->list[SMALL].n >= small_share(c) || c->list[MAIN].n == 0)
            evict_small(c);
        else
            evict_main(c);
    }
    e->uses = 0;
    dsn_cache_enter(c, ghost && c->capacity > 1 ? MAIN : SMALL, block);
    return 0;
}
