/* lru.c - least recently used
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9
 * (1970): the content of a cache is a subset of a larger one's. */
#include <config.h>
#include "policy.h"

int dsn_lru_use(struct dsn_cache *c, uint32_t block, uint64_t next)
{
    const int hit = c->entry[block].list != 0;

    (void)next;
    if (hit)
        dsn_cache_leave(c, block);
    else if (c->list[0].n == c->capacity)
        c->victim = dsn_cache_oldest(c, 0);
    dsn_cache_enter(c, 0, block);
    return hit;
}
