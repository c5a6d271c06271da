/* document-phases.c - JSON: phases that the program has named
 * SPDX-License-Identifier: BSD-3-Clause */
#include "document-parts.h"
#include "json.h"
#include "phases.h"

#define STEPS 512

/* Times from which and until which it was in the phase, as far as the steps tell. */
static json_t *spans_of(const struct dsn_report *r, const struct dsn_phase *p)
{
    json_t *spans = json_array();
    unsigned from = STEPS;

    for (unsigned i = 0; i <= STEPS; i++) {
        const int is_in = i < STEPS && dsn_phase_was(p, i);
        const double end = (double)i * p->step;

        if (is_in && from == STEPS)
            from = i;
        if (is_in || from == STEPS)
            continue;
        json_array_append_new(spans, json_pack("[o, o]", dsn_json_f64((double)from * p->step),
                                               dsn_json_f64(end < r->f.runtime ? end : r->f.runtime)));
        from = STEPS;
    }
    return spans;
}

json_t *dsn__layers_of_work(const struct dsn_work at[DSN_PHASE_LAYERS], const int64_t metas[DSN_PHASE_LAYERS])
{
    json_t *layers = json_array();

    for (int i = 0; i < DSN_PHASE_LAYERS; i++)
        if (at[i].reads + at[i].writes + metas[i] > 0 || dsn_work_time(&at[i]) > 0)
            json_array_append_new(layers,
                                  json_pack("{s:s, s:I, s:o}", "name", dsn_phase_layer_name((enum dsn_phase_of)i),
                                            "metadata_calls", (json_int_t)metas[i], "work", dsn__work(&at[i])));
    return layers;
}

static json_t *phase_of(const struct dsn_report *r, const struct dsn_phase *p)
{
    return json_pack(
        "{s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "name", dsn_json_text(p->name), "entered",
        (json_int_t)p->entered, "processes", (json_int_t)p->processes, "seconds", dsn_json_f64(p->time),
        "longest_seconds", dsn_json_f64(p->longest), "io_share", dsn_json_f64(dsn_phase_share(p)), "slowest_seconds",
        dsn_json_f64(p->slowest), "slowest_rank", (json_int_t)p->slowest_rank, "work", dsn__work(&p->work), "layers",
        dsn__layers_of_work(p->at, p->metas), "step_seconds", dsn_json_f64(p->step), "spans", spans_of(r, p));
}

/* null: the log has none. */
json_t *dsn__phases_part(const struct dsn_report *r)
{
    struct dsn_phases all;
    json_t *rows, *part = NULL;

    if (dsn_phases_make(r, &all) != DSN_ERR_OK)
        return NULL;
    if (all.n == 0)
        return json_null();
    rows = json_array();
    for (size_t i = 0; i < all.n; i++)
        json_array_append_new(rows, phase_of(r, &all.list[i]));
    part = json_pack("{s:o, s:{s:I, s:I, s:I, s:I}}", "rows", rows, "outside", "bytes_read",
                     (json_int_t)all.outside.bytes_read, "bytes_written", (json_int_t)all.outside.bytes_written,
                     "reads", (json_int_t)all.outside.reads, "writes", (json_int_t)all.outside.writes);
    dsn_phases_free(&all);
    return part;
}
