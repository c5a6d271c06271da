/* report.c - results as text and JSON
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "measure/spmv/report.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>

static const char *limit(const struct dsn_spmv_result *r)
{
    return r->work > r->read ? "work" : "read";
}

static void print_cell(FILE *to, const struct dsn_spmv_result *r)
{
    const struct dsn_spmv_cell *c = &r->cell;
    char percent[24] = "-", spread[48] = "-", messages[80] = "-", bound[24] = "-";

    if (!isnan(r->gain)) {
        snprintf(percent, sizeof percent, "%.1f", r->gain);
        snprintf(spread, sizeof spread, "%.1f..%.1f", r->gain_least, r->gain_most);
    }
    if (c->how != DARSHAN_SCHED_STATIC)
        snprintf(bound, sizeof bound, "%.4f", dsn_spmv_bound(r));
    if (c->how == DARSHAN_SCHED_MASTER)
        snprintf(messages, sizeof messages, "%lld READY %lld GO %lld STOP", (long long)r->ready, (long long)r->go,
                 (long long)r->stop);
    if (c->how == DARSHAN_SCHED_COUNTER)
        snprintf(messages, sizeof messages, "%lld fetches", (long long)r->fetches);
    fprintf(to, "%-10s %-8s %7d %7d %5lld %6lld %6lld %9.4f %9.4f %9.4f %9.4f %9.4f %9.4f %5s %6s %13s %9s  %s\n",
            darshan_sched_mode_name(c->mode), darshan_sched_how_name(c->how), c->workers, c->vectors, (long long)c->kib,
            (long long)c->per_block, (long long)r->blocks, r->seconds, dsn_spmv_model(r), r->work, r->read, r->begin,
            r->wait, limit(r), percent, spread, bound, messages);
}

/* Escapes a file name, which may contain anything. */
static void print_name(FILE *to, const char *name)
{
    for (; *name; name++)
        fputc(iscntrl((unsigned char)*name) ? '?' : *name, to);
}

static int has_vectors(const struct dsn_spmv_settings *s)
{
    int64_t most = 0;

    for (unsigned i = 0; i < s->nvectors; i++)
        most = s->vectors[i] > most ? s->vectors[i] : most;
    return most > 0;
}

/* The study's table: for each size of blocks the highest and the lowest gain over modes, workers and vectors. */
static void print_extremes(FILE *to, const struct dsn_spmv_result *cells, unsigned n)
{
    int is_first = 1;

    for (unsigned i = 0; i < n; i++) {
        double least = INFINITY, most = -INFINITY;
        unsigned of = 0, before = 0;

        for (unsigned k = 0; k < n; k++)
            if (cells[k].cell.kib == cells[i].cell.kib && cells[k].cell.how == cells[i].cell.how &&
                !isnan(cells[k].gain)) {
                least = cells[k].gain < least ? cells[k].gain : least;
                most = cells[k].gain > most ? cells[k].gain : most;
                before += k < i;
                of++;
            }
        if (of < 2 || before > 0 || isnan(cells[i].gain))
            continue;
        if (is_first)
            fprintf(to, "\nGain over the static schedule, in %%\n%5s %-8s %9s %9s %6s\n", "KiB", "schedule", "highest",
                    "lowest", "of");
        is_first = 0;
        fprintf(to, "%5lld %-8s %9.2f %9.2f %6u\n", (long long)cells[i].cell.kib,
                darshan_sched_how_name(cells[i].cell.how), most, least, of);
    }
}

