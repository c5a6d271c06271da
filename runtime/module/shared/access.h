/* access.h - statistics common to several modules: times without overlap, extremes, frequent values
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called with the record's lock held. While the program runs, times in a record are ticks (base/clock.h), stored as
 * integers where the log has seconds. */
#ifndef DSN_SHARED_ACCESS_H
#define DSN_SHARED_ACCESS_H

#include <stdint.h>

#include "base/clock.h"
#include "darshan-log-format/table.h"
#include "record/salvaged.h"
#include "record/span.h"

/* ------------------------------------------------------------------ frequent values */

/* Up to 32 distinct values and their counts; further ones are not tracked. Source: spec modules-io.md 2.5 */
#define DSN_COMMON_MAX    DSN_VALUES_MAX
#define DSN_COMMON_FIRST  4   /* stored in the record, without further memory */
#define DSN_COMMON_PLACES 128 /* of the hash index; four times the number of values, because most lookups miss */

/* The entries once there are more than a few, and a hash index (open addressing) with 1 + the entry's number. */
struct dsn_common_table {
    struct dsn_value_count entry[DSN_COMMON_MAX];
    uint8_t place[DSN_COMMON_PLACES];
};

struct dsn_common {
    unsigned n;                     /* used entries */
    struct dsn_common_table *table; /* NULL: all are in `first` */
    struct dsn_value_count *first;  /* the counters in the record where the most frequent values will be published */
};

/* The last counted value. As long as it repeats, nothing else is touched. */
struct dsn_recent {
    int64_t value;
    struct dsn_value_count *entry; /* NULL: it has none */
    int64_t more;                  /* repetitions since the entry was looked up; not yet in its count */
    int64_t reached;               /* the new count while these are being added; else 0 */
};

/* Counts a value that differs from the recent one. */
void dsn__common_change(struct dsn_common *c, struct dsn_recent *r, int64_t value);

/* Counts a value. Returns 0 if it is the recent one. */
static inline int dsn__common_add(struct dsn_common *c, struct dsn_recent *r, int64_t value)
{
    if (r->value == value && r->entry) {
        r->more++;
        return 0;
    }
    dsn__common_change(c, r, value);
    return 1;
}

/* Starts empty. `modules`: those counters, which dsn_top_publish fills later, hold the first entries until then. */
void dsn__common_begin(struct dsn_common *c, union dsn_val *modules);

/* Stores the four most frequent values in the counters of a record. */
void dsn__common_publish(struct dsn_common *c, struct dsn_recent *r);

/* Returns all values, if there are more than the record has counters for; else 0. */
unsigned dsn__common_values(const struct dsn_common *c, struct dsn_value_count out[DSN_VALUES_MAX]);

/* Adds the pending repetitions. Idempotent: if interrupted and called again, nothing is counted twice. */
void dsn__common_flush(struct dsn_recent *r);

/* For another process's record: if entries beyond the first few are lost, all are dropped. `modules` as for
 * dsn__common_begin. */
enum dsn_left_of dsn__common_salvage(struct dsn_common *c, struct dsn_recent *r, union dsn_val *modules,
                                     const struct dsn_salvaged *salvaged);

/* ------------------------------------------------------------------ times */

struct dsn_gap {
    int64_t begin, end;
};

/* The most recent gaps between covered intervals. A ring buffer; entries may be empty. */
#define DSN_GAPS 32
struct dsn_gaps {
    unsigned next;
    struct dsn_gap gap[DSN_GAPS];
};

/* Times of one kind of call on a file; one cache line. Everything up to `end` is covered, except for the gaps still
 * remembered. Timestamps are ticks since the clock's origin, 0: never. */
struct dsn_times {
    int64_t end;
    struct dsn_gap latest;
    struct dsn_gaps *older; /* from the first overlap on; only threads, or calls in signal handlers, overlap */
    int64_t total;          /* length of the union of all spans */
    int64_t longest;
    int64_t first, last; /* earliest start, latest end */
};

/* Rows of the record for a kind of call; -1: none. */
struct dsn_time_rows {
    int start, end, time, max_time;
};

/* Adds a span that starts before `end`. */
void dsn__add_overlap(struct dsn_times *t, const struct dsn_span *s);

/* Remembers the gap before the next span. */
void dsn__keep_gap(struct dsn_times *t);

/* Adds the part of the span that is not covered yet. Spans arrive in the order in which they end, so a slow call may
 * reach back over many that finished during it; the latest gaps between those are remembered, and everything before
 * them is treated as covered. */
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

/* Adds a complete call; returns whether it is the longest so far. A call that starts after all others have ended also
 * ends last. */
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

/* Stores the times in the record, which is about to be finalized. */
void dsn__publish_times(const struct dsn_times *t, const struct dsn_time_rows *rows, union dsn_val *v);

static inline void dsn__raise(union dsn_val *v, int64_t to)
{
    if (v->i < to)
        v->i = to;
}

#endif
