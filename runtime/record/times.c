/* times.c - cumulative times of calls, without overlap
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Order of the locks: late calls of a thread, a record, a thread's history, the process's time. */
#include <config.h>

#include "record/times.h"

#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/pages.h"
#include "record/arena.h"
#include "record/module.h"

#define CALLS               128 /* of a thread's history */
#define SOME                64  /* of which so many are added at a time, fewer if there are many threads */
#define LATE                16
#define PROCESS_GAPS        1024 /* between what 16 threads add at a time: what is forgotten too early is not counted */
#define SHARD_GAPS          256  /* the same for a record with shards, whose calls are close together */
#define ABOUT_A_MILLISECOND (INT64_C(1) << 21) /* ticks */

struct call {
    _Atomic(int64_t) start, end;
    _Atomic(struct dsn_time_sum *) times; /* NULL: not added there yet */
};

/* A thread's latest calls; threads share one if there are very many. `n` calls were made in all, and the first `joined`
 * of them are in the process's time. Other threads read it without the lock: what may be overwritten meanwhile is not
 * used. */
struct history {
    _Alignas(64) dsn_lock lock;
    _Atomic(uint64_t) n;
    uint64_t joined;
    struct call call[CALLS];
    _Alignas(64) dsn_lock late_lock;
    unsigned nlate;
    struct late {
        struct dsn_record_state *state;
        struct dsn_time_sum *times;
        struct dsn_span span;
    } late[LATE];
};

static struct {
    _Atomic(struct history *) of[DSN_THREADS];
    atomic_uint threads;
} histories;

/* ------------------------------------------------------------------ gaps */

static struct dsn_gaps *make_gaps(unsigned room)
{
    struct dsn_gaps *g = dsn__alloc(sizeof *g + room * sizeof g->gap[0]);

    if (g)
        g->room = room;
    return g;
}

static void forget_oldest_quarter(struct dsn_gaps *g)
{
    const unsigned quarter = g->room / 4;

    memmove(g->gap, g->gap + quarter, (g->n - quarter) * sizeof g->gap[0]);
    g->n -= quarter;
}

/* Makes gap number `at` this one. */
static void insert(struct dsn_gaps *g, unsigned at, int64_t begin, int64_t end)
{
    const unsigned quarter = g->room / 4;

    if (g->n == g->room) {
        if (at <= quarter)
            return;
        forget_oldest_quarter(g);
        at -= quarter;
    }
    memmove(g->gap + at + 1, g->gap + at, (g->n - at) * sizeof g->gap[0]);
    g->gap[at] = (struct dsn_gap){ begin, end };
    g->n++;
}

/* The clock was set back if a call ends earlier than any delayed note could explain. What is known about earlier times
 * is on another scale. */
static bool is_set_back(const struct dsn_time_sum *t, int64_t end)
{
    const int64_t some_seconds = INT64_C(1) << 36;

    return t->end - end > some_seconds;
}

static void begin_again(struct dsn_time_sum *t, int64_t begin)
{
    t->latest.begin = t->latest.end = 0;
    if (t->older)
        t->older->n = 0;
    t->end = begin;
    if (atomic_load(&dsn__clock->by_counter))
        atomic_store(&dsn__clock->check_at, 0);
}

/* Moves the gaps that end after `begin` to the end of the list's memory, out of the way of up to `more` others that come
 * before and between them, and returns the first. */
static struct dsn_gap *set_aside(struct dsn_gaps *g, int64_t begin, unsigned more, unsigned *n)
{
    unsigned from;

    if (g->room - g->n < more)
        forget_oldest_quarter(g);
    for (from = g->n; from > 0 && g->gap[from - 1].end > begin; from--)
        ;
    *n = g->n - from;
    g->n = from;
    return memmove(g->gap + g->room - *n, g->gap + from, *n * sizeof g->gap[0]);
}

/* The latest gap so far. */
static void add_gap(struct dsn_time_sum *t, int64_t begin, int64_t end)
{
    struct dsn_gaps *g = t->older;

    if (!g) {
        t->latest = (struct dsn_gap){ begin, end };
        return;
    }
    if (g->n == g->room)
        forget_oldest_quarter(g);
    g->gap[g->n++] = (struct dsn_gap){ begin, end };
}

/* Adds what is not covered yet of some calls, in ascending order of their begin. All at once, because that takes one pass
 * over the gaps. */
