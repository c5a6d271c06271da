/* ranks.c - totals of ranks, as exact as the log allows; movers by heat maps
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* ------------------------------------------------------------------ spread */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of most jobs many ranks have the same, or nothing, so that nothing is to be moved. */
static void sort_values(double *v, size_t n)
{
    size_t i = 1;

    while (i < n && v[i - 1] <= v[i])
        i++;
    if (i < n)
        qsort(v, n, sizeof *v, by_value);
}

/* Quantile of n sorted values, linearly interpolated. */
static double quantile(const double *v, size_t n, double q)
{
    const double at = q * (double)(n - 1);
    const size_t below = (size_t)at;

    return below + 1 < n ? v[below] + (at - (double)below) * (v[below + 1] - v[below]) : v[n - 1];
}

void dsn_spread_make(double *values, size_t n, struct dsn_spread *out)
{
    double sum = 0, weighted = 0;
    const double *v = values;

    memset(out, 0, sizeof *out);
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        values[i] = values[i] > 0 ? values[i] : 0;
    sort_values(values, n);
    while (out->zero < n && !(v[out->zero] > 0))
        out->zero++;
    out->n = n - out->zero;
    if (out->n == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        sum += v[i];
        weighted += (double)(i + 1) * v[i];
    }
    out->min = v[0];
    out->q1 = quantile(v, n, 0.25);
    out->median = quantile(v, n, 0.5);
    out->q3 = quantile(v, n, 0.75);
    out->max = v[n - 1];
    out->mean = sum / (double)n;
    /* the sum of all differences of sorted values is a weighted sum */
    out->gini = (2 * weighted - (double)(n + 1) * sum) / ((double)n * sum);
}

size_t dsn__absent_ranks(const struct dsn_report *r)
{
    return r->nranks > (size_t)r->f.present ? r->nranks - (size_t)r->f.present : 0;
}

/* Over the ranks that are there: the others, which have nothing, come first in order. */
static int make_spread(const struct dsn_report *r, double (*of)(const struct dsn_work *), struct dsn_spread *out)
{
    const size_t absent = dsn__absent_ranks(r);
    double *v = malloc(r->nranks * sizeof *v);

    if (!v)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < r->nranks; i++)
        v[i] = of(&r->ranks[i].work);
    if (absent > 0)
        sort_values(v, r->nranks);
    dsn_spread_make(v + absent, r->nranks - absent, out);
    free(v);
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ totals */

/* The share of renames whose time no record has: those of files that have a record count there. */
static double renamed_elsewhere(const struct dsn_report *r)
{
    const double in_records = (double)dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_RENAME_SOURCES);

    return r->f.renames.calls > 0 ? fmax(1 - in_records / (double)r->f.renames.calls, 0) : 0;
}

static int take_extension(struct dsn_report *r)
{
    const double renames = renamed_elsewhere(r);

    if (darshan_reader_ranks(r->log) != r->nranks)
        return 0;
    for (size_t i = 0; i < r->nranks; i++) {
        const struct dsn_rec *v = darshan_reader_rank(r->log, i);
        struct dsn_report_rank *rank = &r->ranks[i];

        rank->node = v->v[RANK_NODE].i;
        rank->files = dsn__count(v, RANK_FILES);
        rank->work.bytes_read = dsn__count(v, RANK_BYTES_READ);
        rank->work.bytes_written = dsn__count(v, RANK_BYTES_WRITTEN);
        rank->work.read = dsn__seconds(v, RANK_F_READ_TIME);
        rank->work.write = dsn__seconds(v, RANK_F_WRITE_TIME);
        rank->work.meta = dsn__seconds(v, RANK_F_META_TIME);
        rank->map_syncs = dsn__seconds(v, RANK_F_MAP_SYNC_TIME);
        rank->names = dsn__seconds(v, RANK_F_DELETE_TIME) + dsn__seconds(v, RANK_F_OTHER_META_TIME) +
                      renames * dsn__seconds(v, RANK_F_RENAME_TIME);
    }
    return 1;
}

/* In a damaged log a part may be larger than the whole. */
static int64_t part_of(int64_t whole, double share)
{
    return (int64_t)fmin((double)whole * share, (double)DSN__MOST);
}

/* Adds a rank's shares of the seconds and bytes of shared records, divided like the whole. */
static void add_part(struct dsn_report_rank *rank, const struct dsn_work *all, double time_share, double byte_share)
{
    rank->work.read += time_share * all->read;
    rank->work.write += time_share * all->write;
    rank->work.meta += time_share * all->meta;
    rank->work.bytes_read = dsn__plus(rank->work.bytes_read, part_of(all->bytes_read, byte_share));
    rank->work.bytes_written = dsn__plus(rank->work.bytes_written, part_of(all->bytes_written, byte_share));
}

