/* pages.c - the page cache of a node
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "pages.h"

#include <math.h>
#include <stdlib.h>

#define MAX_BLOCKS ((size_t)1 << 27)

int dsn_pages_expect(struct dsn_pages *p, uint64_t key)
{
    if (p->map.limit == 0)
        dsn_blocks_init(&p->map, MAX_BLOCKS);
    return dsn_blocks_add(&p->map, key) != DSN_BLOCK_NONE;
}

int dsn_pages_begin(struct dsn_pages *p, const struct dsn_policy *policy, uint64_t blocks)
{
    p->newest = p->oldest = DSN_BLOCK_NONE;
    p->page = calloc(p->map.used ? p->map.used : 1, sizeof *p->page);
    return p->page && dsn_cache_init(&p->cache, policy, (size_t)(blocks < SIZE_MAX ? blocks : SIZE_MAX), p->map.used);
}

void dsn_pages_free(struct dsn_pages *p)
{
    dsn_blocks_free(&p->map);
    dsn_cache_free(&p->cache);
    free(p->page);
    p->page = NULL;
}

static void leave_dirty(struct dsn_pages *p, uint32_t i)
{
    struct dsn_page *b = &p->page[i];

    *(b->newer == DSN_BLOCK_NONE ? &p->newest : &p->page[b->newer].older) = b->older;
    *(b->older == DSN_BLOCK_NONE ? &p->oldest : &p->page[b->older].newer) = b->newer;
    b->dirty = 0;
    p->ndirty--;
}

static void enter_dirty(struct dsn_pages *p, uint32_t i, double now)
{
    struct dsn_page *b = &p->page[i];

    b->newer = DSN_BLOCK_NONE;
    b->older = p->newest;
    *(p->newest == DSN_BLOCK_NONE ? &p->oldest : &p->page[p->newest].newer) = i;
    p->newest = i;
    b->dirty = 1;
    b->since = now;
    p->ndirty++;
}

/* Uses a block; DSN_BLOCK_NONE: nobody was told of it, it stays out. */
static uint32_t use(struct dsn_pages *p, uint64_t key, struct dsn_page_plan *plan, int *hit)
{
    const uint32_t i = dsn_blocks_find(&p->map, key);

    *hit = 0;
    if (i == DSN_BLOCK_NONE)
        return i;
    p->page[i].key = key;
    *hit = dsn_cache_use(&p->cache, i, UINT64_MAX);
    if (p->cache.victim != DSN_BLOCK_NONE && p->cache.victim != i && p->page[p->cache.victim].dirty) {
        leave_dirty(p, p->cache.victim);
        plan->dirty_out++;
    }
    return i;
}

static int has(struct dsn_pages *p, uint64_t key)
{
    const uint32_t i = dsn_blocks_find(&p->map, key);

    return i != DSN_BLOCK_NONE && dsn_cache_has(&p->cache, i);
}

/* The first window of a stream, by the size of its first request. */
static uint64_t first_window(uint64_t request, uint64_t most)
{
    uint64_t size = 1;

    while (size < request && size < most)
        size *= 2;
    size *= size <= most / 32 ? 4 : size <= most / 4 ? 2 : 1;
    return size < most ? size : most;
}

static uint64_t next_window(uint64_t size, uint64_t most)
{
    if (size < most / 16)
        return 4 * size;
    return size <= most / 2 ? 2 * size : most;
}

/* Blocks [first, end) that are absent come in behind the reader's back. */
static uint64_t bring(struct dsn_pages *p, uint64_t base, uint64_t first, uint64_t end, struct dsn_page_plan *plan)
{
    uint64_t n = 0;
    int hit;

    for (uint64_t b = first; b < end; b++)
        if (!has(p, base + b)) {
            use(p, base + b, plan, &hit); /* blocks that nobody asks for are fetched, too */
            n++;
        }
    return n;
}