static void add_calls(struct dsn_time_sum *t, const struct dsn_gap *call, unsigned n)
{
    const unsigned most = t->older ? t->older->room / 4 : n;
    struct dsn_gap *aside = NULL;
    unsigned naside = 0;

    for (; n > most; call += most, n -= most)
        add_calls(t, call, most);
    if (is_set_back(t, call[n - 1].end))
        begin_again(t, call[0].begin);
    if (t->older)
        aside = set_aside(t->older, call[0].begin, n, &naside);
    for (unsigned i = 0; i <= naside; i++) {
        const struct dsn_gap gap = i < naside ? aside[i] : (struct dsn_gap){ t->end, INT64_MAX };
        int64_t at = gap.begin;

        for (; n > 0 && call->begin < gap.end && at < gap.end; call++, n--) {
            const int64_t end = call->end < gap.end ? call->end : gap.end;

            if (end <= at)
                continue;
            if (call->begin > at)
                add_gap(t, at, call->begin);
            t->total += end - (call->begin > at ? call->begin : at);
            at = end;
            if (call->end > end) /* the rest is in the next gap, if anywhere */
                break;
        }
        if (i == naside)
            t->end = at;
        else if (at < gap.end)
            add_gap(t, at, gap.end);
    }
}

static void add_span(struct dsn_time_sum *t, const struct dsn_span *s)
{
    add_calls(t, &(struct dsn_gap){ s->start, s->end }, 1);
}

/* Puts a call into its place in a list that is nearly always in order. */
static void sort_in(struct dsn_gap *call, unsigned n, int64_t begin, int64_t end)
{
    for (; n > 0 && call[n - 1].begin > begin; n--)
        call[n] = call[n - 1];
    call[n] = (struct dsn_gap){ begin, end };
}

/* ------------------------------------------------------------------ histories */

unsigned dsn__thread_index(void)
{
    if (!dsn__thread.index)
        dsn__thread.index = 1 + atomic_fetch_add(&histories.threads, 1) % DSN_THREADS;
    return dsn__thread.index - 1;
}

static struct history *own_history(void)
{
    _Atomic(struct history *) *place;
    struct history *h, *none = NULL;

    place = &histories.of[dsn__thread_index()];
    h = atomic_load_explicit(place, memory_order_acquire);
    if (h || !(h = dsn__pages(sizeof *h)))
        return h;
    if (atomic_compare_exchange_strong(place, &none, h))
        return h;
    dsn__pages_free(h);
    return none;
}

/* The caller holds the history's lock. */
static void join(struct history *h)
{
    const uint64_t n = atomic_load_explicit(&h->n, memory_order_relaxed);
    struct dsn_io_time *io = dsn__io_time;

    if (n - h->joined > CALLS) /* the lock was not to be had */
        h->joined = n - CALLS;
    if (n - h->joined < CALLS && atomic_load_explicit(&io->lock, memory_order_relaxed) != 0)
        return; /* another time */
    if (!dsn__spin(&io->lock))
        return;
    if (!io->times.older)
        io->times.older = make_gaps(PROCESS_GAPS);
    while (h->joined < n) {
        struct dsn_gap calls[SOME];
        unsigned ncalls = 0;

        for (; h->joined < n && ncalls < SOME; h->joined++, ncalls++) {
            const struct call *c = &h->call[h->joined % CALLS];

            sort_in(calls, ncalls, atomic_load_explicit(&c->start, memory_order_relaxed),
                    atomic_load_explicit(&c->end, memory_order_relaxed));
        }
        add_calls(&io->times, calls, ncalls);
    }
    dsn__unspin(&io->lock);
}

static unsigned some_calls(void)
{
    const unsigned threads = atomic_load_explicit(&histories.threads, memory_order_relaxed);

    return threads <= 16 ? SOME : threads <= 32 ? SOME / 2 : SOME / 4;
}

static void put(struct history *h, struct dsn_time_sum *t, const struct dsn_span *s)
{
    const uint64_t n = atomic_load_explicit(&h->n, memory_order_relaxed);
    struct call *c = &h->call[n % CALLS];

    atomic_store_explicit(&c->times, t, memory_order_relaxed);
    atomic_store_explicit(&c->start, s->start, memory_order_relaxed);
    atomic_store_explicit(&c->end, s->end, memory_order_relaxed);
    atomic_store_explicit(&h->n, n + 1, memory_order_release);
    c = &h->call[h->joined % CALLS];
    if (n + 1 - h->joined >= some_calls() ||
        s->end - atomic_load_explicit(&c->start, memory_order_relaxed) > ABOUT_A_MILLISECOND)
        join(h);
}

