/* verdict.c - results from the samples of a file system
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "measure/sweep/files.h"
#include "verdict.h"

#include <math.h>
#include <stdlib.h>

#define USUAL_REQUEST   ((uint64_t)1 << 20)
#define IS_GAIN         1.5 /* ratio of rates that exceeds any noise */
#define IS_NO_GAIN      1.25
#define RESIDENT_AT_ALL 0.01 /* of a file: a page read by another process does not matter */
#define RESIDENT_MUCH   0.1  /* what is read from the cache then changes rates */
#define RESIDENT_ALL    0.99

static void find_requests(const struct dsn_rate_curve *c, struct dsn_way_found *w)
{
    const int peak = dsn_curve_peak(c), enough = dsn_curve_enough(c);

    if (peak < 0)
        return;
    w->peak = c->point[peak].rate.median;
    w->peak_request = c->point[peak].x;
    w->best_request = c->point[enough].x;
    if (!dsn_curve_cost(c, &w->latency, &w->byte, &w->off))
        w->latency = w->byte = w->off = NAN;
}

/* The smallest number of workers with 95 % of the peak. An efficiency above 1 is not told unless the intervals of the samples
 * say so, too: it is their scatter. */
static void find_best_workers(const struct dsn_rate_curve *c, unsigned *workers, double *rate, double *efficiency)
{
    const int at = dsn_curve_enough(c);
    const struct dsn_curve_point *one = dsn_curve_at(c, 1);

    *efficiency = NAN;
    if (at < 0)
        return;
    *workers = (unsigned)c->point[at].x;
    *rate = c->point[at].rate.median;
    if (one && (*rate <= *workers * one->rate.median || c->point[at].rate.low > *workers * one->rate.high))
        *efficiency = *rate / ((double)*workers * one->rate.median);
}

static void find_workers(const struct dsn_rate_curve *c, struct dsn_way_found *w, int is_each)
{
    const int peak = dsn_curve_peak(c);

    find_best_workers(c, &w->best_workers[is_each], &w->best_rate[is_each], &w->efficiency[is_each]);
    if (peak >= 0)
        w->total = fmax(w->total, c->point[peak].rate.median);
}

/* Only if all of the files were in the cache, which the samples must tell. */
static void find_cached_workers(const struct dsn_rate_curve *c, struct dsn_way_found *w, int is_each)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->point[i].resident_least < RESIDENT_ALL)
            return;
    find_best_workers(c, &w->cached_workers[is_each], &w->cached_rate[is_each], &w->cached_efficiency[is_each]);
}

static void find_mode(const struct dsn_rate_curve *c, struct dsn_way_found *w)
{
    const int at = dsn_curve_peak(c);

    if (at < 0)
        return;
    w->best_mode = (unsigned)c->point[at].x;
    w->best_mode_rate = c->point[at].rate.median;
    for (size_t i = 0; i < c->n; i++)
        if ((int)i != at && c->point[i].rate.high >= c->point[at].rate.low)
            w->like_best |= 1u << c->point[i].x;
}

static void find_cache(const struct dsn_rate_curve *c, struct dsn_knee knee, struct dsn_cache_found *out)
{
    int end;

    if (c->n == 0)
        return;
    out->upper = knee.upper;
    out->lower = knee.lower;
    out->scatters = knee.scatters;
    if (knee.at < 0) {
        out->at_least = knee.scatters ? 0 : c->point[c->n - 1].x;
        return;
    }
    out->bytes = c->point[knee.at].x;
    end = dsn_curve_knee_end(c, knee);
    if (end >= 0)
        out->next = c->point[end].x;
}

/* Median ratio of a's rates to b's at the same x, from `least` to `most`. NAN: none. */
static double gain(const struct dsn_rate_curve *a, const struct dsn_rate_curve *b, uint64_t least, uint64_t most)
{
    double v[DSN_SWEEP_POINTS];
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++) {
        const struct dsn_curve_point *other = dsn_curve_at(b, a->point[i].x);

        if (other && a->point[i].x >= least && a->point[i].x <= most)
            v[n++] = a->point[i].rate.median / other->rate.median;
    }
    return dsn_median(v, n).median;
}

static enum dsn_yes_or_no judge(double ratio)
{
    return ratio >= IS_GAIN ? DSN_YES : ratio > 0 ? DSN_NO : DSN_NOT_KNOWN;
}

static void find_behind(struct dsn_verdict *v)
{
    const uint64_t fits = v->write_cache.bytes ? v->write_cache.bytes : UINT64_MAX;

    v->write_behind_gain = gain(&v->curve[DSN_SWEEP_FILE_WRITE], &v->curve[DSN_SWEEP_FILE_SYNC], 0, fits);
    v->write_behind = judge(v->write_behind_gain);
}

