/* clock.c - CLOCK, or second chance: FIFO, but a block that was used stays for another round
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: Corbató, "A paging experiment with the Multics system", MIT Project MAC, 1968. A new block has its reference
 * bit set. Advancing the hand is the same as moving the last element of a list to its front. */
#include <config.h>
#include "policy.h"

int dsn_clock_use(struct dsn_cache *c, uint32_t block, uint64_t next)
{
    const int hit = c->entry[block].list != 0;

    (void)next;
    c->entry[block].uses = 1;
    if (hit)
        return 1;
    while (c->list[0].n == c->capacity) {
        const uint32_t old = dsn_cache_oldest(c, 0);

        if (c->entry[old].uses) {
            c->entry[old].uses = 0;
            dsn_cache_enter(c, 0, old);
        } else {
            c->victim = old;
        }
    }
    dsn_cache_enter(c, 0, block);
    return 0;
}
