/* heat.c - converts a log's heat map to operations
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bins are summed over ranks; each with data becomes a read and a write with the duration of the bin. */
#include <config.h>
#include "gather.h"

#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/hash.h"

#define LEAST_WIDTH 1e-6 /* seconds; a shorter bin is damage */
#define MOST_WIDTH  1e9
#define MOST_BINS   ((size_t)1 << 20)

static const struct layer {
    const char *name, *record;
} layers[] = {
    { "POSIX", "heatmap:POSIX" }, { "MPI-IO", "heatmap:MPIIO" }, { "STDIO", "heatmap:STDIO" },
    { "DFS", "heatmap:DFS" },     { "DAOS", "heatmap:DAOS" },
};
#define NLAYERS (sizeof layers / sizeof layers[0])

struct heat {
    double width[NLAYERS];
    size_t n[NLAYERS];
    uint64_t *bytes[NLAYERS][2]; /* read, written */
    double sum[NLAYERS];
};

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static size_t layer_of(uint64_t id)
{
    size_t i = 0;

    while (i < NLAYERS && dsn_hash(layers[i].record, strlen(layers[i].record), 0) != id)
        i++;
    return i;
}

/* The first record of a layer determines the width of its bins. 0: no memory. */
static int add_record(struct heat *h, const struct dsn_rec *r, const struct dsn_tail *tail)
{
    const size_t i = layer_of(r->id);
    const double width = r->v[HEATMAP_F_BIN_WIDTH_SECONDS].f;

    if (i == NLAYERS || tail->n == 0 || tail->n > MOST_BINS || !(width > LEAST_WIDTH) || width > MOST_WIDTH)
        return 1;
    if (h->n[i] == 0) {
        h->width[i] = width;
        h->n[i] = tail->n;
        for (int k = 0; k < 2; k++)
            if (!(h->bytes[i][k] = calloc(tail->n, sizeof *h->bytes[i][k])))
                return 0;
    }
    for (size_t bin = 0; bin < tail->n; bin++)
        for (int k = 0; k < 2; k++) {
            const int64_t *values = tail->values[!k]; /* in the log, writes come first */
            const double at = (double)bin * width / h->width[i];

            if (!values || values[bin] <= 0 || at >= (double)h->n[i])
                continue;
            h->bytes[i][k][(size_t)at] = sum(h->bytes[i][k][(size_t)at], (uint64_t)values[bin]);
            h->sum[i] += (double)values[bin];
        }
    return 1;
}

/* The layer with the most data; NLAYERS: none. */
static size_t fullest(const struct heat *h)
{
    size_t best = NLAYERS;

    for (size_t i = 0; i < NLAYERS; i++)
        if (h->sum[i] > 0 && (best == NLAYERS || h->sum[i] > h->sum[best]))
            best = i;
    return best;
}

/* 0: no memory. */
static int take_layer(struct dsn_rhythm_input *in, const struct heat *h, size_t layer, int64_t nprocs)
{
    const double width = h->width[layer] * 1e9;

    for (size_t bin = 0; bin < h->n[layer]; bin++)
        for (int k = 0; k < 2; k++) {
            const uint64_t start = (uint64_t)((double)bin * width + .5);
            struct darshan_trace_event e = { .start = start,
                                             .duration = (uint64_t)((double)(bin + 1) * width + .5) - start,
                                             .length = h->bytes[layer][k][bin],
                                             .op = k ? DARSHAN_TRACE_WRITE : DARSHAN_TRACE_READ };

            if (e.length > 0 && (double)(bin + 1) * width < 9e18 && !dsn_rhythm_take(in, &e))
                return 0;
        }
    in->is_heat = 1;
    in->nprocs = nprocs > 0 ? (size_t)nprocs : 1;
    in->width = h->width[layer];
    in->source = "HEATMAP";
    in->cpu = DARSHAN_TRACE_CPU_NONE;
    return 1;
}

const char *dsn_rhythm_take_heat(struct dsn_rhythm_input *in, struct darshan_reader *log,
                                 struct darshan_reader_error *err)
{
    const struct dsn_job *job = darshan_reader_job(log);
    struct darshan_reader_records *it;
    struct heat h = { .n = { 0 } };
    const struct dsn_rec *r;
    size_t layer = NLAYERS;
    int ok = 1;

    err->code = DSN_ERR_OK;
    if (darshan_reader_begin(log, DSN_HEATMAP_MODULE, &it, err) != DSN_ERR_OK)
        return NULL;
    while (ok && (r = darshan_reader_next(it, err)) != NULL)
        ok = add_record(&h, r, darshan_reader_tail(it));
    darshan_reader_end(it);
    if (ok && (layer = fullest(&h)) < NLAYERS)
        ok = take_layer(in, &h, layer, job->nprocs);
    for (size_t i = 0; i < NLAYERS; i++)
        for (int k = 0; k < 2; k++)
            free(h.bytes[i][k]);
    if (!ok)
        err->code = DSN_ERR_MEMORY;
    if (job->start_sec > 0 && job->start_sec < INT64_C(9000000000))
        in->epoch = (uint64_t)job->start_sec * 1000000000u;
    return ok && layer < NLAYERS ? layers[layer].name : NULL;
}
