/* access.h - statistics common to several modules: frequent values, extremes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called with the record's lock held. */
#ifndef DSN_SHARED_ACCESS_H
#define DSN_SHARED_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "darshan-log-format/table.h"
#include "record/salvaged.h"
#include "record/span.h"
#include "record/times.h"

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

/* Counts a value. Returns false if it is the recent one. */
static inline bool dsn__common_add(struct dsn_common *c, struct dsn_recent *r, int64_t value)
{
    if (r->value == value && r->entry) {
        r->more++;
        return false;
    }
    dsn__common_change(c, r, value);
    return true;
}

/* Starts empty. `slots`: the record's four values and four counts, which dsn_top_publish fills later, hold the first entries until then. */
void dsn__common_begin(struct dsn_common *c, union dsn_val *slots);

/* Stores the four most frequent values in the counters of a record. */
void dsn__common_publish(struct dsn_common *c, struct dsn_recent *r);

/* Returns all values, if there are more than the record has counters for; else 0. */
unsigned dsn__common_values(const struct dsn_common *c, struct dsn_value_count out[DSN_VALUES_MAX]);

/* Adds the pending repetitions. Idempotent: if interrupted and called again, nothing is counted twice. */
void dsn__common_flush(struct dsn_recent *r);

/* For another process's record: if entries beyond the first few are lost, all are dropped. `slots` as for
 * dsn__common_begin. */
enum dsn_salvage_result dsn__common_salvage(struct dsn_common *c, struct dsn_recent *r, union dsn_val *slots,
                                            const struct dsn_salvaged *salvaged);

static inline void dsn__raise(union dsn_val *v, int64_t to)
{
    if (v->i < to)
        v->i = to;
}

#endif
