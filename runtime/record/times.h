/* times.h - cumulative times of calls, without overlap
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * As long as one thread makes all calls, each follows the one before or contains it, and what a call adds needs no
 * knowledge of earlier ones. From then on when calls may overlap (another thread makes one, or one is asynchronous), each
 * thread keeps its latest calls in a history: when two calls on a file overlap for the first time, the gaps between the
 * earlier ones are found there; and from there the process's time in I/O is computed, many calls at a time.
 *
 * While the program runs, times in a record are ticks (base/clock.h), stored as integers where the log has seconds. */
#ifndef DSN_RECORD_TIMES_H
#define DSN_RECORD_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "darshan-log-format/table.h"
#include "record/io-time.h"
#include "record/span.h"

/* Rows of the record for a kind of call; -1: none. */
struct dsn_time_rows {
    int start, end, time, max_time;
};

/* The index of the calling thread; if there are very many, some share one. */
#define DSN_THREADS 64
unsigned dsn__thread_index(void);

/* Calls may overlap from now on. */
void dsn__calls_overlap(void);

/* Adds a span when calls may overlap, or one that starts before `end`. */
void dsn__add_overlapping_time(struct dsn_time_sum *t, const struct dsn_span *s);
void dsn__add_overlap(struct dsn_time_sum *t, const struct dsn_span *s);

/* For a call that is counted in a shard of the record `state` (record/shards.h): adds its span, soon, to the times `t` of the
 * whole. The caller holds no lock. */
void dsn__add_time_later(struct dsn_record_state *state, struct dsn_time_sum *t, const struct dsn_span *s);

/* Adds to the process's time alone, for a call that is counted in no record. */
void dsn__add_process_time(const struct dsn_span *s);

/* Adds everything that was to be added soon; no thread counts any more. */
void dsn__times_flush(void);

/* For a process that starts, or starts over: forgets what there was. */
void dsn__times_forget(void);

/* Ticks in which the process was in a counted call. */
int64_t dsn__io_ticks(const struct dsn_io_time *io);

/* Adds the part of the span that is not covered yet. Spans arrive in the order in which they end, so a slow call may
 * reach back over many that finished during it; the latest gaps between those are remembered, and everything before
 * them is treated as covered. */
static inline void dsn__add_time(struct dsn_time_sum *t, const struct dsn_span *s)
{
    if (__builtin_expect(atomic_load_explicit(&dsn__io_time->can_overlap, memory_order_relaxed), 0)) {
        dsn__add_overlapping_time(t, s);
        return;
    }
    atomic_store_explicit(&dsn__io_time->alone, s->before + (s->end - s->start), memory_order_relaxed);
    if (__builtin_expect(s->start < t->end, 0)) {
        dsn__add_overlap(t, s);
        return;
    }
    t->latest.begin = t->end;
    t->latest.end = s->start;
    t->end = s->end;
    t->total += s->end - s->start;
}

/* The same; what it adds is part of another sum, too, which so never exceeds the whole. */
static inline void dsn__add_time_of(struct dsn_time_sum *t, const struct dsn_span *s, int64_t *part)
{
    const int64_t before = t->total;

    dsn__add_time(t, s);
    *part += t->total - before;
}

/* First start and last end. */
static inline void dsn__stamp(int64_t *first, int64_t *last, const struct dsn_span *s)
{
    const int64_t origin = dsn__clock->origin.ticks;
    int64_t start = s->start - origin, end = s->end - origin;

    start = start > 0 ? start : 1;
    end = end > 0 ? end : 1;
    if (*first == 0 || start < *first)
        *first = start;
    if (end > *last)
        *last = end;
}

static inline bool dsn__raise_longest(struct dsn_times *t, const struct dsn_span *s)
{
    const int64_t lasted = s->end - s->start;

    if (lasted <= t->longest)
        return false;
    t->longest = lasted;
    return true;
}

/* Adds a complete call; returns whether it is the longest so far. A call that starts after all others have ended also
 * ends last. */
static inline bool dsn__note_times(struct dsn_times *t, const struct dsn_span *s)
{
    if (__builtin_expect(s->start >= t->sum.end && t->first != 0, 1))
        t->last = s->end - dsn__clock->origin.ticks;
    else
        dsn__stamp(&t->first, &t->last, s);
    dsn__add_time(&t->sum, s);
    return dsn__raise_longest(t, s);
}

/* The same for a shard of a record, whose time is that of the whole: see dsn__add_time_later. */
static inline bool dsn__note_shard_times(struct dsn_times *t, const struct dsn_span *s)
{
    dsn__stamp(&t->first, &t->last, s);
    return dsn__raise_longest(t, s);
}

/* Stores the times in the record, which is about to be finalized. */
void dsn__publish_times(const struct dsn_times *t, const struct dsn_time_rows *rows, union dsn_val *v);

#endif
