/* opt.c - the optimum: the block that is used again last, or never, goes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5 (1966), and Mattson
 * et al. (1970). A cache must take in what is used, so that a block that is never used again also has a place until the
 * next one comes. */
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

    if (hit) { /* it was to be used at once: later than this is no less */
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