static void read_ahead(struct dsn_pages *p, struct dsn_stream *s, uint64_t base, uint64_t extent, uint64_t first,
                       uint64_t end, uint64_t window, struct dsn_page_plan *plan)
{
    if (plan->misses > 0) { /* what is missing is read with a window of its own */
        const uint64_t request = end - first;

        s->size = s->size ? next_window(s->size, window) : first_window(request, window);
        s->first = first;
        s->end = first + (s->size > request ? s->size : request);
        s->marker = s->size > request ? end : s->end;
        s->end = s->end < extent ? s->end : extent;
        plan->fetch += s->end > end ? bring(p, base, end, s->end, plan) : 0;
        if (s->marker < s->end || s->size > request)
            return;
    } else if (s->size == 0 || end <= s->marker) {
        return;
    } else {
        s->size = next_window(s->size, window);
    }
    plan->ahead_first = s->end;
    s->marker = s->end;
    s->first = s->end;
    s->end = s->end + s->size < extent ? s->end + s->size : extent;
    plan->ahead = s->end > s->first ? bring(p, base, s->first, s->end, plan) : 0;
}

/* A read elsewhere whose predecessors are cached, more of them than it has blocks itself, looks like one of a stream that
 * others had a part in: as many more are read. */
static void read_context(struct dsn_pages *p, struct dsn_stream *s, uint64_t base, uint64_t extent, uint64_t first,
                         uint64_t end, uint64_t window, struct dsn_page_plan *plan)
{
    uint64_t before = 0;

    while (before < window && before < first && has(p, base + first - before - 1))
        before++;
    if (before <= end - first || plan->misses == 0)
        return;
    if (before == first)
        before *= 2; /* cached from the beginning: of the whole file */
    s->size = before + (end - first) < window ? before + (end - first) : window;
    s->first = first;
    s->end = first + s->size > end ? first + s->size : end;
    s->end = s->end < extent ? s->end : extent;
    s->marker = s->end > first ? s->end - 1 : s->end;
    plan->fetch += s->end > end ? bring(p, base, end, s->end, plan) : 0;
}

struct dsn_page_plan dsn_pages_read(struct dsn_pages *p, struct dsn_stream *s, uint64_t base, uint64_t extent,
                                    uint64_t offset, uint64_t length, uint64_t window)
{
    const uint64_t first = offset / p->block, end = length ? (offset + length - 1) / p->block + 1 : first;
    const int sequential =
        offset == 0 || offset == s->next || (s->next > 0 && offset / p->block == (s->next - 1) / p->block);
    struct dsn_page_plan plan = { 0 };
    int hit;

    for (uint64_t b = first; b < end; b++) {
        use(p, base + b, &plan, &hit);
        plan.hits += hit;
        plan.misses += !hit;
    }
    plan.fetch = plan.misses;
    if (window == 0 || end == first)
        s->size = 0;
    else if (sequential)
        read_ahead(p, s, base, extent, first, end, window, &plan);
    else if (plan.misses > 0) {
        s->size = 0;
        read_context(p, s, base, extent, first, end, window, &plan);
    }
    s->next = offset + length;
    return plan;
}

struct dsn_page_plan dsn_pages_write(struct dsn_pages *p, uint64_t base, uint64_t offset, uint64_t length, double now)
{
    const uint64_t first = offset / p->block, end = length ? (offset + length - 1) / p->block + 1 : first;
    struct dsn_page_plan plan = { 0 };
    int hit;

    for (uint64_t b = first; b < end; b++) {
        const uint32_t i = use(p, base + b, &plan, &hit);

        plan.hits += hit;
        plan.misses += !hit;
        if (i == DSN_BLOCK_NONE || !dsn_cache_has(&p->cache, i))
            plan.dirty_out++; /* there is no cache: it is written through */
        else if (!p->page[i].dirty)
            enter_dirty(p, i, now);
    }
    return plan;
}

uint64_t dsn_pages_clean(struct dsn_pages *p, uint64_t most)
{
    uint64_t n = 0, key = 0;

    while (n < most && p->oldest != DSN_BLOCK_NONE && (n == 0 || p->page[p->oldest].key == key + 1)) {
        key = p->page[p->oldest].key;
        leave_dirty(p, p->oldest);
        n++;
    }
    return n;
}

double dsn_pages_oldest(const struct dsn_pages *p)
{
    return p->oldest == DSN_BLOCK_NONE ? INFINITY : p->page[p->oldest].since;
}
