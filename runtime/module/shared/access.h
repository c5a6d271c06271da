/* access.h - what modules count alike: times without overlap, extremes, frequent values
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of it is called with the record's lock held. Times in a record that is being counted are ticks (base/clock.h),
 * kept as integers in the places where the log has seconds. */
#ifndef DSN_SHARED_ACCESS_H
#define DSN_SHARED_ACCESS_H

#include <stdint.h>

#include "base/clock.h"
#include "darshan-log-format/table.h"
#include "record/salvaged.h"
#include "record/span.h"

/* ------------------------------------------------------------------ frequent values */

/* Up to 32 different values and how often each occurred; further ones are not tracked.
 * Source: spec modules-io.md 2.5 */
#define DSN_COMMON_MAX   DSN_VALUES_MAX
#define DSN_COMMON_FIRST 4 /* without memory beyond the record's */
#define DSN_COMMON_PLACES                                                                                              \
    128 /* of the index; four times as many as values, for most of what is looked for is not there */

/* The entries once there are more than a few, and where to find each: 1 + its number by the value's hash, or at the
 * next free place. */
struct dsn_common_table {
    struct dsn_value_count entry[DSN_COMMON_MAX];
    uint8_t place[DSN_COMMON_PLACES];
};

struct dsn_common {
    unsigned n;                     /* entries in use */
    struct dsn_common_table *table; /* NULL: all are in `first` */
    struct dsn_value_count *first;  /* the place in the record where the most frequent ones will be published */
};

/* The value that was counted last. While it comes again and again nothing but this is touched. */
struct dsn_recent {
    int64_t value;
    struct dsn_value_count *entry; /* NULL: it has none */
    int64_t more;                  /* times that it came since the entry was looked for; not in its count */
    int64_t reached;               /* the count with them, while they are added; else 0 */
};

/* Counts a value that is not the recent one. */
void dsn__common_change(struct dsn_common *c, struct dsn_recent *r, int64_t value);

/* Counts a value. 0: it is the recent one. */
static inline int dsn__common_add(struct dsn_common *c, struct dsn_recent *r, int64_t value)
{
    if (r->value == value && r->entry) {
        r->more++;
        return 0;
    }
    dsn__common_change(c, r, value);
    return 1;
}

/* Begins with no value. `modules`, those that dsn_top_publish fills, hold the first entries until they are
 * published. */
void dsn__common_begin(struct dsn_common *c, union dsn_val *modules);

/* The four most frequent values into the counters of a record. */
void dsn__common_publish(struct dsn_common *c, struct dsn_recent *r);

/* All of them, where they are more than the record has counters for; else none: 0. */
unsigned dsn__common_values(const struct dsn_common *c, struct dsn_value_count out[DSN_VALUES_MAX]);

/* The value that came last counts among the others. Called once more, where it was interrupted, it does not count
 * twice. */
void dsn__common_flush(struct dsn_recent *r);

/* Of another process's record: where what was counted beyond the first few is lost, nothing is known of any. `modules`
 * as for dsn__common_begin. */
enum dsn_left_of dsn__common_salvage(struct dsn_common *c, struct dsn_recent *r, union dsn_val *modules,
                                     const struct dsn_salvaged *salvaged);

/* ------------------------------------------------------------------ times */

struct dsn_gap {
    int64_t begin, end;
};

/* Gaps between stretches of time that have been counted, the latest ones. A ring; empty ones are allowed. */
#define DSN_GAPS 32
struct dsn_gaps {
    unsigned next;
    struct dsn_gap gap[DSN_GAPS];
};

/* The times of one kind of call on a file; one line of cache. What has been counted is everything up to `end`, but for
 * the gaps that are still known. Timestamps are ticks since the clock's origin, 0: never. */
struct dsn_times {
    int64_t end;
    struct dsn_gap latest;
    struct dsn_gaps
        *older;    /* from the first overlap on, which only threads, or calls in signal handlers, bring about */
    int64_t total; /* length of the union of all spans */
    int64_t longest;
    int64_t first, last; /* earliest start, latest end */
};

/* Where the times of a kind of call go in the record; -1: nowhere. */
struct dsn_time_rows {
    int start, end, time, max_time;
};

/* Adds a span that began before the end of what has been counted. */
void dsn__add_overlap(struct dsn_times *t, const struct dsn_span *s);

/* Remembers the gap before what is counted next. */
void dsn__keep_gap(struct dsn_times *t);

/* Adds to the total what of the span has not been counted yet. Spans come in the order in which they end, so one that
 * began early (a slow call, during which others finished) may reach back over many; of the gaps between those the
 * latest are known, and what lies before them is taken as counted. */
static inline void dsn__add_time(struct dsn_times *t, const struct dsn_span *s)
{
    if (__builtin_expect(s->start < t->end, 0)) {
        dsn__add_overlap(t, s);
        return;
    }
    if (__builtin_expect(t->older != NULL, 0))
        dsn__keep_gap(t);
    t->latest.begin = t->end;
    t->latest.end = s->start;
    t->end = s->end;
    t->total += s->end - s->start;
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

/* A call in full; returns whether it is the longest so far. One that begins after all before it have ended ends last. */
static inline int dsn__note_times(struct dsn_times *t, const struct dsn_span *s)
{
    const int64_t lasted = s->end - s->start;

    if (__builtin_expect(s->start >= t->end && t->first != 0, 1))
        t->last = s->end - dsn__clock->origin.ticks;
    else
        dsn__stamp(&t->first, &t->last, s);
    dsn__add_time(t, s);
    if (lasted <= t->longest)
        return 0;
    t->longest = lasted;
    return 1;
}

/* Into the record, which is about to be finished. */
void dsn__publish_times(const struct dsn_times *t, const struct dsn_time_rows *rows, union dsn_val *v);

static inline void dsn__raise(union dsn_val *v, int64_t to)
{
    if (v->i < to)
        v->i = to;
}

#endif
