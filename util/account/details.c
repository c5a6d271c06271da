/* details.c - data of a log's records besides their counters, as rows of tables
 * SPDX-License-Identifier: BSD-3-Clause */
#include "details.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/hash.h"
#include "util/lib/grow.h"
#include "util/report/report.h"
#include "waited.h"

#define MOST_BINS 65536 /* of a heat map; logs usually have a few hundred */

const struct dsn_detail_table dsn_detail_tables[DSN_NDETAILS] = {
    [DSN_LUSTRE_COMPONENT] = { "lustre_component",
                               "file_id, component, stripe_size, stripe_count, pattern, flags, extent_start, "
                               "extent_end, mirror, pool",
                               "xiiiiiiiin", 0 },
    [DSN_LUSTRE_STRIPE] = { "lustre_stripe", "file_id, component, stripe, ost", "xiii", 0 },
    [DSN_MDHIM_SERVER] = { "mdhim_server", "file_id, rank, server, operations", "xiii", 0 },
    [DSN_HEATMAP_BIN] = { "heatmap_bin", "layer, bin, bytes_read, bytes_written", "tiii", 0 },
    [DSN_HEATMAP_TOTAL] = { "heatmap_total",
                            "layer, ranks, other_ranks, bin_seconds, bins, busy_bins, bins_of_90_percent, bytes_read, "
                            "bytes_written, busiest_bytes",
                            "tiifiiiiii", 1 },
    [DSN_SHARED_FILE] = { "shared_file",
                          "file_id, module, ranks, readers, writers, slowest_rank, slowest_read_time, "
                          "slowest_write_time, "
                          "slowest_meta_time",
                          "xtiiiifff", 0 },
    [DSN_LOG_BASED_IO] = { "log_based_io",
                           "ranks, files, calls, bytes, replayed_bytes, incomplete_files, write_time, wait_time, "
                           "replay_time, hidden_time",
                           "iiiiiiffff", 1 },
    [DSN_FILE_PATTERN] = { "file_pattern",
                           "pattern, file_system, files, opens, bytes_read, bytes_written, read_time, write_time, "
                           "meta_time, read_size, read_bytes, largest",
                           "ptiiiiffffff", 0 },
    [DSN_NAMED_PHASE] = { "phase",
                          "phase, entered, processes, bytes_read, bytes_written, reads, writes, time, longest, "
                          "io_time, "
                          "slowest",
                          "piiiiiiffff", 0 },
    [DSN_CALL_SITE] = { "call_site", "place, files, bytes_read, bytes_written, reads, writes, metas, io_time",
                        "piiiiiif", 0 },
};

/* Appends a row; NULL: no memory. */
static struct dsn_detail_row *add_row(struct dsn_detail *details, enum dsn_detail_kind kind)
{
    struct dsn_detail *d = &details[kind];

    if (!dsn_grow(&d->row, &d->room, sizeof *d->row, d->n))
        return NULL;
    memset(&d->row[d->n], 0, sizeof d->row[0]);
    return &d->row[d->n++];
}

/* ------------------------------------------------------------------ arrays of a record */

static int add_component(struct dsn_detail *details, uint64_t file, size_t k, const struct dsn_lustre_comp *c)
{
    struct dsn_detail_row *row = add_row(details, DSN_LUSTRE_COMPONENT);

    if (!row)
        return 0;
    *row = (struct dsn_detail_row){ .v = { { .i = (int64_t)file },
                                           { .i = (int64_t)k },
                                           { .i = c->stripe_size },
                                           { .i = c->stripe_count },
                                           { .i = c->pattern },
                                           { .i = c->flags },
                                           { .i = c->start },
                                           { .i = c->end },
                                           { .i = c->mirror } } };
    memcpy(row->text, c->pool, sizeof c->pool);
    return 1;
}

static int add_number(struct dsn_detail *details, enum dsn_detail_kind kind, uint64_t file, int64_t second, size_t i,
                      int64_t value)
{
    struct dsn_detail_row *row = add_row(details, kind);

    if (!row)
        return 0;
    row->v[0].i = (int64_t)file;
    row->v[1].i = second;
    row->v[2].i = (int64_t)i;
    row->v[3].i = value;
    return 1;
}

