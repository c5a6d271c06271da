/* document.c - a sweep as JSON that is a storage profile
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "document.h"

#include <math.h>

#include "util/report/json.h"

static void set(json_t *o, const char *key, json_t *value)
{
    json_object_set_new(o, key, value);
}

/* A number if it is known, or null. */
static json_t *number(double v)
{
    return v > 0 ? dsn_json_f64(v) : json_null();
}

static json_t *size(uint64_t v)
{
    return v > 0 ? json_integer((json_int_t)v) : json_null();
}

static json_t *answer(enum dsn_yes_or_no a)
{
    return a == DSN_NOT_KNOWN ? json_null() : json_boolean(a == DSN_YES);
}

/* ------------------------------------------------------------------ the profile */

/* The members defined in doc/simulate.md, if several request sizes were measured. */
static json_t *way(const struct dsn_way_found *w)
{
    json_t *o = json_object();

    if (w->byte > 0) {
        set(o, "latency_seconds", json_real(w->latency));
        set(o, "bytes_per_second", json_real(1 / w->byte));
        if (w->total > 0) /* a single request cannot be faster than all together */
            set(o, "total_bytes_per_second", json_real(fmax(w->total, 1 / w->byte)));
    }
    set(o, "model_error", dsn_json_f64(w->byte > 0 ? w->off : NAN));
    set(o, "large_request_bytes_per_second", number(w->peak));
    set(o, "best_request_bytes", size(w->best_request));
    set(o, "peak_request_bytes", size(w->peak_request));
    return o;
}

static json_t *cache(const struct dsn_cache_found *c)
{
    json_t *o = json_object();

    set(o, "bytes", size(c->bytes));
    set(o, "less_than_bytes", size(c->next));
    set(o, "at_least_bytes", size(c->at_least));
    set(o, "scatters", json_boolean(c->scatters));
    set(o, "bytes_per_second_within", dsn_json_f64(c->upper));
    set(o, "bytes_per_second_beyond", dsn_json_f64(c->lower));
    return o;
}

static json_t *workers(unsigned best, double rate, double efficiency)
{
    json_t *o = json_object();

    set(o, "best", size(best));
    set(o, "bytes_per_second", number(rate));
    set(o, "efficiency", number(efficiency));
    return o;
}

/* Access modes that are as good as the best one within the uncertainty of the samples. */
static json_t *alike(const struct dsn_way_found *w)
{
    json_t *all = json_array();

    for (unsigned mode = 0; dsn_mode_row(mode); mode++)
        if (w->like_best & 1u << mode)
            json_array_append_new(all, json_string(dsn_mode_row(mode)->name));
    return all;
}

/* What was measured and is not told, and why. */
static json_t *withheld(const struct dsn_verdict *v)
{
    static const char *const why[] = { NULL, "page cache", "memory" };
    const struct {
        const char *what;
        enum dsn_withheld is;
    } of[] = {
        { "requests of reads", v->way[0].requests_withheld }, { "requests of writes", v->way[1].requests_withheld },
        { "workers of reads", v->way[0].workers_withheld },   { "workers of writes", v->way[1].workers_withheld },
        { "access mode of reads", v->way[0].mode_withheld },  { "access mode of writes", v->way[1].mode_withheld },
        { "caches and write-behind", v->caches_withheld },    { "read-ahead", v->ahead_withheld },
        { "keeping what was read", v->keeps_withheld },       { "reads of nodes", v->nodes[0].withheld },
        { "writes of nodes", v->nodes[1].withheld }
    };
    json_t *o = json_object();

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        if (of[i].is != DSN_GIVEN)
            set(o, of[i].what, json_string(why[of[i].is]));
    return o;
}

/* Nodes, and what they reach together. */
static json_t *nodes(const struct dsn_verdict *v)
{
    static const char *const kinds[] = { "read", "write" }, *const why[] = { NULL, "page cache", "memory" };
    json_t *o = json_object(), *all = json_array();

    if (v->samples->nhosts == 0) {
        json_decref(o);
        json_decref(all);
        return json_null();
    }
    for (size_t i = 0; i < v->samples->nhosts; i++) {
        const struct dsn_sweep_host *h = &v->samples->host[i];
        json_t *one = json_object(), *kept = json_object();

        for (int k = 0; k < 2; k++)
            if (v->of_host[i][k] != DSN_GIVEN)
                set(kept, kinds[k], json_string(why[v->of_host[i][k]]));
        set(one, "name", dsn_json_text(h->name));
        set(one, "file_system", dsn_json_text(h->type));
        set(one, "processes", size(h->processes));
        set(one, "withheld", kept);
        json_array_append_new(all, one);
    }
    set(o, "count", size(v->samples->nhosts));
    set(o, "each", all);
    for (int k = 0; k < 2; k++) {
        const struct dsn_nodes_found *f = &v->nodes[k];
        json_t *one = json_object();

        set(one, "best_request_bytes", size(f->best_request));
        set(one, "peak_request_bytes", size(f->peak_request));
        set(one, "large_request_bytes_per_second", number(f->peak));
        set(one, "one_file", workers(f->best[0], f->best_rate[0], f->efficiency[0]));
        set(one, "file_each", workers(f->best[1], f->best_rate[1], f->efficiency[1]));
        set(o, kinds[k], one);
    }
    return o;
}

