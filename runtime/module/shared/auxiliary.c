/* auxiliary.c - buffers outside of the arena
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/shared/auxiliary.h"

#include <stdbool.h>
#include <string.h>

#include "base/kernel.h"
#include "base/pages.h"
#include "config/settings.h"
#include "record/arena.h"
#include "record/span.h"

#define PIECE ((size_t)64 * 1024)
#define PAGE  ((size_t)64 * 1024) /* the largest page size of any kernel: alignment of pools */

static bool is_off(unsigned module)
{
    return dsn__config->disabled >> module & 1;
}

static size_t trace_memory(unsigned module)
{
    const int64_t kib = dsn__config->max_records.of[module];

    if (is_off(module))
        return 0;
    return kib > 0 && kib < INT64_C(1) << 40 ? (size_t)kib * 1024 : DSN_TRACE_MEMORY;
}

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

static size_t heat_memory(void)
{
    return is_off(DSN_HEATMAP_MODULE) ? 0 : whole_pages(DSN_HEAT_BYTES);
}

static size_t thread_memory(void)
{
    return whole_pages(DSN_TRACE_THREADS * sizeof dsn__auxiliary->thread[0]);
}

static const unsigned modules[DSN_NTRACES] = { DSN_DXT_POSIX_MODULE, DSN_DXT_MPIIO_MODULE };

size_t dsn__auxiliary_size(void)
{
    size_t traces = 0;

    for (int i = 0; i < DSN_NTRACES; i++)
        traces += whole_pages(trace_memory(modules[i]));
    return heat_memory() + (traces > 0 ? thread_memory() + traces : 0);
}

void dsn__auxiliary_start(char *base, size_t size)
{
    struct dsn_auxiliary *s = dsn__auxiliary;
    size_t at = heat_memory();

    s->tracing = dsn__switch.traces_calls ? DSN_TRACING_CALLS : 0;
    if (size == 0)
        return;
    s->heat = at > 0 ? (void *)base : NULL;
    s->thread = size > at ? (void *)(base + at) : NULL;
    if (s->thread) {
        s->threads_are_anonymous = dsn__backing->populate((char *)s->thread, DSN_TRACE_THREADS * sizeof s->thread[0],
                                                          base + at + thread_memory()) != NULL;
        at += thread_memory();
    }
    for (int i = 0; i < DSN_NTRACES; i++) {
        s->trace[i].size = trace_memory(modules[i]);
        s->trace[i].base = base + at;
        atomic_store(&s->trace[i].in_file, s->trace[i].size);
        at += whole_pages(s->trace[i].size);
        dsn__auxiliary->tracing |= s->trace[i].size > 0 ? 1 << i : 0;
    }
}

void dsn__auxiliary_start_again(void)
{
    struct dsn_auxiliary *s = dsn__auxiliary;

    for (size_t page = dsn__heat_next_had(s, 0); s->heat && page < DSN_HEAT_BYTES / DSN_PAGE;
         page = dsn__heat_next_had(s, page + 1))
        memset((char *)s->heat + page * DSN_PAGE, 0, DSN_PAGE);
    for (int i = 0; i < DSN_NTRACES; i++) {
        memset(s->trace[i].base, 0, s->trace[i].size > 0 ? atomic_load(&s->trace[i].used) : 0);
        atomic_store(&s->trace[i].used, 0);
    }
    atomic_store(&s->untraced, 0);
}

/* As in arena.c: single page faults would dominate the cost of tracing. */
static void populate_until(struct dsn_auxiliary_pool *p, size_t until)
{
    size_t from = atomic_load_explicit(&p->present, memory_order_acquire);
    const size_t to = until + PIECE < p->size ? (until + PIECE - 1) / PIECE * PIECE : p->size;

    if (until <= from)
        return;
    dsn__limit_in_file(&p->in_file, p->base,
                       dsn__backing->populate(p->base + from, to - from, p->base + whole_pages(p->size)));
    while (from < to && !atomic_compare_exchange_weak(&p->present, &from, to))
        ;
}

/* Maps `at` to its page number, bitmap word and bit. */
static _Atomic(uint64_t) *bits_of(struct dsn_auxiliary *s, const void *at, size_t *page, uint64_t *bit)
{
    *page = (size_t)((const char *)at - (const char *)s->heat) / DSN_PAGE;
    *bit = (uint64_t)1 << *page % 64;
    return &s->heat_present[*page / 64 % DSN_HEAT_WORDS];
}

bool dsn__auxiliary_is_in_file(void)
{
    const struct dsn_auxiliary *s = dsn__auxiliary;

    for (int i = 0; i < DSN_NTRACES; i++)
        if (atomic_load(&s->trace[i].used) > atomic_load(&s->trace[i].in_file))
            return false;
    return !s->threads_are_anonymous && !dsn__heat_is_anonymous(s);
}

bool dsn__heat_is_anonymous(const struct dsn_auxiliary *s)
{
    for (int i = 0; i < DSN_HEAT_WORDS; i++)
        if (atomic_load(&s->heat_anonymous[i]) != 0)
            return true;
    return false;
}

size_t dsn__heat_next_had(const struct dsn_auxiliary *s, size_t page)
{
    for (; page < (size_t)64 * DSN_HEAT_WORDS; page = (page / 64 + 1) * 64) {
        const uint64_t bits = atomic_load_explicit(&s->heat_present[page / 64], memory_order_relaxed) >> page % 64;

        if (bits != 0)
            return page + (size_t)__builtin_ctzll(bits);
    }
    return SIZE_MAX;
}

void dsn__heat_populate(const void *at)
{
    uint64_t bit;
    size_t page;
    _Atomic(uint64_t) *bits = bits_of(dsn__auxiliary, at, &page, &bit);
    char *first;

    if (atomic_load_explicit(bits, memory_order_acquire) & bit)
        return;
    first = (char *)dsn__auxiliary->heat + page * DSN_PAGE;
    if (dsn__backing->populate(first, DSN_PAGE, first + DSN_PAGE))
        atomic_fetch_or(&dsn__auxiliary->heat_anonymous[page / 64 % DSN_HEAT_WORDS], bit);
    atomic_fetch_or(bits, bit);
}

void dsn__heat_note(struct dsn_auxiliary *s, const void *at)
{
    uint64_t bit;
    size_t page;
    _Atomic(uint64_t) *bits = bits_of(s, at, &page, &bit);

    atomic_fetch_or(bits, bit);
}

void *dsn__auxiliary_take(struct dsn_auxiliary_pool *pool, size_t size, size_t keep)
{
    size_t used = atomic_load_explicit(&pool->used, memory_order_relaxed);

    do {
        if (pool->size < keep || size > pool->size - keep || used > pool->size - keep - size)
            return NULL;
    } while (!atomic_compare_exchange_weak(&pool->used, &used, used + size));
    populate_until(pool, used + size);
    return pool->base + used;
}