/* A call of the only thread so far that others began to overlap: calls inside it were added already, as if alone. */
static void take_back(const struct dsn_span *s)
{
    struct dsn_io_time *io = dsn__io_time;

    if (s->start < atomic_load_explicit(&io->since, memory_order_relaxed))
        atomic_store_explicit(&io->alone, s->before, memory_order_relaxed);
}

/* The caller holds a record's lock, or gives no times `t` of one: then, as for notes at a lock, it is too late when the log is
 * being written. */
static void remember(struct dsn_time_sum *t, const struct dsn_span *s)
{
    struct history *h = own_history();
    dsn_lock *const held = dsn__thread.held;

    take_back(s);
    if (h && dsn__spin(&h->lock)) {
        if (t || dsn__is_on())
            put(h, t, s);
        dsn__unspin(&h->lock);
    }
    dsn__thread.held = held;
}

/* Adds an interval to a list of them, in ascending order. Returns up to where nothing may be known any more. */
static int64_t insert_call(struct dsn_gaps *g, int64_t start, int64_t end, int64_t known)
{
    unsigned at = g->n;

    while (at > 0 && g->gap[at - 1].begin > start)
        at--;
    if (g->n == g->room && g->gap[g->room / 4].end > known)
        known = g->gap[g->room / 4].end;
    insert(g, at, start, end);
    return known;
}

/* The calls of a history that are in `t`. */
static int64_t insert_calls(struct dsn_gaps *g, const struct history *h, const struct dsn_time_sum *t, int64_t known)
{
    const uint64_t n = atomic_load_explicit(&h->n, memory_order_acquire);

    for (uint64_t i = n > CALLS ? n - CALLS : 0; i < n; i++) {
        const struct call *c = &h->call[i % CALLS];
        const struct dsn_time_sum *times = atomic_load_explicit(&c->times, memory_order_acquire);
        const int64_t start = atomic_load_explicit(&c->start, memory_order_acquire);
        const int64_t end = atomic_load_explicit(&c->end, memory_order_acquire);

        if (atomic_load_explicit(&h->n, memory_order_relaxed) - i >= CALLS) {
            if (i > 0 && end > known)
                known = end;
            continue;
        }
        if (times == t)
            known = insert_call(g, start, end, known);
    }
    return known;
}

/* Calls, in ascending order, become the gaps between them. Everything before `known` is treated as covered. */
static void invert(struct dsn_gaps *g, int64_t known)
{
    const unsigned n = g->n;

    g->n = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct dsn_gap call = g->gap[i];

        if (call.begin > known)
            g->gap[g->n++] = (struct dsn_gap){ known, call.begin };
        known = call.end > known ? call.end : known;
    }
}

/* The gaps between the calls so far, none of which overlapped. Only one call can begin before overlaps were possible and
 * end later, that of the first thread, and every call before that one had ended when it began: so what was before is one
 * gap. */
static struct dsn_gaps *find_gaps(const struct dsn_time_sum *t, unsigned room)
{
    struct dsn_gaps *g = make_gaps(room);
    int64_t known = 0;

    for (unsigned i = 0; g && i < DSN_THREADS; i++) {
        const struct history *h = atomic_load_explicit(&histories.of[i], memory_order_acquire);

        if (h)
            known = insert_calls(g, h, t, known);
    }
    if (g)
        invert(g, known);
    if (g && g->n == 0 && t->latest.begin < t->latest.end)
        insert(g, 0, t->latest.begin, t->latest.end);
    return g;
}

/* Room for the gaps between as many calls as are added at a time. */
static void have_many_gaps(struct dsn_time_sum *t)
{
    struct dsn_gaps *const few = t->older, *many;

    if (few && few->room >= SHARD_GAPS)
        return;
    many = few ? make_gaps(SHARD_GAPS) : find_gaps(t, SHARD_GAPS);
    for (unsigned i = 0; few && many && i < few->n; i++)
        insert(many, i, few->gap[i].begin, few->gap[i].end);
    t->older = many ? many : few;
}

/* ------------------------------------------------------------------ calls */

void dsn__calls_overlap(void)
{
    int64_t not_yet = 0;

    if (atomic_load(&dsn__io_time->can_overlap))
        return;
    atomic_compare_exchange_strong(&dsn__io_time->since, &not_yet, dsn__ticks());
    atomic_store(&dsn__io_time->can_overlap, 1);
}