static void add_records(struct dsn_report *r)
{
    for (size_t k = 0; k < r->nlayers; k++) {
        const struct dsn_report_layer *l = &r->layer[k];
        const double time = dsn_work_time(&l->shared), bytes = dsn_work_bytes(&l->shared);

        if (!l->is_bottom)
            continue;
        for (size_t i = 0; l->records > l->shared_records && i < r->nranks; i++)
            dsn_work_add(&r->ranks[i].work, &l->rank[i]);
        for (size_t i = 0; (time > 0 || bytes > 0) && i < r->nranks; i++)
            add_part(&r->ranks[i], &l->shared, time > 0 ? (l->least_time + l->extra[i].time) / time : 0,
                     bytes > 0 ? l->extra[i].bytes / bytes : 0);
        if (r->nranks > 1) {
            r->rank_times = time > 0 ? DSN_BOUNDED : r->rank_times;
            r->rank_bytes = bytes > 0 ? DSN_BOUNDED : r->rank_bytes;
        }
    }
}

/* ------------------------------------------------------------------ heat maps */

struct heat {
    double *bins; /* bytes of all ranks */
    size_t nbins;
    double width; /* seconds */
    struct moved {
        int64_t read, written;
    } * rank;
    double bytes;
    int uneven; /* the records' bins do not match */
};

static int add_heat(struct heat *h, const struct dsn_report *r, const struct dsn_rec *rec, const struct dsn_tail *tail)
{
    struct moved *m = rec->rank >= 0 && (uint64_t)rec->rank < r->nranks ? &h->rank[rec->rank] : NULL;
    const double width = dsn__seconds(rec, HEATMAP_F_BIN_WIDTH_SECONDS);

    if (tail->n > h->nbins) {
        double *bigger = realloc(h->bins, tail->n * sizeof *bigger);

        if (!bigger)
            return DSN_ERR_MEMORY;
        memset(bigger + h->nbins, 0, (tail->n - h->nbins) * sizeof *bigger);
        h->bins = bigger;
        h->nbins = tail->n;
    }
    h->uneven |= h->width > 0 && width != h->width;
    h->width = width;
    for (size_t i = 0; i < tail->n; i++) {
        const int64_t written = dsn__limited(tail->values[0][i]), read = dsn__limited(tail->values[1][i]);

        h->bins[i] += (double)read + (double)written;
        h->bytes += (double)read + (double)written;
        if (m)
            *m = (struct moved){ dsn__plus(m->read, read), dsn__plus(m->written, written) };
    }
    return DSN_ERR_OK;
}

static int is_bottom_heat(const char *name)
{
    return name && (strcmp(name, "heatmap:POSIX") == 0 || strcmp(name, "heatmap:STDIO") == 0);
}

static int read_heat(struct dsn_report *r, struct heat *h)
{
    struct darshan_reader_records *it;
    struct darshan_reader_error err;
    const struct dsn_rec *rec;
    int rc = darshan_reader_begin(r->log, DSN_HEATMAP_MODULE, &it, &err);

    if (rc != DSN_ERR_OK)
        return rc == DSN_ERR_MEMORY ? rc : DSN_ERR_OK;
    while (rc == DSN_ERR_OK && (rec = darshan_reader_next(it, &err)) != NULL) {
        const struct dsn_tail *tail = darshan_reader_tail(it);

        if (tail->values[0] && tail->values[1] && is_bottom_heat(darshan_reader_name(r->log, rec->id)))
            rc = add_heat(h, r, rec, tail);
    }
    darshan_reader_end(it);
    if (err.code != DSN_ERR_OK && err.code != DSN_ERR_MEMORY && r->f.damage.code == DSN_ERR_OK)
        r->f.damage = err;
    return err.code == DSN_ERR_MEMORY ? DSN_ERR_MEMORY : rc;
}

/* Takes the bytes of ranks from the heat maps, if these have as many as the counters: they may have missed some. */
static void take_heat_bytes(struct dsn_report *r, const struct heat *h)
{
    const double all = (double)r->f.bytes_read + (double)r->f.bytes_written;

    if (r->rank_bytes == DSN_EXACT || h->bytes <= 0 || h->bytes != all)
        return;
    for (size_t i = 0; i < r->nranks; i++) {
        r->ranks[i].work.bytes_read = h->rank[i].read;
        r->ranks[i].work.bytes_written = h->rank[i].written;
    }
    r->rank_bytes = DSN_EXACT;
}

static void find_bursts(struct dsn_report *r, struct heat *h)
{
    const size_t busiest = h->width > 0 ? (size_t)fmax(r->f.runtime / 20 / h->width, 1) : 0;
    double busy = 0, most = 0;

    if (h->nbins == 0 || h->uneven || !(h->width > 0) || !(h->bytes > 0))
        return;
    for (size_t i = 0; i < h->nbins; i++)
        busy += h->bins[i] > 0;
    r->wall = r->f.runtime > 0 ? fmin(busy * h->width, r->f.runtime) : busy * h->width; /* the last bin may end later */
    qsort(h->bins, h->nbins, sizeof *h->bins, by_value);
    for (size_t i = 0; i < busiest && i < h->nbins; i++)
        most += h->bins[h->nbins - 1 - i];
    r->peak = most / h->bytes;
}