/* The stripes of all components are in one array, in their order. */
static int add_layout(struct dsn_detail *details, int64_t most, const struct dsn_rec *r, const struct dsn_tail *tail)
{
    size_t at = 0;
    int ok = 1;

    for (size_t k = 0; ok && k < tail->ncomps && (int64_t)details[DSN_LUSTRE_COMPONENT].n < most; k++) {
        const int64_t count = tail->comps[k].stripe_count;

        if (tail->comps[k].stripe_size == -1) /* this and later ones are unused */
            break;
        ok = add_component(details, r->id, k, &tail->comps[k]);
        for (int64_t i = 0; ok && i < count && at < tail->n; i++, at++)
            if ((int64_t)details[DSN_LUSTRE_STRIPE].n < most)
                ok = add_number(details, DSN_LUSTRE_STRIPE, r->id, (int64_t)k, (size_t)i, tail->values[0][at]);
    }
    return ok;
}

static int add_servers(struct dsn_detail *details, int64_t most, const struct dsn_rec *r, const struct dsn_tail *tail)
{
    int ok = 1;

    for (size_t i = 0; ok && i < tail->n && (int64_t)details[DSN_MDHIM_SERVER].n < most; i++)
        ok = add_number(details, DSN_MDHIM_SERVER, r->id, r->rank, i, tail->values[0][i]);
    return ok;
}

/* ------------------------------------------------------------------ ranks of shared records */

/* Times of a damaged log may have any value, but the columns need finite numbers. */
static double seconds(const struct dsn_rec *r, int at)
{
    return isfinite(r->v[at].f) ? r->v[at].f : -1;
}

static int add_shared(struct dsn_detail *details, const struct dsn_rec *r)
{
    struct dsn_detail_row *row = add_row(details, DSN_SHARED_FILE);

    if (!row)
        return 0;
    *row = (struct dsn_detail_row){ .v = { { .i = (int64_t)r->id },
                                           { .i = 0 },
                                           r->v[SHARED_RANKS],
                                           r->v[SHARED_READERS],
                                           r->v[SHARED_WRITERS],
                                           r->v[SHARED_SLOWEST_RANK],
                                           { .f = seconds(r, SHARED_F_SLOWEST_READ_TIME) },
                                           { .f = seconds(r, SHARED_F_SLOWEST_WRITE_TIME) },
                                           { .f = seconds(r, SHARED_F_SLOWEST_META_TIME) } } };
    snprintf(row->text, sizeof row->text, "%s", dsn_module_name((unsigned)r->v[SHARED_MODULE].i));
    return 1;
}

