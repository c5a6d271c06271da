/* times.c - cumulative times of calls, without overlap
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Order of the locks: late calls of a thread, a record, a thread's history, the process's time. */
#include <config.h>

#include "record/times.h"

#include <string.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/pages.h"
#include "record/arena.h"
#include "record/module.h"

#define CALLS               128 /* of a thread's history */
#define LATE                64
#define MANY_GAPS           128
#define ABOUT_A_MILLISECOND (INT64_C(1) << 21) /* ticks */

struct call {
    _Atomic(int64_t) start, end;
    _Atomic(struct dsn_times *) times; /* NULL: not added there yet */
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
        struct dsn_times *times;
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

/* Makes gap number `at` this one; if there is no room, the oldest quarter is forgotten. */
static void insert(struct dsn_gaps *g, unsigned at, int64_t begin, int64_t end)
{
    const unsigned quarter = g->room / 4;

    if (g->n == g->room) {
        if (at <= quarter)
            return;
        memmove(g->gap, g->gap + quarter, (g->n - quarter) * sizeof g->gap[0]);
        g->n -= quarter;
        at -= quarter;
    }
    memmove(g->gap + at + 1, g->gap + at, (g->n - at) * sizeof g->gap[0]);
    g->gap[at] = (struct dsn_gap){ begin, end };
    g->n++;
}

/* Subtracts the span from a gap and returns the overlap. `rest`: what remains behind it if something remains on both
 * sides, else empty. */
static int64_t fill(struct dsn_gap *gap, const struct dsn_span *s, struct dsn_gap *rest)
{
    const int64_t from = s->start > gap->begin ? s->start : gap->begin;
    const int64_t to = s->end < gap->end ? s->end : gap->end;

    *rest = (struct dsn_gap){ 0, 0 };
    if (from >= to)
        return 0;
    if (from > gap->begin && to < gap->end)
        *rest = (struct dsn_gap){ to, gap->end };
    if (from > gap->begin)
        gap->end = from;
    else
        gap->begin = to;
    return to - from;
}

static int64_t fill_all(struct dsn_gaps *g, const struct dsn_span *s)
{
    struct dsn_gap rest;
    int64_t filled = 0;

    for (unsigned i = g->n; i > 0 && g->gap[i - 1].end > s->start; i--) {
        filled += fill(&g->gap[i - 1], s, &rest);
        if (rest.begin < rest.end)
            insert(g, i, rest.begin, rest.end);
        else if (g->gap[i - 1].begin >= g->gap[i - 1].end) {
            g->n--;
            memmove(g->gap + i - 1, g->gap + i, (g->n - (i - 1)) * sizeof g->gap[0]);
        }
    }
    return filled;
}

/* The clock was set back if a span ends earlier than any delayed note could explain. What is known about earlier times
 * is on another scale. */
static int is_set_back(const struct dsn_times *t, const struct dsn_span *s)
{
    const int64_t some_seconds = INT64_C(1) << 36;

    return t->end - s->end > some_seconds;
}

static void begin_again(struct dsn_times *t, const struct dsn_span *s)
{
    t->latest.begin = t->latest.end = 0;
    if (t->older)
        t->older->n = 0;
    t->total += s->end - s->start;
    t->end = s->end;
    if (atomic_load(&dsn__clock->by_counter))
        atomic_store(&dsn__clock->check_at, 0);
}

static void add_span(struct dsn_times *t, const struct dsn_span *s)
{
    const int64_t until = t->end;
    struct dsn_gap rest;

    if (is_set_back(t, s)) {
        begin_again(t, s);
        return;
    }
    if (s->end > until) {
        t->total += s->end - (s->start > until ? s->start : until);
        t->end = s->end;
    }
    if (s->start < until)
        t->total += t->older ? fill_all(t->older, s) : fill(&t->latest, s, &rest);
    else if (s->start > until && t->older)
        insert(t->older, t->older->n, until, s->start);
    else if (s->start > until)
        t->latest = (struct dsn_gap){ until, s->start };
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
        io->times.older = make_gaps(MANY_GAPS);
    for (; h->joined < n; h->joined++) {
        const struct call *c = &h->call[h->joined % CALLS];

        add_span(&io->times, &(struct dsn_span){ .start = atomic_load_explicit(&c->start, memory_order_relaxed),
                                                 .end = atomic_load_explicit(&c->end, memory_order_relaxed) });
    }
    dsn__unspin(&io->lock);
}

static void put(struct history *h, struct dsn_times *t, const struct dsn_span *s)
{
    const uint64_t n = atomic_load_explicit(&h->n, memory_order_relaxed);
    struct call *c = &h->call[n % CALLS];

    atomic_store_explicit(&c->times, t, memory_order_relaxed);
    atomic_store_explicit(&c->start, s->start, memory_order_relaxed);
    atomic_store_explicit(&c->end, s->end, memory_order_relaxed);
    atomic_store_explicit(&h->n, n + 1, memory_order_release);
    c = &h->call[h->joined % CALLS];
    if (n + 1 - h->joined >= CALLS / 2 ||
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

/* The caller may hold a record's lock. */
static void remember(struct dsn_times *t, const struct dsn_span *s)
{
    struct history *h = own_history();
    dsn_lock *const held = dsn__thread.held;

    take_back(s);
    if (h && dsn__spin(&h->lock)) {
        put(h, t, s);
        dsn__unspin(&h->lock);
    }
    dsn__thread.held = held;
}

/* Adds an interval to a list of them, in ascending order. Returns up to where nothing may be known any more. */
static int64_t collect(struct dsn_gaps *g, int64_t start, int64_t end, int64_t known)
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
static int64_t collect_calls(struct dsn_gaps *g, const struct history *h, const struct dsn_times *t, int64_t known)
{
    const uint64_t n = atomic_load_explicit(&h->n, memory_order_acquire);

    for (uint64_t i = n > CALLS ? n - CALLS : 0; i < n; i++) {
        const struct call *c = &h->call[i % CALLS];
        const struct dsn_times *times = atomic_load_explicit(&c->times, memory_order_acquire);
        const int64_t start = atomic_load_explicit(&c->start, memory_order_acquire);
        const int64_t end = atomic_load_explicit(&c->end, memory_order_acquire);

        if (atomic_load_explicit(&h->n, memory_order_relaxed) - i >= CALLS) {
            if (i > 0 && end > known)
                known = end;
            continue;
        }
        if (times == t)
            known = collect(g, start, end, known);
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
static struct dsn_gaps *find_gaps(const struct dsn_times *t, unsigned room)
{
    struct dsn_gaps *g = make_gaps(room);
    int64_t known = 0;

    for (unsigned i = 0; g && i < DSN_THREADS; i++) {
        const struct history *h = atomic_load_explicit(&histories.of[i], memory_order_acquire);

        if (h)
            known = collect_calls(g, h, t, known);
    }
    if (g)
        invert(g, known);
    if (g && g->n == 0 && t->latest.begin < t->latest.end)
        insert(g, 0, t->latest.begin, t->latest.end);
    return g;
}

/* Room for the gaps between as many calls as are added at a time. */
static void have_many_gaps(struct dsn_times *t)
{
    struct dsn_gaps *const few = t->older, *many;

    if (few && few->room >= MANY_GAPS)
        return;
    many = few ? make_gaps(MANY_GAPS) : find_gaps(t, MANY_GAPS);
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

void dsn__add_overlap(struct dsn_times *t, const struct dsn_span *s)
{
    if (!t->older && !is_set_back(t, s) && (t->older = make_gaps(DSN_GAPS)) && t->latest.begin < t->latest.end)
        insert(t->older, 0, t->latest.begin, t->latest.end);
    dsn__calls_overlap();
    add_span(t, s);
}

void dsn__add_shared_time(struct dsn_times *t, const struct dsn_span *s)
{
    if (!t->older && s->start < t->end)
        t->older = find_gaps(t, DSN_GAPS);
    add_span(t, s);
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

/* ------------------------------------------------------------------ calls in parts of a record */

/* The caller holds the lock of the late calls. */
static void flush_late(struct history *h)
{
    struct dsn_record_state *locked = NULL;

    for (unsigned i = 0; i < h->nlate; i++) {
        const struct late *l = &h->late[i];

        if (l->state != locked) {
            if (locked)
                dsn__unspin(&locked->lock);
            locked = dsn__spin(&l->state->lock) ? l->state : NULL;
        }
        if (locked)
            have_many_gaps(l->times);
        if (locked)
            add_span(l->times, &l->span);
    }
    if (locked)
        dsn__unspin(&locked->lock);
    dsn__thread.held = &h->late_lock;
    h->nlate = 0;
}

void dsn__add_time_later(struct dsn_record_state *state, struct dsn_times *t, const struct dsn_span *s)
{
    struct history *h = own_history();

    remember(NULL, s);
    if (!h || !dsn__spin(&h->late_lock))
        return;
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
    set(v, rows->time, t->total > t->longest ? t->total : t->longest);
    set(v, rows->max_time, t->longest);
}