/* Unrequested bytes in the cache are the evidence for it; rates are, if the cache cannot be queried. */
static void find_ahead(struct dsn_verdict *v)
{
    const struct dsn_rate_curve *order = &v->curve[DSN_SWEEP_AHEAD_ORDER];

    v->ahead_gain = gain(order, &v->curve[DSN_SWEEP_AHEAD_RANDOM], 0, UINT64_MAX);
    for (size_t i = 0; i < order->n; i++)
        if (order->point[i].ahead > (double)v->ahead_bytes)
            v->ahead_bytes = (uint64_t)order->point[i].ahead;
    v->reads_ahead = v->ahead_bytes > 0 ? DSN_YES : judge(v->ahead_gain);
}

static void find_retention(struct dsn_verdict *v)
{
    const struct dsn_rate_curve *warm = &v->curve[DSN_SWEEP_FILE_READ], *cold = &v->curve[DSN_SWEEP_FILE_COLD];
    const uint64_t fits = v->read_cache.bytes ? v->read_cache.bytes : UINT64_MAX;

    v->warm_gain = gain(warm, cold, 0, fits);
    v->warm_gain_large = v->read_cache.next ? gain(warm, cold, v->read_cache.next, UINT64_MAX) : NAN;
    v->keeps = judge(v->warm_gain);
    if (v->keeps == DSN_YES && isfinite(v->warm_gain_large))
        v->whole_only = v->warm_gain_large < IS_NO_GAIN ? DSN_YES : DSN_NO;
}

/* Checks that nothing is cached before reads of dropped files, and after direct writes. */
static void find_proof(struct dsn_verdict *v)
{
    int asked = 0;

    for (unsigned i = 0; i < DSN_NSWEEPS; i++) {
        const enum dsn_cache_state cache = dsn_sweep_row(i)->cache;

        if (cache != DSN_CACHE_COLD && (cache != DSN_CACHE_PAST || dsn_sweep_is_write(i)))
            continue;
        for (size_t k = 0; k < v->curve[i].n; k++) {
            if (v->curve[i].point[k].resident_least < 0)
                return;
            asked = 1;
            v->worst_resident = fmax(v->worst_resident, v->curve[i].point[k].resident_most);
        }
    }
    if (asked)
        v->is_proved = v->worst_resident <= RESIDENT_AT_ALL ? DSN_YES : DSN_NO;
}

/* ------------------------------------------------------------------ results that are not given */

/* Whether files were in the cache that should not have been. */
static int is_of_the_cache(const struct dsn_rate_curve *c)
{
    double most = 0;

    for (size_t i = 0; i < c->n; i++)
        most = fmax(most, c->point[i].resident_most);
    return most > RESIDENT_MUCH;
}

static enum dsn_withheld judge_curves(const struct dsn_verdict *v, unsigned first, unsigned last, int in_memory)
{
    size_t n = 0;
    int is_cached = 0;

    for (unsigned i = first; i <= last; i++) {
        n += v->curve[i].n;
        is_cached |= !dsn_sweep_is_write(i) && is_of_the_cache(&v->curve[i]); /* writes are cached after them */
    }
    return n == 0 ? DSN_GIVEN : in_memory ? DSN_OF_MEMORY : is_cached ? DSN_OF_THE_CACHE : DSN_GIVEN;
}

/* Withholds what rests on curves that do not show what they are to show. */
static void withhold(struct dsn_verdict *v, int in_memory)
{
    static const struct {
        unsigned requests, one, each, mode;
    } of[2] = { { DSN_SWEEP_REQUEST_READ, DSN_SWEEP_ONE_READ, DSN_SWEEP_EACH_READ, DSN_SWEEP_MODE_READ },
                { DSN_SWEEP_REQUEST_WRITE, DSN_SWEEP_ONE_WRITE, DSN_SWEEP_EACH_WRITE, DSN_SWEEP_MODE_WRITE } };

    for (int k = 0; k < 2; k++) {
        struct dsn_way_found *w = &v->way[k];

        w->requests_withheld = judge_curves(v, of[k].requests, of[k].requests, in_memory);
        w->workers_withheld = judge_curves(v, of[k].one, of[k].each, in_memory);
        w->mode_withheld = judge_curves(v, of[k].mode, of[k].mode, in_memory);
        if (w->requests_withheld) {
            w->best_request = w->peak_request = 0;
            w->peak = w->latency = w->byte = w->off = NAN;
        }
        for (int i = 0; i < 2 && w->workers_withheld; i++) {
            w->best_workers[i] = 0;
            w->best_rate[i] = w->efficiency[i] = NAN;
            w->total = 0;
        }
        if (w->mode_withheld)
            w->best_mode = w->like_best = 0, w->best_mode_rate = 0;
    }
    v->ahead_withheld = judge_curves(v, DSN_SWEEP_AHEAD_ORDER, DSN_SWEEP_AHEAD_RANDOM, in_memory);
    if (v->ahead_withheld) {
        v->reads_ahead = DSN_NOT_KNOWN;
        v->ahead_bytes = 0;
        v->ahead_gain = NAN;
    }
    v->keeps_withheld = judge_curves(v, DSN_SWEEP_FILE_COLD, DSN_SWEEP_FILE_COLD, in_memory);
    if (v->keeps_withheld) {
        v->keeps = v->whole_only = DSN_NOT_KNOWN;
        v->warm_gain = v->warm_gain_large = NAN;
    }
    v->caches_withheld =
        in_memory && v->curve[DSN_SWEEP_FILE_READ].n + v->curve[DSN_SWEEP_FILE_WRITE].n > 0 ? DSN_OF_MEMORY : DSN_GIVEN;
    if (v->caches_withheld) {
        v->read_cache = v->write_cache = (struct dsn_cache_found){ .upper = NAN, .lower = NAN };
        v->write_behind = DSN_NOT_KNOWN;
        v->write_behind_gain = NAN;
    }
}

