/* layer.h - the records of one module, summed up for a report
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/report. What a counter means comes from the table's rows. */
#ifndef DSN_LAYER_H
#define DSN_LAYER_H

#include "report.h"

/* The modules that are layers, the lowest first; those of the bottom are what the job's volume is counted at, unless they
 * lie below another (DAOS below DFS). NULL behind
 * the last. */
struct dsn__layer_kind {
    unsigned module;
    const char *label;
    int of_objects, is_bottom;
};
const struct dsn__layer_kind *dsn__layer_kind(size_t i);

/* Initialises a layer for a job with this many ranks (0: no data per rank). Returns 0 if there is no memory; free it
 * with dsn__layer_free() in any case. */
int dsn__layer_init(struct dsn_report_layer *l, const struct dsn__layer_kind *kind, size_t nranks);
void dsn__layer_free(struct dsn_report_layer *l);

/* Adds a record. What ranks spend on what is no storage is in the layer's sums, but in no part that is divided among ranks.
 * Returns DSN_ERR_OK or MEMORY. */
int dsn__layer_add(struct dsn_report_layer *l, const struct dsn_rec *r, size_t nranks, int is_storage);

/* Called after the last record: distributes what records left open, and sorts common sizes. */
void dsn__layer_finish(struct dsn_report_layer *l);

/* The values of a record with a role: 0 if they are missing or impossible. */
int64_t dsn__layer_i64(const struct dsn_report_layer *l, const struct dsn_rec *r, enum dsn_role role);
double dsn__layer_f64(const struct dsn_report_layer *l, const struct dsn_rec *r, enum dsn_role role);
struct dsn_work dsn__layer_work(const struct dsn_report_layer *l, const struct dsn_rec *r);

/* A counter of that layer, summed over all records; 0 if there are none, or the log's version does not know it. */
int64_t dsn_layer_total(const struct dsn_report *r, unsigned module, unsigned counter);

/* Counters of a damaged log may have any value. All counters and sums of a report are clamped to 0 to this, so that a
 * few of them can be added without overflow. */
#define DSN__MOST ((int64_t)1 << 60)
int64_t dsn__limited(int64_t v);
int64_t dsn__plus(int64_t a, int64_t b);

/* A value: 0 if the row is -1, or the value is impossible. */
int64_t dsn__count(const struct dsn_rec *r, int at);
double dsn__seconds(const struct dsn_rec *r, int at);

#endif
