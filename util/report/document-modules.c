/* document-modules.c - JSON: figures of each module (files, calls, bytes, rate of the slowest rank)
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "document-parts.h"
#include "layer.h"

/* Counters summed over ranks; the histogram of request sizes is elsewhere. */
static int is_sum(const struct dsn_report_layer *l, const struct dsn_row *row)
{
    const int is_size =
        (l->at.read_sizes >= 0 && row->at >= l->at.read_sizes && row->at < l->at.read_sizes + DSN_NSIZES) ||
        (l->at.write_sizes >= 0 && row->at >= l->at.write_sizes && row->at < l->at.write_sizes + DSN_NSIZES);

    return row->at >= 0 && dsn_row_is_counter(row) && (row->red == DSN_SUM || row->red == DSN_SUM_ABSENT) && !is_size;
}

/* Counters that are not 0. */
static json_t *counters_of(const struct dsn_report_layer *l)
{
    const struct dsn_rec *total = dsn_accum_total(&l->total);
    json_t *all = json_object();

    for (unsigned i = 0; i < l->table->nrows; i++) {
        const struct dsn_row *row = &l->table->rows[i];

        if (!is_sum(l, row))
            continue;
        if (row->kind == DSN_F64 && dsn__seconds(total, row->at) > 0)
            json_object_set_new(all, row->name, dsn_json_f64(dsn__seconds(total, row->at)));
        else if (row->kind == DSN_I64 && dsn__count(total, row->at) > 0)
            json_object_set_new(all, row->name, json_integer((json_int_t)dsn__count(total, row->at)));
    }
    return all;
}

/* Maximum over ranks of the time on their own records, plus the slowest rank's time on each shared record, as in
 * agg_perf_by_slowest of darshan-parser --perf; but no more than the run, which threads and bounds may add up to. */
static double slowest_of(const struct dsn_report *r, const struct dsn_report_layer *l)
{
    double most = 0;

    for (size_t i = 0; i < r->nranks; i++)
        most = fmax(most, dsn_work_time(&l->rank[i]));
    return r->f.runtime > 0 ? fmin(most + l->shared_slowest, r->f.runtime) : most + l->shared_slowest;
}

static int64_t files_of(const struct dsn_report *r, const struct dsn_report_layer *l)
{
    int64_t n = (int64_t)l->objects.used;

    for (size_t i = 0; l->is_bottom && i < r->nfiles; i++)
        n += (r->files[i].layers & l->bit) != 0;
    return n;
}

static json_t *module_of(const struct dsn_report *r, const struct dsn_report_layer *l)
{
    const double time = slowest_of(r, l), mib = dsn_work_bytes(&l->work) / 1048576;
    const int known = r->nranks > 0 && time > 0;

    return json_pack("{s:s, s:s, s:b, s:I, s:o, s:o, s:o}", "layer", l->label, "module", l->table->name,
                     "parts_of_files", l->of_objects, "files", (json_int_t)files_of(r, l), "slowest_rank_seconds",
                     dsn_json_known(known ? time : -1), "mib_per_second", dsn_json_known(known ? mib / time : -1),
                     "counters", counters_of(l));
}

json_t *dsn__modules_part(const struct dsn_report *r)
{
    json_t *all = json_array();

    for (size_t i = 0; i < r->nlayers; i++)
        json_array_append_new(all, module_of(r, &r->layer[i]));
    return all;
}