/* Number of ranks with at least a tenth of the busiest rank's bytes in their own records. */
static int64_t count_own(const struct dsn_report *r)
{
    double most = 0;
    int64_t n = 0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->nranks; i++) {
            double bytes = 0;

            for (size_t k = 0; k < r->nlayers; k++)
                bytes += r->layer[k].is_bottom ? dsn_work_bytes(&r->layer[k].rank[i]) : 0;
            n += pass == 1 && bytes > 0 && bytes >= most / 10;
            most = pass == 0 ? fmax(most, bytes) : most;
        }
    return n;
}

/* The same if 90 % of all bytes can be attributed to ranks, else 0. */
static int64_t count_known(const struct dsn_report *r, double all)
{
    double most = 0, known = 0;
    int64_t n = 0;

    for (size_t i = 0; i < r->nranks; i++) {
        known += dsn_work_bytes(&r->ranks[i].work);
        most = fmax(most, dsn_work_bytes(&r->ranks[i].work));
    }
    for (size_t i = 0; known >= 0.9 * all && i < r->nranks; i++)
        n += most > 0 && dsn_work_bytes(&r->ranks[i].work) >= most / 10;
    return n;
}

/* Number of ranks that access storage: counted, or estimated from the variance of the shared record with the most
 * bytes. */
static void find_movers(struct dsn_report *r)
{
    const double all = (double)r->f.bytes_read + (double)r->f.bytes_written;
    double shared = 0;

    for (size_t i = 0; r->rank_bytes == DSN_EXACT && i < r->nranks; i++)
        r->movers += dsn_work_bytes(&r->ranks[i].work) > 0;
    for (size_t i = 0; r->rank_bytes != DSN_EXACT && i < r->nlayers; i++) {
        const struct dsn_report_layer *l = &r->layer[i];

        if (l->is_bottom && l->movers.bytes > all / 2 && l->movers.some_moved_none) {
            r->movers = (int64_t)fmax(floor(l->movers.ranks + 0.5), 1);
            r->movers_confidence = DSN_BOUNDED;
        }
        shared += l->is_bottom ? dsn_work_bytes(&l->shared) : 0;
    }
    if (r->movers == 0 && r->rank_bytes != DSN_EXACT) {
        r->movers = count_known(r, all);
        r->movers_confidence = DSN_BOUNDED;
    }
    if (r->rank_bytes != DSN_EXACT && shared < all / 10) {
        r->movers = count_own(r);
        r->movers_confidence = DSN_BOUNDED;
    }
}

/* ------------------------------------------------------------------ all of it */

static int64_t without(int64_t all, int64_t part)
{
    return all > part ? all - part : 0;
}

/* Takes off what is no storage, and what threads did at the same time. `v`: the rank's totals, NULL if the log has none. */
static void keep_within_run(const struct dsn_report *r, struct dsn_report_rank *rank, const struct dsn_rec *v)
{
    const struct dsn_work *other = &rank->elsewhere;
    struct dsn_work *w = &rank->work;

    w->read = fmax(w->read - other->read, 0);
    w->write = fmax(w->write - other->write, 0);
    w->meta = fmax(w->meta - other->meta, 0);
    w->bytes_read = without(w->bytes_read, other->bytes_read);
    w->bytes_written = without(w->bytes_written, other->bytes_written);
    rank->passed = v ? fmin(dsn__seconds(v, RANK_F_IO_TIME), r->f.runtime > 0 ? r->f.runtime : INFINITY) : 0;
    rank->overlap = dsn_figures_overlap(v, r->f.runtime, dsn_work_time(w), dsn_work_time(other));
    rank->passed = fmax(rank->passed - dsn_work_time(other) / rank->overlap, 0);
    w->read /= rank->overlap;
    w->write /= rank->overlap;
    w->meta /= rank->overlap;
}

int dsn__report_ranks(struct dsn_report *r)
{
    struct heat h = { 0 };
    int rc = DSN_ERR_MEMORY;

    r->wall = r->peak = -1;
    if (r->nranks == 0) /* the number of ranks in the log is invalid */
        return DSN_ERR_OK;
    h.rank = calloc(r->nranks, sizeof *h.rank);
    if (h.rank)
        rc = read_heat(r, &h);
    if (rc == DSN_ERR_OK) {
        for (size_t i = 0; i < r->nranks; i++)
            r->ranks[i].node = -1;
        if (!take_extension(r)) {
            add_records(r);
            take_heat_bytes(r, &h);
        }
        for (size_t i = 0; i < r->nranks; i++)
            keep_within_run(r, &r->ranks[i],
                            darshan_reader_ranks(r->log) == r->nranks ? darshan_reader_rank(r->log, i) : NULL);
        find_bursts(r, &h);
        find_movers(r);
        rc = r->rank_times == DSN_EXACT ? make_spread(r, dsn_work_time, &r->time_spread) : DSN_ERR_OK;
        if (rc == DSN_ERR_OK && r->rank_bytes == DSN_EXACT)
            rc = make_spread(r, dsn_work_bytes, &r->byte_spread);
    }
    free(h.rank);
    free(h.bins);
    return rc;
}
