/* opt.c - the optimum: evicts the block whose next use is last, or never
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5 (1966), and
 * Mattson et al. (1970). A used block must enter the cache, so that even one without a next use has a place until the
 * next use of another. */
#include <config.h>
#include "policy.h"

static void place(struct dsn_cache *c, size_t i, uint32_t block)
{
    c->heap[i] = block;
    c->at[block] = (uint32_t)i + 1;
}

static void rise(struct dsn_cache *c, size_t i, uint32_t block)
{
    for (; i > 0 && c->next[c->heap[(i - 1) / 2]] < c->next[block]; i = (i - 1) / 2)
        place(c, i, c->heap[(i - 1) / 2]);
    place(c, i, block);
}

static void sink(struct dsn_cache *c, size_t i, uint32_t block)
{
    size_t child;

    while ((child = 2 * i + 1) < c->nheap) {
        child += child + 1 < c->nheap && c->next[c->heap[child + 1]] > c->next[c->heap[child]];
        if (c->next[c->heap[child]] <= c->next[block])
            break;
        place(c, i, c->heap[child]);
        i = child;
    }
    place(c, i, block);
}

int dsn_opt_use(struct dsn_cache *c, uint32_t block, uint64_t next)
{
    const int hit = c->at[block] != 0;

    if (hit) { /* its next use was now, so the new one is not earlier */
        c->next[block] = next;
        rise(c, c->at[block] - 1, block);
        return 1;
    }
    if (c->nheap == c->capacity) {
        c->victim = c->heap[0];
        c->at[c->victim] = 0;
        c->nheap--;
        if (c->nheap > 0)
            sink(c, 0, c->heap[c->nheap]);
    }
    c->next[block] = next;
    rise(c, c->nheap++, block);
    return 0;
}
