/* merge-heat.c - heat maps of several logs on one scale
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "merge-heat.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BINS  200 /* as many as the runtime writes */
#define MOST_WIDTH 1e9 /* seconds: wider bins are damage */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double width_of(const struct dsn_rec *r)
{
    const double width = r->v[HEATMAP_F_BIN_WIDTH_SECONDS].f;

    return width > 0 && width <= MOST_WIDTH ? width : 0; /* a log may contain anything */
}

int dsn_heat_look(struct dsn_heat_scale *s, struct darshan_reader *log, double later, struct darshan_reader_error *err)
{
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    int rc = darshan_reader_begin(log, DSN_HEATMAP_MODULE, &it, err);

    if (rc != DSN_ERR_OK)
        return rc;
    darshan_reader_as_written(it);
    while ((r = darshan_reader_next(it, err)) != NULL) {
        const int64_t n = (int64_t)darshan_reader_tail(it)->n;

        s->width = larger(s->width, width_of(r));
        s->end = larger(s->end, later + width_of(r) * (double)n);
        s->most = n > s->most ? n : s->most;
    }
    darshan_reader_end(it);
    return err->code;
}

/* Number of bins. Rounding must not add one. */
static int64_t bins_of(struct dsn_heat_scale *s)
{
    const double most = s->most > MOST_BINS ? (double)s->most : MOST_BINS;
    double bins;

    if (s->width <= 0)
        return 0;
    while (s->end / s->width - 1e-6 > most)
        s->width *= 2;
    bins = s->end / s->width - 1e-6;
    return (int64_t)bins + (bins > (double)(int64_t)bins);
}

static void place(const struct dsn_heat_scale *s, const struct dsn_rec *r, const struct dsn_tail *tail, double later,
                  int64_t *bins[2], int64_t n)
{
    for (size_t k = 0; k < tail->n; k++) {
        const double middle = later + ((double)k + 0.5) * width_of(r);
        const double bin = larger(middle / s->width, 0);
        const int64_t at = bin < (double)n ? (int64_t)bin : n - 1;

        for (int d = 0; d < 2; d++)
            bins[d][at] = dsn_plus(bins[d][at], tail->values[d][k]);
    }
}

int dsn_heat_write(struct dsn_heat_scale *s, struct darshan_reader *log, double later, int64_t ranks_before,
                   struct darshan_writer *w, struct darshan_reader_error *err)
{
    const int64_t n = bins_of(s);
    int64_t *bins = calloc((size_t)n + 1, 2 * sizeof *bins), *both[2] = { bins, bins + n };
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    int rc = bins ? darshan_reader_begin(log, DSN_HEATMAP_MODULE, &it, err) : DSN_ERR_MEMORY;

    if (rc != DSN_ERR_OK) {
        free(bins);
        return rc;
    }
    darshan_reader_as_written(it);
    while (darshan_writer_error(w, err) == DSN_ERR_OK && (r = darshan_reader_next(it, err)) != NULL) {
        const struct dsn_tail tail = { .n = (size_t)n, .values = { both[0], both[1] } };
        union dsn_any_rec out;

        memcpy(&out, r, dsn_rec_size(dsn_table(DSN_HEATMAP_MODULE)));
        memset(bins, 0, (size_t)n * 2 * sizeof *bins);
        if (n > 0)
            place(s, r, darshan_reader_tail(it), later, both, n);
        out.rec.rank = out.rec.rank >= 0 ? dsn_plus(out.rec.rank, ranks_before) : out.rec.rank;
        out.rec.v[HEATMAP_F_BIN_WIDTH_SECONDS].f = s->width;
        out.rec.v[HEATMAP_NBINS].i = n;
        darshan_writer_record(w, DSN_HEATMAP_MODULE, &out.rec, &tail);
    }
    darshan_reader_end(it);
    free(bins);
    return err->code;
}
