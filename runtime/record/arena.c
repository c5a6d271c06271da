/* arena.c - the arena: bounded memory for records, never freed
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/arena.h"

#include <stdbool.h>
#include <string.h>

#include "base/kernel.h"
#include "base/pages.h"

#define LINE 64        /* bytes of a cache line */
#define MANY 65536     /* the most bytes that are populated at once */
#define STEP (1 << 20) /* of the limit */

const struct dsn_backing *dsn__backing;

static size_t whole_pages(size_t size)
{
    return (size + DSN_PAGE - 1) & ~(size_t)(DSN_PAGE - 1);
}

size_t dsn__arena_reserve(const struct dsn_arena *a)
{
    return (a->size < DSN_ARENA_FIRST ? a->size : DSN_ARENA_FIRST) / 16;
}

void dsn__arena_start(struct dsn_arena *a)
{
    const size_t used = atomic_load(&a->used), end = used < a->size ? used : a->size;

    if (end > a->first)
        memset(a->base + a->first, 0, end - a->first);
    atomic_store(&a->limit, a->size - a->first < DSN_ARENA_FIRST ? a->size : a->first + DSN_ARENA_FIRST);
    atomic_store(&a->may_grow, 1);
    atomic_store(&a->reserve, dsn__arena_reserve(a));
    atomic_store(&a->used, a->first);
    atomic_store(&a->promised, 0);
}

void dsn__limit_in_file(atomic_size_t *in_file, const char *base, const char *from)
{
    const size_t until = (size_t)(from - base);
    size_t now = atomic_load(in_file);

    while (from && until < now && !atomic_compare_exchange_weak(in_file, &now, until))
        ;
}

/* Populates pages ahead of use: one fault per page at first touch is the main cost of a new file. Kernels without
 * MADV_POPULATE_WRITE still fault pages in one by one. Most processes need little, so the amount doubles each time. Two
 * threads may request the same pages; neither continues before they are present. */
static void populate_until(struct dsn_arena *a, size_t until)
{
    size_t from = atomic_load_explicit(&a->present, memory_order_acquire), more, to;

    if (until <= from)
        return;
    more = from - a->first;
    to = whole_pages(until + (more < MANY ? more : MANY));
    to = to < a->size ? to : a->size;
    dsn__limit_in_file(&a->in_file, a->base, dsn__backing->populate(a->base + from, to - from, a->base + a->size));
    while (from < to && !atomic_compare_exchange_weak(&a->present, &from, to))
        ;
}

/* `align` is a power of two. */
static void *take_bytes(struct dsn_arena *a, size_t size, size_t align, size_t limit)
{
    size_t used = atomic_load_explicit(&a->used, memory_order_relaxed), at;

    do {
        at = (used + align - 1) & ~(align - 1);
        if (size > limit || at > limit - size)
            return NULL;
    } while (!atomic_compare_exchange_weak(&a->used, &used, at + size));
    populate_until(a, at + size);
    return a->base + at;
}

/* Raises the limit from `limit`. Returns false if that may not be. */
static bool grow(struct dsn_arena *a, size_t limit)
{
    const size_t more = a->size - limit < STEP ? a->size - limit : STEP;

    if (more == 0 || !atomic_load_explicit(&a->may_grow, memory_order_relaxed))
        return false;
    if (!dsn__backing->has_room(more)) {
        atomic_store(&a->may_grow, 0);
        return false;
    }
    atomic_compare_exchange_strong(&a->limit, &limit, limit + more); /* or another thread has */
    return true;
}

/* Memory that two threads may write at the same time is aligned to a cache line. Smaller pieces are names and the like,
 * which are only read. */
static size_t align_of(size_t size)
{
    return size < DSN_RECORD_LEAST ? 8 : LINE;
}

/* Leaves `left` bytes and the reserve. */
static void *take_growing(struct dsn_arena *a, size_t size, size_t left)
{
    size_t limit;
    void *p;

    do {
        limit = atomic_load_explicit(&a->limit, memory_order_relaxed);
        p = take_bytes(a, size, align_of(size), limit - left - a->reserve);
    } while (!p && grow(a, limit));
    return p;
}

void *dsn__alloc(size_t size)
{
    return take_growing(dsn__arena, size, 0);
}

/* Allocates from what is neither reserved nor promised. */
static void *take_free(struct dsn_arena *a, size_t size)
{
    return take_growing(a, size, atomic_load(&a->promised));
}

void *dsn__alloc_file(size_t size)
{
    return take_free(dsn__arena, size);
}

bool dsn__alloc_promise(size_t size)
{
    struct dsn_arena *a = dsn__arena;
    size_t promised = atomic_load(&a->promised), limit;

    do {
        limit = atomic_load_explicit(&a->limit, memory_order_relaxed);
        if (promised + size + LINE > limit / 4 && !grow(a, limit))
            return false;
    } while (promised + size + LINE > limit / 4 ||
             !atomic_compare_exchange_weak(&a->promised, &promised, promised + size + LINE));
    return true;
}

void *dsn__alloc_access(size_t size, int promised)
{
    struct dsn_arena *a = dsn__arena;

    if (promised)
        atomic_fetch_sub(&a->promised, size + LINE);
    return take_free(a, size);
}

void *dsn__alloc_reserved(size_t size)
{
    struct dsn_arena *a = dsn__arena;
    void *p = take_bytes(a, size, align_of(size), a->limit);
    size_t reserve = atomic_load(&a->reserve), less;

    do
        less = reserve > size + LINE ? reserve - size - LINE : 0;
    while (p && !atomic_compare_exchange_weak(&a->reserve, &reserve, less));
    return p;
}
