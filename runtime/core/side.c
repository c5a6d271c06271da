/* side.c - memory outside of the arena
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/side.h"

#include <sys/mman.h>

#include "core/state.h"
#include "module/heatmap.h"

#define PIECE ((size_t)64 * 1024)
#define PAGE  ((size_t)64 * 1024) /* of any kernel, at most: where pools begin */

static int is_off(unsigned module)
{
    return dsn__state.config.disabled >> module & 1;
}

static size_t trace_memory(unsigned module)
{
    const int64_t kib = dsn__state.config.max_records.of[module];

    if (is_off(module))
        return 0;
    return kib > 0 && kib < INT64_C(1) << 40 ? (size_t)kib * 1024 : DSN_TRACE_MEMORY;
}

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

/* A mapping of a former life of the library is used again, if it is as large as is wanted now. */
static int map(struct dsn_side *s, size_t size)
{
    if (s->base && s->size == size)
        return 1;
    if (s->base)
        munmap(s->base, s->size);
    s->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    s->size = size;
    if (s->base != MAP_FAILED)
        return 1;
    s->base = NULL;
    return 0;
}

void dsn__side_start(void)
{
    static const unsigned modules[DSN_NTRACES] = { DSN_DXT_POSIX_MODULE, DSN_DXT_MPIIO_MODULE };
    struct dsn_side *s = &dsn__state.side;
    const size_t heat = is_off(DSN_HEATMAP_MODULE) ? 0 : whole_pages(DSN_HEAT_BYTES);
    size_t size = heat, at = heat;

    for (int i = 0; i < DSN_NTRACES; i++) {
        s->trace[i].size = trace_memory(modules[i]);
        size += whole_pages(s->trace[i].size);
    }
    if (size == 0 || !map(s, size))
        return;
    s->heat = heat > 0 ? (void *)s->base : NULL;
    for (int i = 0; i < DSN_NTRACES; i++) {
        s->trace[i].base = s->base + at;
        at += whole_pages(s->trace[i].size);
        dsn__state.tracing |= s->trace[i].size > 0 ? 1 << i : 0;
    }
}

/* As in state.c: pages that come one by one, each at its first touch, are what tracing would cost most. */
static void have_present(struct dsn_side_pool *p, size_t until)
{
#ifdef MADV_POPULATE_WRITE
    size_t from = atomic_load_explicit(&p->present, memory_order_relaxed);
    const size_t to = p->size - from < PIECE ? p->size : from + PIECE;

    if (until > from && atomic_compare_exchange_strong(&p->present, &from, to))
        madvise(p->base + from, to - from, MADV_POPULATE_WRITE);
#endif
    (void)p;
    (void)until;
}

void *dsn__side_take(struct dsn_side_pool *pool, size_t size, size_t keep)
{
    size_t used = atomic_load_explicit(&pool->used, memory_order_relaxed);

    do {
        if (pool->size < keep || size > pool->size - keep || used > pool->size - keep - size)
            return NULL;
    } while (!atomic_compare_exchange_weak(&pool->used, &used, used + size));
    have_present(pool, used + size);
    return pool->base + used;
}
