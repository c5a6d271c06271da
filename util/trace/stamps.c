/* stamps.c - CPU times of operations, from samples of their threads
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "stamps.h"

#include <stdlib.h>

#include "pairmap.h"
#include "util/lib/grow.h"

#define MAX_SECONDS 9e9 /* like other times in traces */

/* A sample: CPU time used until then by all threads that had this number in the trace. */
struct moment {
    uint64_t time, used; /* ns */
};

struct thread {
    const struct moment *next, *end; /* samples not reached yet */
    uint64_t until;                  /* end of the previous operation, or the last sample */
    uint64_t used, told;
    int begun;
};

struct dsn__stamps {
    struct moment *moments;
    struct dsn__pairmap index; /* rank and thread -> number in `threads` */
    struct thread *threads;
    size_t room;
};

static int by_thread_and_time(const void *a, const void *b)
{
    const darshan_cpu_stamp *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->time < y->time || x->time > y->time)
        return x->time < y->time ? -1 : 1;
    return x->used < y->used ? -1 : x->used > y->used;
}

static int is_same_thread(const darshan_cpu_stamp *a, const darshan_cpu_stamp *b)
{
    return a->rank == b->rank && a->thread == b->thread;
}

/* Drops invalid samples. Returns the number that remain. */
static size_t drop_impossible(darshan_cpu_stamp *s, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (s[i].time >= 0 && s[i].time < MAX_SECONDS && s[i].used >= 0 && s[i].used < MAX_SECONDS)
            s[kept++] = s[i];
    return kept;
}

static int by_task_and_time(const void *a, const void *b)
{
    const darshan_cpu_stamp *x = a, *y = b;

    if (is_same_thread(x, y) && x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return by_thread_and_time(a, b);
}

/* Whether several threads have one number at the same time, as in forked processes: then the thread changes more often, in
 * the order of time, than there are other threads. */
static int is_mixed(darshan_cpu_stamp *s, size_t n)
{
    size_t tasks = 0, changes = 0;

    qsort(s, n, sizeof *s, by_task_and_time);
    for (size_t i = 1; i < n; i++)
        tasks += is_same_thread(&s[i - 1], &s[i]) && s[i - 1].task != s[i].task;
    qsort(s, n, sizeof *s, by_thread_and_time);
    for (size_t i = 1; i < n; i++)
        changes += is_same_thread(&s[i - 1], &s[i]) && s[i - 1].task != s[i].task;
    return changes > tasks;
}

uint32_t dsn__stamps_thread(struct dsn__stamps *s, int64_t rank, uint64_t thread)
{
    const uint32_t at = dsn__pairmap_add(&s->index, (uint64_t)rank, thread, 0);

    if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&s->threads, &s->room, sizeof *s->threads, at))
        return UINT32_MAX;
    return at;
}

/* The samples of each thread; a new thread with the number of one that ended starts at 0. */
static int take_moments(struct dsn__stamps *s, const darshan_cpu_stamp *stamp, size_t n)
{
    double before = 0;

    for (size_t i = 0; i < n; i++) {
        const int goes_on = i > 0 && is_same_thread(&stamp[i - 1], &stamp[i]);
        const uint32_t at = dsn__stamps_thread(s, stamp[i].rank, stamp[i].thread);
        struct moment *m = &s->moments[i];

        if (at == UINT32_MAX)
            return 0;
        if (!goes_on || stamp[i - 1].task != stamp[i].task)
            before = 0;
        m->time = (uint64_t)(stamp[i].time * 1e9 + .5);
        m->used = goes_on ? m[-1].used : 0;
        if (stamp[i].used > before) {
            m->used += (uint64_t)((stamp[i].used - before) * 1e9);
            before = stamp[i].used;
        }
        m->used = m->used < INT64_MAX ? m->used : INT64_MAX;
        if (!goes_on)
            s->threads[at].next = m;
        s->threads[at].end = m + 1;
    }
    return 1;
}

struct dsn__stamps *dsn__stamps_new(darshan_cpu_stamp *stamps, size_t n, const char **why)
{
    struct dsn__stamps *s = calloc(1, sizeof *s);

    n = drop_impossible(stamps, n);
    *why = "needs more memory than there is";
    if (s)
        dsn__pairmap_init(&s->index);
    if (n > 0 && is_mixed(stamps, n)) {
        *why = "there are no CPU times, because several processes have the same thread ids";
    } else if (s && (s->moments = malloc((n + 1) * sizeof *s->moments)) != NULL && take_moments(s, stamps, n)) {
        free(stamps);
        return s;
    }
    free(stamps);
    dsn__stamps_free(s);
    return NULL;
}

void dsn__stamps_free(struct dsn__stamps *s)
{
    if (!s)
        return;
    dsn__pairmap_free(&s->index);
    free(s->threads);
    free(s->moments);
    free(s);
}

/* The time of a sample is the start of an operation; its value is the CPU time at the end of that operation. */
uint64_t dsn__stamps_used(struct dsn__stamps *s, uint32_t thread, uint64_t start, uint64_t duration)
{
    struct thread *t = &s->threads[thread];
    uint64_t more;

    if (!t->begun && !t->end)
        t->until = start; /* no samples */
    t->begun = 1;
    for (; t->next < t->end && t->next->time <= start + 1; t->next++) {
        t->used = t->next->used;
        t->until = t->until > t->next->time ? t->until : t->next->time;
    }
    if (start > t->until)
        t->used += start - t->until;
    if (t->next < t->end && t->used > t->next->used)
        t->used = t->next->used;
    t->used = t->used < INT64_MAX ? t->used : INT64_MAX;
    if (start + duration > t->until)
        t->until = start + duration;
    more = t->used > t->told ? t->used - t->told : 0;
    t->told += more;
    return more;
}