void dsn_spmv_text(FILE *to, const struct dsn_spmv *s, const char *matrix, const struct dsn_spmv_result *cells,
                   unsigned n)
{
    const struct dsn_imitated *i = &s->settings->imitated;

    fprintf(to, "Matrix     ");
    print_name(to, matrix);
    fprintf(to, ": %lld x %lld, %lld entries; its file of rows has %.1f MB\n", (long long)s->rows,
            (long long)s->columns, (long long)s->entries,
            1e-6 * (double)s->rows * (double)DSN_DENSE_RECORD(s->columns));
    if (i->bytes_per_second > 0)
        fprintf(to, "Imitated   a disk of %.1f MB/s\n", 1e-6 * i->bytes_per_second);
    if (i->work_seconds > 0)
        fprintf(to, "Imitated   work of %g s for each vector\n", i->work_seconds);
    if (i->slow > 0)
        fprintf(to, "Imitated   worker 0 takes %g %% longer\n", 100 * i->slow);
    fprintf(to, "%s",
            has_vectors(s->settings) ? "Products   exact: the bits that the matrix in memory gives\n\n"
                                     : "Compressed exact: the entries that the matrix in memory has\n\n");
    fprintf(to, "%-10s %-8s %7s %7s %5s %6s %6s %9s %9s %9s %9s %9s %9s %5s %6s %13s %9s  %s\n", "mode", "schedule",
            "workers", "vectors", "KiB", "rows", "blocks", "seconds", "model", "work", "read", "begin", "wait", "limit",
            "gain %", "spread", "bound", "messages");
    for (unsigned k = 0; k < n; k++)
        print_cell(to, &cells[k]);
    print_extremes(to, cells, n);
}

static json_t *cell_document(const struct dsn_spmv_result *r)
{
    const struct dsn_spmv_cell *c = &r->cell;
    json_t *o =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I}", "mode", darshan_sched_mode_name(c->mode),
                  "schedule", darshan_sched_how_name(c->how), "workers", c->workers, "vectors", c->vectors, "buffers",
                  c->buffers, "kib", (json_int_t)c->kib, "rows", (json_int_t)c->per_block, "blocks",
                  (json_int_t)r->blocks, "calls", (json_int_t)r->calls, "bytes", (json_int_t)r->bytes);
    json_t *more = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s, s:I, s:I, s:I, s:I}", "seconds", r->seconds,
                             "model_seconds", dsn_spmv_model(r), "work_seconds", r->work, "read_seconds", r->read,
                             "begin_seconds", r->begin, "wait_seconds", r->wait, "longest_seconds", r->longest, "limit",
                             limit(r), "ready", (json_int_t)r->ready, "go", (json_int_t)r->go, "stop",
                             (json_int_t)r->stop, "fetches", (json_int_t)r->fetches);

    if (!isnan(r->gain)) {
        json_object_set_new(more, "gain_percent", json_real(r->gain));
        json_object_set_new(more, "gain_least_percent", json_real(r->gain_least));
        json_object_set_new(more, "gain_most_percent", json_real(r->gain_most));
    }
    if (c->how != DARSHAN_SCHED_STATIC)
        json_object_set_new(more, "bound_seconds", json_real(dsn_spmv_bound(r)));
    json_object_update(o, more);
    json_decref(more);
    return o;
}

int dsn_spmv_json(FILE *to, const struct dsn_spmv *s, const char *matrix, const struct dsn_spmv_result *cells,
                  unsigned n)
{
    const struct dsn_imitated *i = &s->settings->imitated;
    json_t *list = json_array(), *name = json_string(matrix), *all;
    int rc;

    for (unsigned k = 0; k < n; k++)
        json_array_append_new(list, cell_document(&cells[k]));
    all = json_pack("{s:s, s:i, s:o, s:I, s:I, s:I, s:b, s:{s:f, s:f, s:f}, s:o}", "format", "darshan-spmv", "version",
                    1, "matrix", name ? name : json_string("(not UTF-8)"), "rows", (json_int_t)s->rows, "columns",
                    (json_int_t)s->columns, "entries", (json_int_t)s->entries, "exact", 1, "imitated",
                    "disk_bytes_per_second", i->bytes_per_second, "work_seconds", i->work_seconds, "slow", i->slow,
                    "runs", list);
    rc = all && json_dumpf(all, to, JSON_INDENT(1) | JSON_PRESERVE_ORDER) == 0 && fputc('\n', to) != EOF;
    json_decref(all);
    return rc;
}