static json_t *found(const struct dsn_verdict *v)
{
    json_t *o = json_object(), *writers = json_object(), *modes = json_object();
    static const char *const kinds[] = { "read", "write" };

    set(o, "read_cache", cache(&v->read_cache));
    set(o, "write_cache", cache(&v->write_cache));
    set(o, "write_behind", answer(v->write_behind));
    set(o, "write_behind_gain", dsn_json_f64(v->write_behind_gain));
    set(o, "reads_ahead", answer(v->reads_ahead));
    set(o, "read_ahead_bytes", size(v->ahead_bytes));
    set(o, "read_ahead_gain", dsn_json_f64(v->ahead_gain));
    set(o, "keeps_what_was_read", answer(v->keeps));
    set(o, "only_whole_files", answer(v->whole_only));
    set(o, "warm_gain_within", dsn_json_f64(v->warm_gain));
    set(o, "warm_gain_beyond", dsn_json_f64(v->warm_gain_large));
    set(o, "read_write_handle_ratio", dsn_json_f64(v->read_write_handle));
    for (int k = 0; k < 2; k++) {
        static const char *const files[] = { "one_file", "file_each" }, *const of_cached[] = { "one_file_cached",
                                                                                               "file_each_cached" };
        const struct dsn_way_found *w = &v->way[k];
        json_t *both = json_object();

        for (int i = 0; i < 2; i++) {
            set(both, files[i], workers(w->best_workers[i], w->best_rate[i], w->efficiency[i]));
            set(both, of_cached[i], workers(w->cached_workers[i], w->cached_rate[i], w->cached_efficiency[i]));
        }
        set(writers, kinds[k], both);
        set(modes, kinds[k],
            v->way[k].best_mode_rate > 0 ? json_string(dsn_mode_row(v->way[k].best_mode)->name) : json_null());
    }
    set(o, "workers", writers);
    set(o, "nodes", nodes(v));
    set(o, "best_access_mode", modes);
    set(o, "not_told_apart", json_pack("{s:o, s:o}", "read", alike(&v->way[0]), "write", alike(&v->way[1])));
    set(o, "withheld", withheld(v));
    set(o, "caches_bypassed", answer(v->is_proved));
    set(o, "largest_share_in_cache", dsn_json_f64(v->worst_resident));
    return o;
}

/* ------------------------------------------------------------------ the curves */

static json_t *point(const struct dsn_verdict *v, unsigned sweep, const struct dsn_curve_point *p)
{
    json_t *o = json_object(), *shares = dsn_sweep_row(sweep)->is_nodes ? json_array() : NULL;

    if (dsn_sweep_row(sweep)->factor == DSN_BY_MODE)
        set(o, "x", json_string(dsn_mode_row((unsigned)p->x)->name));
    else
        set(o, "x", json_integer((json_int_t)p->x));
    set(o, "request", json_integer((json_int_t)p->request));
    set(o, "bytes_per_second", dsn_json_f64(p->rate.median));
    set(o, "low", dsn_json_f64(p->rate.low));
    set(o, "high", dsn_json_f64(p->rate.high));
    set(o, "confidence", dsn_json_f64(p->rate.confidence));
    set(o, "samples", json_integer((json_int_t)p->rate.n));
    set(o, "resident", dsn_json_known(p->resident_most));
    for (size_t i = 0; shares && i < v->samples->nhosts; i++) {
        const struct dsn_node_share *of = dsn_verdict_share(v, sweep, i, p->x);
        json_t *one;

        if (!of)
            continue;
        one = json_object();
        set(one, "node", dsn_json_text(v->samples->host[i].name));
        set(one, "bytes_per_second", dsn_json_f64(of->rate));
        set(one, "resident", dsn_json_known(of->resident));
        json_array_append_new(shares, one);
    }
    if (shares)
        set(o, "nodes", shares);
    return o;
}

static json_t *sweeps(const struct dsn_verdict *v)
{
    static const char *const factors[] = { "request", "request", "file", "workers", "file and request", "mode" };
    json_t *all = json_array();

    for (unsigned i = 0; i < DSN_NSWEEPS; i++) {
        const struct dsn_sweep_row *row = dsn_sweep_row(i);
        json_t *points = json_array(), *o;

        for (size_t k = 0; k < v->curve[i].n; k++)
            json_array_append_new(points, point(v, i, &v->curve[i].point[k]));
        o = json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", row->name, "what", row->what, "by",
                      row->is_nodes && row->factor == DSN_BY_WRITERS ? "processes" : factors[row->factor], "operation",
                      dsn_sweep_is_write(i) ? "write" : "read", "points", points);
        if (v->curve[i].n > 0 && o)
            json_array_append_new(all, o);
        else
            json_decref(o);
    }
    return all;
}

json_t *dsn_sweep_document(const struct dsn_sweep_record *r, const struct dsn_verdict *v, int is_partial)
{
    json_t *o;

    dsn_document_begin();
    o = json_pack("{s:s, s:i}", "format", "darshan-storage-profile", "version", 1);
    set(o, "read", way(&v->way[0]));
    set(o, "write", way(&v->way[1]));
    set(o, "made_by", json_string("darshan-sweep " PACKAGE_VERSION));
    set(o, "directory", dsn_json_text(r->directory));
    set(o, "file_system", dsn_json_text(r->type));
    set(o, "begun", json_integer((json_int_t)r->begun));
    set(o, "partial", json_boolean(is_partial));
    set(o, "most_bytes_of_files", json_integer((json_int_t)r->settings.limit));
    set(o, "found", found(v));
    set(o, "sweeps", sweeps(v));
    if (!o || dsn_document_failed()) {
        json_decref(o);
        return NULL;
    }
    return o;
}