void dsn__add_overlap(struct dsn_time_sum *t, const struct dsn_span *s)
{
    if (!t->older && !is_set_back(t, s->end) && (t->older = make_gaps(DSN_GAPS)) && t->latest.begin < t->latest.end)
        insert(t->older, 0, t->latest.begin, t->latest.end);
    dsn__calls_overlap();
    add_span(t, s);
}

void dsn__add_overlapping_time(struct dsn_time_sum *t, const struct dsn_span *s)
{
    if (s->start >= t->end) {
        if (s->start > t->end)
            add_gap(t, t->end, s->start);
        t->total += s->end - s->start;
        t->end = s->end;
    } else {
        if (!t->older)
            t->older = find_gaps(t, DSN_GAPS);
        add_span(t, s);
    }
    remember(t, s);
}

void dsn__add_process_time(const struct dsn_span *s)
{
    if (atomic_load_explicit(&dsn__io_time->can_overlap, memory_order_relaxed))
        remember(NULL, s);
    else
        atomic_store_explicit(&dsn__io_time->alone, s->before + (s->end - s->start), memory_order_relaxed);
}

int64_t dsn__io_ticks(const struct dsn_io_time *io)
{
    return atomic_load_explicit(&io->alone, memory_order_relaxed) + io->times.total;
}

/* ------------------------------------------------------------------ calls in shards of a record */

/* Adds all late calls of the kind of number `i`, and forgets them. */
static void flush_kind(struct history *h, unsigned i)
{
    struct dsn_record_state *const state = h->late[i].state;
    struct dsn_time_sum *const times = h->late[i].times;
    struct dsn_gap calls[LATE];
    unsigned ncalls = 0;

    for (; i < h->nlate; i++)
        if (h->late[i].times == times) {
            sort_in(calls, ncalls++, h->late[i].span.start, h->late[i].span.end);
            h->late[i].times = NULL;
        }
    if (!dsn__spin(&state->lock))
        return;
    have_many_gaps(times);
    add_calls(times, calls, ncalls);
    dsn__unspin(&state->lock);
}

/* The caller holds the lock of the late calls. */
static void flush_late(struct history *h)
{
    for (unsigned i = 0; i < h->nlate; i++)
        if (h->late[i].times)
            flush_kind(h, i);
    dsn__thread.held = &h->late_lock;
    h->nlate = 0;
}

void dsn__add_time_later(struct dsn_record_state *state, struct dsn_time_sum *t, const struct dsn_span *s)
{
    struct history *h = own_history();

    remember(NULL, s);
    if (!h || !dsn__spin(&h->late_lock))
        return;
    if (h->nlate >= LATE) /* a signal handler has left flush_late by longjmp */
        flush_late(h);
    if (dsn__is_on())
        h->late[h->nlate++] = (struct late){ state, t, *s };
    if (h->nlate == LATE || (h->nlate > 0 && s->end - h->late[0].span.start > ABOUT_A_MILLISECOND))
        flush_late(h);
    dsn__unspin(&h->late_lock);
}

void dsn__times_flush(void)
{
    if (!atomic_load(&dsn__io_time->can_overlap)) /* a process of one thread touches no further page */
        return;
    for (unsigned i = 0; i < DSN_THREADS; i++) {
        struct history *h = atomic_load(&histories.of[i]);

        if (h && dsn__spin(&h->late_lock)) {
            flush_late(h);
            dsn__unspin(&h->late_lock);
        }
        if (h && dsn__spin(&h->lock)) {
            join(h);
            dsn__unspin(&h->lock);
        }
    }
}

void dsn__times_forget(void)
{
    if (!atomic_load(&dsn__io_time->can_overlap))
        return;
    for (unsigned i = 0; i < DSN_THREADS; i++) {
        struct history *h = atomic_load(&histories.of[i]);

        if (h) {
            atomic_store(&h->lock, 0);
            atomic_store(&h->late_lock, 0);
            h->joined = h->nlate = 0;
            atomic_store(&h->n, 0);
        }
    }
}

/* ------------------------------------------------------------------ in the record */

static void set(union dsn_val *v, int at, int64_t to)
{
    if (at >= 0)
        v[at].i = to;
}

/* The total is never less than the longest call, which forgotten gaps could otherwise cause. */
void dsn__publish_times(const struct dsn_times *t, const struct dsn_time_rows *rows, union dsn_val *v)
{
    set(v, rows->start, t->first);
    set(v, rows->end, t->last);
    set(v, rows->time, t->sum.total > t->longest ? t->sum.total : t->longest);
    set(v, rows->max_time, t->longest);
}