int dsn_details_shared(struct dsn_detail details[DSN_NDETAILS], int64_t most, const struct darshan_reader *log)
{
    for (size_t i = 0; i < darshan_reader_shared(log) && (int64_t)details[DSN_SHARED_FILE].n < most; i++) {
        const struct dsn_rec *r = darshan_reader_shared_row(log, i);
        const int64_t module = r->v[SHARED_MODULE].i;

        if (module >= 0 && module < DSN_MODULE_SLOTS && dsn_module_name((unsigned)module) && !add_shared(details, r))
            return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------ log-based I/O */

int dsn_details_lbio(struct dsn_detail details[DSN_NDETAILS], const struct darshan_reader *log)
{
    const size_t n = darshan_reader_lbio(log);
    struct dsn_detail_row *row = n > 0 ? add_row(details, DSN_LOG_BASED_IO) : NULL;
    struct dsn_lbio l = { 0 };

    for (size_t i = 0; i < n; i++)
        dsn_lbio_add(&l, darshan_reader_lbio_row(log, i));
    if (row)
        *row = (struct dsn_detail_row){ .v = { { .i = l.ranks },
                                               { .i = l.count[LBIO_FILES] },
                                               { .i = l.count[LBIO_WRITES] },
                                               { .i = l.count[LBIO_BYTES] },
                                               { .i = l.count[LBIO_REPLAYED_BYTES] },
                                               { .i = l.count[LBIO_INCOMPLETE_FILES] },
                                               { .f = l.seconds[LBIO_F_WRITE_TIME] },
                                               { .f = l.waited },
                                               { .f = l.longest },
                                               { .f = l.hidden } } };
    return n == 0 || row;
}

/* ------------------------------------------------------------------ patterns of files */

int dsn_details_pattern(struct dsn_detail details[DSN_NDETAILS], const struct dsn_noted_pattern *p, uint32_t name)
{
    struct dsn_detail_row *row = add_row(details, DSN_FILE_PATTERN);

    if (!row)
        return 0;
    *row = (struct dsn_detail_row){ .v = { { .i = 0 },
                                           { .i = 0 },
                                           { .i = p->files },
                                           { .i = p->opens },
                                           { .i = p->work.bytes_read },
                                           { .i = p->work.bytes_written },
                                           { .f = p->work.read },
                                           { .f = p->work.write },
                                           { .f = p->work.meta },
                                           { .f = p->read_size },
                                           { .f = p->read_bytes },
                                           { .f = p->largest } },
                                    .name = name };
    snprintf(row->text, sizeof row->text, "%s", p->file_system);
    return 1;
}

/* ------------------------------------------------------------------ phases, and lines */

int dsn_details_phase(struct dsn_detail details[DSN_NDETAILS], const struct dsn_noted_phase *p, uint32_t name)
{
    struct dsn_detail_row *row = add_row(details, DSN_NAMED_PHASE);

    if (!row)
        return 0;
    *row = (struct dsn_detail_row){ .v = { { .i = 0 },
                                           { .i = p->entered },
                                           { .i = p->processes },
                                           { .i = p->work.bytes_read },
                                           { .i = p->work.bytes_written },
                                           { .i = p->work.reads },
                                           { .i = p->work.writes },
                                           { .f = p->time },
                                           { .f = p->longest },
                                           { .f = p->io_time },
                                           { .f = p->slowest } },
                                    .name = name };
    return 1;
}

int dsn_details_site(struct dsn_detail details[DSN_NDETAILS], const struct dsn_noted_site *p, uint32_t name)
{
    struct dsn_detail_row *row = add_row(details, DSN_CALL_SITE);

    if (!row)
        return 0;
    *row = (struct dsn_detail_row){ .v = { { .i = 0 },
                                           { .i = p->files },
                                           { .i = p->work.bytes_read },
                                           { .i = p->work.bytes_written },
                                           { .i = p->work.reads },
                                           { .i = p->work.writes },
                                           { .i = p->metas },
                                           { .f = p->io_time } },
                                    .name = name };
    return 1;
}

/* ------------------------------------------------------------------ heat maps */

static const struct {
    const char *name, *record;
} layers[DSN_HEAT_LAYERS] = {
    { "POSIX", "heatmap:POSIX" }, { "MPI-IO", "heatmap:MPIIO" }, { "STDIO", "heatmap:STDIO" },
    { "DFS", "heatmap:DFS" },     { "DAOS", "heatmap:DAOS" },
};

static struct dsn_heat_layer *layer_of(struct dsn_heat_sum *heat, uint64_t id)
{
    for (size_t i = 0; i < DSN_HEAT_LAYERS; i++)
        if (dsn_hash(layers[i].record, strlen(layers[i].record), 0) == id)
            return &heat->layer[i];
    return NULL;
}

/* Counters of a log may have any value: sums saturate. */
static int64_t sum(int64_t a, int64_t b)
{
    return b <= 0 ? a : a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* The first record of a layer determines the width and number of bins. */
static int begin_layer(struct dsn_heat_layer *l, double width, size_t n)
{
    l->width = width;
    l->read = calloc(n, sizeof *l->read);
    l->written = calloc(n, sizeof *l->written);
    l->n = n;
    return l->read && l->written;
}

static int add_heat(struct dsn_heat_sum *heat, const struct dsn_rec *r, const struct dsn_tail *tail)
{
    struct dsn_heat_layer *l = layer_of(heat, r->id);
    const double width = r->v[HEATMAP_F_BIN_WIDTH_SECONDS].f;

    if (!l || tail->n == 0 || tail->n > MOST_BINS || !(width > 1e-9) || width > 1e12)
        return 1;
    if (l->n == 0 && !begin_layer(l, width, tail->n))
        return 0;
    if (l->n != tail->n || fabs(l->width - width) > 1e-6 * width) {
        l->others++;
        return 1;
    }
    l->ranks++;
    for (size_t i = 0; i < l->n; i++) {
        l->written[i] = sum(l->written[i], tail->values[0] ? tail->values[0][i] : 0);
        l->read[i] = sum(l->read[i], tail->values[1] ? tail->values[1][i] : 0);
    }
    return 1;
}

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

/* How many of the fullest bins contain 90 % of the bytes. `bytes` is sorted. */
static int64_t bins_of_90_percent(int64_t *bytes, size_t n)
{
    double all = 0, so_far = 0;
    size_t i = 0;

    qsort(bytes, n, sizeof *bytes, by_size);
    for (size_t k = 0; k < n; k++)
        all += (double)bytes[k];
    while (i < n && so_far < 0.9 * all)
        so_far += (double)bytes[i++];
    return (int64_t)i;
}

static int add_bins(struct dsn_detail *details, const struct dsn_heat_layer *l, const char *name, int64_t most)
{
    for (size_t i = 0; i < l->n && (int64_t)details[DSN_HEATMAP_BIN].n < most; i++) {
        struct dsn_detail_row *row;

        if (l->read[i] == 0 && l->written[i] == 0)
            continue;
        row = add_row(details, DSN_HEATMAP_BIN);
        if (!row)
            return 0;
        snprintf(row->text, sizeof row->text, "%s", name);
        row->v[1].i = (int64_t)i;
        row->v[2].i = l->read[i];
        row->v[3].i = l->written[i];
    }
    return 1;
}

static int add_total(struct dsn_detail *details, const struct dsn_heat_layer *l, const char *name)
{
    struct dsn_detail_row *row = add_row(details, DSN_HEATMAP_TOTAL);
    int64_t *bytes = malloc(l->n * sizeof *bytes), read = 0, written = 0, busy = 0;

    if (!row || !bytes) {
        free(bytes);
        return 0;
    }
    for (size_t i = 0; i < l->n; i++) {
        bytes[i] = sum(l->read[i], l->written[i]);
        busy += bytes[i] > 0;
        read = sum(read, l->read[i]);
        written = sum(written, l->written[i]);
    }
    *row = (struct dsn_detail_row){ .v = { { .i = 0 },
                                           { .i = l->ranks },
                                           { .i = l->others },
                                           { .f = l->width },
                                           { .i = (int64_t)l->n },
                                           { .i = busy },
                                           { .i = bins_of_90_percent(bytes, l->n) },
                                           { .i = read },
                                           { .i = written },
                                           { .i = bytes[0] } } };
    snprintf(row->text, sizeof row->text, "%s", name);
    free(bytes);
    return 1;
}

int dsn_details_finish(struct dsn_detail details[DSN_NDETAILS], struct dsn_heat_sum *heat, int64_t most)
{
    for (size_t i = 0; i < DSN_HEAT_LAYERS; i++) {
        const struct dsn_heat_layer *l = &heat->layer[i];

        if (l->n > 0 && (!add_bins(details, l, layers[i].name, most) || !add_total(details, l, layers[i].name)))
            return 0;
    }
    return 1;
}

void dsn_heat_free(struct dsn_heat_sum *heat)
{
    for (size_t i = 0; i < DSN_HEAT_LAYERS; i++) {
        free(heat->layer[i].read);
        free(heat->layer[i].written);
    }
}

int dsn_details_add(struct dsn_detail details[DSN_NDETAILS], struct dsn_heat_sum *heat, int64_t most,
                    const struct dsn_table *table, const struct dsn_rec *r, const struct dsn_tail *tail)
{
    switch (table->id) {
    case DSN_LUSTRE_MODULE:
        return add_layout(details, most, r, tail);
    case DSN_MDHIM_MODULE:
        return add_servers(details, most, r, tail);
    case DSN_HEATMAP_MODULE:
        return add_heat(heat, r, tail);
    default:
        return 1;
    }
}
