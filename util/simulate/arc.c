/* arc.c - adaptive replacement cache: lists of blocks used once and repeatedly, with adaptive sizes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: Megiddo, Modha, "ARC: a self-tuning, low overhead replacement cache", FAST '03, figure 4, case by case. */
#include <config.h>
#include "policy.h"

enum { T1, T2, B1, B2 }; /* used once, used repeatedly; their ghosts: evicted blocks */

/* Evicts a block of T1 or T2 to its ghosts. */
static void replace(struct dsn_cache *c, int in_b2)
{
    const size_t n = c->list[T1].n;
    int list;

    if (n > 0 && ((double)n > c->target || (in_b2 && (double)n == c->target)))
        list = T1;
    else
        list = c->list[T2].n > 0 ? T2 : T1;
    c->victim = dsn_cache_oldest(c, list);
    dsn_cache_enter(c, list == T1 ? B1 : B2, c->victim);
}

/* A ghost was used: increases the target size of its list. */
static void adapt(struct dsn_cache *c, int in_b2)
{
    const double b1 = (double)c->list[B1].n, b2 = (double)c->list[B2].n, most = (double)c->capacity;

    if (in_b2)
        c->target -= b1 > b2 ? b1 / b2 : 1;
    else
        c->target += b2 > b1 ? b2 / b1 : 1;
    if (c->target < 0)
        c->target = 0;
    if (c->target > most)
        c->target = most;
}

/* A block that is in no list: makes room for it. */
static void miss(struct dsn_cache *c)
{
    const size_t l1 = c->list[T1].n + c->list[B1].n, all = l1 + c->list[T2].n + c->list[B2].n;

    if (l1 == c->capacity) {
        if (c->list[T1].n < c->capacity) {
            dsn_cache_oldest(c, B1);
            replace(c, 0);
        } else {
            c->victim = dsn_cache_oldest(c, T1);
        }
    } else if (all >= c->capacity) {
        if (all == 2 * c->capacity)
            dsn_cache_oldest(c, B2);
        replace(c, 0);
    }
}

int dsn_arc_use(struct dsn_cache *c, uint32_t block, uint64_t next)
{
    const int hit = dsn_cache_in(c, T1, block) || dsn_cache_in(c, T2, block);
    const int in_b2 = dsn_cache_in(c, B2, block), ghost = in_b2 || dsn_cache_in(c, B1, block);

    (void)next;
    if (ghost) {
        adapt(c, in_b2);
        replace(c, in_b2);
    }
    if (hit || ghost)
        dsn_cache_leave(c, block);
    else
        miss(c);
    dsn_cache_enter(c, hit || ghost ? T2 : T1, block);
    return hit;
}