/* ------------------------------------------------------------------ nodes */

/* Sweeps of nodes: by request, and by processes for one file and for a file each. */
static const unsigned of_nodes[2][3] = {
    { DSN_SWEEP_NODES_REQUEST_READ, DSN_SWEEP_NODES_ONE_READ, DSN_SWEEP_NODES_EACH_READ },
    { DSN_SWEEP_NODES_REQUEST_WRITE, DSN_SWEEP_NODES_ONE_WRITE, DSN_SWEEP_NODES_EACH_WRITE }
};

static int by_point(const void *a, const void *b)
{
    const struct dsn_node_share *x = a, *y = b;

    return x->sweep != y->sweep ? (x->sweep > y->sweep) - (x->sweep < y->sweep)
           : x->host != y->host ? (x->host > y->host) - (x->host < y->host)
                                : (x->x > y->x) - (x->x < y->x);
}

/* The samples of hosts, of which each point becomes one with the median. Returns 0 if out of memory. */
static int gather_shares(struct dsn_verdict *v)
{
    const struct dsn_samples *s = v->samples;
    double *rates = malloc((s->n + 1) * sizeof *rates);
    size_t n = 0;

    v->share = malloc((s->n + 1) * sizeof *v->share);
    v->of_host = calloc(s->nhosts + 1, sizeof *v->of_host);
    for (size_t i = 0; rates && v->share && i < s->n; i++)
        if (s->sample[i].host > 0)
            v->share[n++] = (struct dsn_node_share){ .sweep = s->sample[i].sweep,
                                                     .host = s->sample[i].host - 1,
                                                     .x = s->sample[i].x,
                                                     .rate = s->sample[i].bytes / s->sample[i].seconds,
                                                     .resident = s->sample[i].resident };
    if (n > 0)
        qsort(v->share, n, sizeof *v->share, by_point);
    for (size_t i = 0, end; i < n; i = end) {
        struct dsn_node_share one = v->share[i];

        for (end = i; end < n && by_point(&v->share[i], &v->share[end]) == 0; end++) {
            rates[end - i] = v->share[end].rate;
            one.resident = fmax(one.resident, v->share[end].resident);
        }
        one.rate = dsn_median(rates, end - i).median;
        v->share[v->nshares++] = one;
    }
    free(rates);
    return rates && v->share && v->of_host;
}

const struct dsn_node_share *dsn_verdict_share(const struct dsn_verdict *v, unsigned sweep, size_t host, uint64_t x)
{
    const struct dsn_node_share key = { .sweep = sweep, .host = (unsigned)host, .x = x };

    return v->nshares > 0 ? bsearch(&key, v->share, v->nshares, sizeof key, by_point) : NULL;
}

/* Why what hosts did is not told: they have read from their page cache, or the directory is in their memory. */
static void judge_hosts(struct dsn_verdict *v)
{
    for (size_t i = 0; i < v->samples->nhosts; i++)
        if (dsn_type_is_memory(v->samples->host[i].type))
            v->of_host[i][0] = v->of_host[i][1] = DSN_OF_MEMORY;
    for (size_t i = 0; i < v->nshares; i++) /* writes are cached after them */
        if (!dsn_sweep_is_write(v->share[i].sweep) && v->share[i].resident > RESIDENT_MUCH &&
            v->of_host[v->share[i].host][0] == DSN_GIVEN)
            v->of_host[v->share[i].host][0] = DSN_OF_THE_CACHE;
}

