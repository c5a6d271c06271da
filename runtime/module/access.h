/* access.h - what modules count alike: times without overlap, extremes, frequent values
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of it is called with the record's lock held. */
#ifndef DSN_ACCESS_H
#define DSN_ACCESS_H

#include <stdint.h>

#include "core/span.h"
#include "darshan-log-format/table.h"

/* Up to 32 different values and how often each occurred; further ones are not tracked.
 * Source: spec modules-io.md 2.5 */
#define DSN_COMMON_MAX   32
#define DSN_COMMON_FIRST 4 /* without memory from the arena */

struct dsn_common_entry {
    int64_t value, count;
};

struct dsn_common {
    unsigned n, last;              /* entries in use; the one counted last, where the next is likely to be */
    struct dsn_common_entry *more; /* entries from DSN_COMMON_FIRST on; NULL until they are needed */
    struct dsn_common_entry first[DSN_COMMON_FIRST];
};

void dsn__common_add(struct dsn_common *c, int64_t value);

/* The four most frequent values into the published slots of a record (see dsn_top_publish). */
void dsn__common_publish(const struct dsn_common *c, union dsn_val *slots);

/* The latest stretch of time that has been counted, and where the one before it ended. */
struct dsn_busy {
    int64_t before, begin, end;
};

/* Adds to a cumulative time what of the span has not been counted yet. Spans come in the order in which they end, so
 * one that began early (a slow call, during which another thread or a signal handler made quick ones) may reach back
 * over the latest stretch; what lies before the one before that is taken as counted. */
static inline void dsn__add_time(union dsn_val *total, struct dsn_busy *busy, const struct dsn_span *s)
{
    int64_t more = 0, from;

    if (s->start >= busy->end) {
        more = s->end - s->start;
        busy->before = busy->end;
        busy->begin = s->start;
        busy->end = s->end;
    } else {
        if (s->end > busy->end) {
            more = s->end - busy->end;
            busy->end = s->end;
        }
        from = s->start > busy->before ? s->start : busy->before;
        if (from < busy->begin) {
            more += busy->begin - from;
            busy->begin = from;
        }
    }
    total->f += (double)more * 1e-9;
}

/* First start and last end. */
static inline void dsn__stamp(union dsn_val *first, union dsn_val *last, const struct dsn_span *s)
{
    const double start = dsn__seconds(s->start), end = dsn__seconds(s->end);

    if (first->f == 0 || start < first->f)
        first->f = start;
    if (end > last->f)
        last->f = end;
}

/* The longest duration and the size that went with it; the total, which has the span already, is never less. */
static inline void dsn__longest(union dsn_val *time, union dsn_val *size, union dsn_val *total,
                                const struct dsn_span *s, int64_t bytes)
{
    const double e = (double)(s->end - s->start) * 1e-9;

    if (time->f < e) {
        time->f = e;
        size->i = bytes;
    }
    if (total->f < time->f)
        total->f = time->f;
}

static inline void dsn__raise(union dsn_val *v, int64_t to)
{
    if (v->i < to)
        v->i = to;
}

#endif
