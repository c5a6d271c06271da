/* pages.c - the page cache of a node
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "pages.h"
#include "util/lib/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS ((size_t)1 << 27)
#define MAX_ORDER  9 /* of folios: 2 MiB of 4 KiB blocks */

void dsn_pages_begin(struct dsn_pages *p, const struct dsn_policy *policy, uint64_t block, uint64_t blocks)
{
    *p = (struct dsn_pages){ .block = block, .newest = DSN_BLOCK_NONE, .oldest = DSN_BLOCK_NONE };
    dsn_blocks_init(&p->map, MAX_BLOCKS);
    dsn_cache_init(&p->cache, policy, (size_t)(blocks < SIZE_MAX ? blocks : SIZE_MAX), 0);
}

uint32_t dsn_pages_number(struct dsn_pages *p, uint64_t key)
{
    const uint32_t i = dsn_blocks_add(&p->map, key);
    size_t room = p->cache.nblocks;

    if (i < room)
        return i;
    if (i != DSN_BLOCK_NONE && dsn_grow_zeroed(&p->page, &room, sizeof *p->page, i) && dsn_cache_grow(&p->cache, room))
        return i;
    p->failed = 1;
    return DSN_BLOCK_NONE;
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

/* Uses a block; DSN_BLOCK_NONE: no memory. */
static uint32_t use(struct dsn_pages *p, uint64_t key, struct dsn_page_plan *plan, int *hit)
{
    const uint32_t i = dsn_pages_number(p, key);

    *hit = 0;
    if (i == DSN_BLOCK_NONE)
        return i;
    p->page[i].key = key;
    *hit = dsn_cache_use(&p->cache, i, UINT64_MAX);
    if (!*hit)
        p->page[i].marked = 0;
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

/* The first window of a stream, from the size of its first request. */
static uint64_t first_window(uint64_t request, uint64_t most)
{
    uint64_t size = 1;

    while (size < request && size < most)
        size *= 2;
    if (size <= most / 32)
        return 4 * size;
    return size <= most / 4 ? 2 * size : most;
}

static uint64_t next_window(uint64_t size, uint64_t most)
{
    if (size < most / 16)
        return 4 * size;
    return size <= most / 2 ? 2 * size : most;
}

/* A request that reads blocks up to `end`. */
struct reading {
    struct dsn_pages *pages;
    struct dsn_stream *stream;
    struct dsn_page_plan *plan;
    uint64_t base, extent; /* of the file: key of its first block, number of blocks */
    uint64_t end, most;    /* most: blocks of a window */
};

static uint64_t mark_of(const struct dsn_stream *s)
{
    return s->first + s->size - s->later;
}

/* Number of blocks of the folio at the mark. */
static uint64_t folio_of(const struct dsn_stream *s)
{
    uint64_t n = 1;

    while (n < (uint64_t)1 << s->order && 2 * n <= s->size && mark_of(s) % (2 * n) == 0)
        n *= 2;
    return n;
}

/* Fetches the absent blocks of the window from `first` on, and marks the folio at the mark. Returns their number. */
static uint64_t bring(const struct reading *r, uint64_t first)
{
    const struct dsn_stream *s = r->stream;
    const uint64_t end = s->first + s->size < r->extent ? s->first + s->size : r->extent;
    const uint64_t mark = mark_of(s), folio = folio_of(s);
    uint64_t n = 0;
    int hit;

    for (uint64_t b = first; b < end; b++) {
        if (!has(r->pages, r->base + b)) {
            const uint32_t i = use(r->pages, r->base + b, r->plan, &hit);

            if (i != DSN_BLOCK_NONE)
                r->pages->page[i].marked = b >= mark && b < mark + folio ? (uint16_t)(b - mark + 1) : 0;
            n++;
        }
    }
    return n;
}

/* Clears the mark of a marked block's folio. Returns the folio's first block. */
static uint64_t take_mark(struct dsn_pages *p, uint64_t base, uint64_t block)
{
    const uint64_t first = block + 1 - p->page[dsn_blocks_find(&p->map, base + block)].marked;
    uint32_t i;

    for (uint64_t b = first; (i = dsn_blocks_find(&p->map, base + b)) != DSN_BLOCK_NONE; b++) {
        if (p->page[i].marked != b - first + 1 && b > block)
            break;
        p->page[i].marked = 0;
    }
    return first;
}

/* A marked block was read: fetches the next window asynchronously. */
static void go_ahead(const struct reading *r, uint64_t block)
{
    struct dsn_stream *s = r->stream;
    struct dsn_page_plan *plan = r->plan;

    if (s->size > 0 && block == mark_of(s)) {
        s->first += s->size;
        s->size = next_window(s->size, r->most);
    } else { /* another stream's mark: the next window starts one window size further on */
        uint64_t absent = block + 1;

        while (absent - block <= r->most && has(r->pages, r->base + absent))
            absent++;
        if (absent - block > r->most)
            return;
        s->first = absent;
        s->size = next_window(absent - block + r->end - block, r->most);
    }
    s->later = s->size;
    s->order = s->order + 2 < MAX_ORDER ? s->order + 2 : MAX_ORDER;
    if (plan->ahead == 0)
        plan->ahead_first = s->first;
    plan->ahead += bring(r, s->first);
    plan->ahead_end = s->first + s->size < r->extent ? s->first + s->size : r->extent;
}

/* An absent block was read: determines what is read with the request, and becomes the stream's window. */
static int choose_window(const struct reading *r, uint64_t block)
{
    struct dsn_stream *s = r->stream;
    const uint64_t request = r->end - block, most = request > r->most ? request : r->most;
    uint64_t before = 0;

    if (block == 0 || request > r->most || (s->next > 0 && block - s->next / r->pages->block <= 1)) {
        s->first = block;
        s->size = first_window(request, most);
        s->later = s->size > request ? s->size - request : s->size / 2;
    } else {
        /* Not sequential: if more blocks before it are cached than are requested, it is treated as part of an
         * interleaved stream, and as many more are read; twice as many if they are the whole file so far. */
        while (before < most && before < block && has(r->pages, r->base + block - before - 1))
            before++;
        if (before <= request)
            return 0;
        before *= before == block ? 2 : 1;
        s->first = block;
        s->size = before + request < most ? before + request : most;
        s->later = 1;
    }
    s->order = 0;
    r->plan->fetch += bring(r, r->end);
    return 1;
}

struct dsn_page_plan dsn_pages_read(struct dsn_pages *p, struct dsn_stream *s, uint64_t base, uint64_t extent,
                                    uint64_t offset, uint64_t length, uint64_t window)
{
    const uint64_t first = offset / p->block, end = length ? (offset + length - 1) / p->block + 1 : first;
    struct dsn_page_plan plan = { 0 };
    const struct reading r = { p, s, &plan, base, extent, end, window };
    int chosen = 0;

    for (uint64_t b = first; b < end; b++) {
        int hit;
        const uint32_t i = use(p, base + b, &plan, &hit);

        plan.hits += hit;
        plan.misses += !hit;
        plan.fetch += !hit;
        if (!hit && plan.misses == 1 && window > 0)
            chosen = choose_window(&r, b);
        if (hit && p->page[i].marked)
            go_ahead(&r, take_mark(p, base, b));
        else if (!hit && chosen && b == mark_of(s))
            go_ahead(&r, b);
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
            plan.dirty_out++; /* no cache: written through */
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