void dsn_verdict_free(struct dsn_verdict *v)
{
    free(v->share);
    free(v->of_host);
    v->share = NULL;
    v->of_host = NULL;
}

/* One node whose cache or memory was measured is enough to spoil what all reach together. */
static void find_nodes(struct dsn_verdict *v)
{
    for (int k = 0; k < 2; k++) {
        const struct dsn_rate_curve *requests = &v->curve[of_nodes[k][0]];
        const int peak = dsn_curve_peak(requests);
        struct dsn_nodes_found *f = &v->nodes[k];

        *f = (struct dsn_nodes_found){ .peak = NAN, .efficiency = { NAN, NAN } };
        if (requests->n + v->curve[of_nodes[k][1]].n + v->curve[of_nodes[k][2]].n == 0)
            continue;
        for (size_t i = 0; i < v->samples->nhosts && !f->withheld; i++) {
            f->withheld = v->of_host[i][k];
            f->withheld_by = i;
        }
        if (f->withheld)
            continue;
        if (peak >= 0) {
            f->peak = requests->point[peak].rate.median;
            f->peak_request = requests->point[peak].x;
            f->best_request = requests->point[dsn_curve_enough(requests)].x;
        }
        for (int i = 0; i < 2; i++) {
            const struct dsn_rate_curve *c = &v->curve[of_nodes[k][1 + i]];
            const int most = dsn_curve_peak(c);

            find_best_workers(c, &f->best[i], &f->best_rate[i], &f->efficiency[i]);
            if (most >= 0)
                v->way[k].total = fmax(v->way[k].total, c->point[most].rate.median);
        }
    }
}

int dsn_verdict_make(const struct dsn_samples *s, int in_memory, struct dsn_verdict *v)
{
    static const unsigned cached[2][2] = { { DSN_SWEEP_CACHED_ONE_READ, DSN_SWEEP_CACHED_EACH_READ },
                                           { DSN_SWEEP_CACHED_ONE_WRITE, DSN_SWEEP_CACHED_EACH_WRITE } };

    *v = (struct dsn_verdict){ .samples = s };
    for (unsigned i = 0; i < DSN_NSWEEPS; i++)
        if (!dsn_rate_curve(s, i, 0, &v->curve[i]))
            return 0;
    find_requests(&v->curve[DSN_SWEEP_REQUEST_READ], &v->way[0]);
    find_requests(&v->curve[DSN_SWEEP_REQUEST_WRITE], &v->way[1]);
    find_workers(&v->curve[DSN_SWEEP_ONE_READ], &v->way[0], 0);
    find_workers(&v->curve[DSN_SWEEP_EACH_READ], &v->way[0], 1);
    find_workers(&v->curve[DSN_SWEEP_ONE_WRITE], &v->way[1], 0);
    find_workers(&v->curve[DSN_SWEEP_EACH_WRITE], &v->way[1], 1);
    for (int k = 0; k < 4; k++)
        find_cached_workers(&v->curve[cached[k / 2][k % 2]], &v->way[k / 2], k % 2);
    find_mode(&v->curve[DSN_SWEEP_MODE_READ], &v->way[0]);
    find_mode(&v->curve[DSN_SWEEP_MODE_WRITE], &v->way[1]);
    find_cache(&v->curve[DSN_SWEEP_FILE_READ], dsn_curve_cache_knee(&v->curve[DSN_SWEEP_FILE_READ]), &v->read_cache);
    find_cache(&v->curve[DSN_SWEEP_FILE_WRITE], dsn_curve_knee(&v->curve[DSN_SWEEP_FILE_WRITE]), &v->write_cache);
    find_behind(v);
    find_ahead(v);
    find_retention(v);
    find_proof(v);
    v->read_write_handle = gain(&v->curve[DSN_SWEEP_FILE_REREAD], &v->curve[DSN_SWEEP_FILE_READ], 0, UINT64_MAX);
    withhold(v, in_memory);
    if (!gather_shares(v))
        return 0;
    judge_hosts(v);
    find_nodes(v);
    return 1;
}

uint64_t dsn_verdict_request(const struct dsn_samples *s, unsigned sweep)
{
    static const unsigned from[] = { DSN_SWEEP_NODES_REQUEST_READ, DSN_SWEEP_NODES_REQUEST_WRITE,
                                     DSN_SWEEP_REQUEST_READ, DSN_SWEEP_REQUEST_WRITE };

    for (unsigned i = dsn_sweep_row(sweep)->is_nodes ? 0 : 2; i < sizeof from / sizeof from[0]; i++) {
        struct dsn_rate_curve c;
        int at;

        if (dsn_rate_curve(s, from[i], 0, &c) && (at = dsn_curve_enough(&c)) >= 0)
            return c.point[at].x;
    }
    return USUAL_REQUEST;
}
