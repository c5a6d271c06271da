/* estimate.c - medians with confidence intervals, and the estimates from curves
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "estimate.h"

#include <math.h>
#include <stdlib.h>

#define CONFIDENCE  0.95
#define ENOUGH      0.95      /* of the peak */
#define ON_PLATEAU  0.8       /* of the upper level */
#define IS_A_FALL   (2.0 / 3) /* maximum ratio of the lower level to the upper */
#define KNEE_POINTS 4
#define ALL_IN_IT   0.99 /* share of a file in the cache */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The k-th smallest and the k-th largest of n enclose the median unless fewer than k samples are on one side of it: a
 * binomial distribution. */
static double coverage(size_t n, size_t k)
{
    double ways = 1, below = 0;

    for (size_t i = 0; i < k; i++) {
        below += ways;
        ways *= (double)(n - i) / (double)(i + 1);
    }
    return 1 - 2 * below * exp2(-(double)n);
}

struct dsn_median dsn_median(double *v, size_t n)
{
    struct dsn_median m = { NAN, NAN, NAN, 0, n };
    size_t k = 1;

    if (n == 0)
        return m;
    qsort(v, n, sizeof *v, ascending);
    m.median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
    while (k < (n + 1) / 2 && n < 1000 && coverage(n, k + 1) >= CONFIDENCE)
        k++;
    if (n >= 1000) /* normal approximation */
        k = (size_t)((double)n / 2 - 0.98 * sqrt((double)n));
    m.low = v[k - 1];
    m.high = v[n - k];
    m.confidence = n >= 1000 ? CONFIDENCE : coverage(n, k);
    return m;
}

/* ------------------------------------------------------------------ curves */

static int by_x(const void *a, const void *b)
{
    const struct dsn_curve_point *x = a, *y = b;

    return x->x != y->x ? (x->x > y->x) - (x->x < y->x) : (x->request > y->request) - (x->request < y->request);
}

const struct dsn_curve_point *dsn_curve_at(const struct dsn_rate_curve *c, uint64_t x)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->point[i].x == x)
            return &c->point[i];
    return NULL;
}

static int has_point(const struct dsn_rate_curve *c, const struct dsn_sample *one)
{
    struct dsn_sample like = *one;

    for (size_t i = 0; i < c->n; i++) {
        like.x = c->point[i].x;
        like.request = c->point[i].request;
        if (dsn_sample_is_like(one, &like))
            return 1;
    }
    return 0;
}

static void fill(const struct dsn_samples *s, const struct dsn_sample *like, struct dsn_curve_point *p, double *values)
{
    size_t n = 0;

    p->resident_least = INFINITY;
    p->resident_most = -INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        const struct dsn_sample *one = &s->sample[i];

        if (!dsn_sample_is_like(one, like))
            continue;
        values[n++] = one->bytes / one->seconds;
        p->resident_least = fmin(p->resident_least, one->resident);
        p->resident_most = fmax(p->resident_most, one->resident);
        p->ahead = fmax(p->ahead, one->ahead);
    }
    p->rate = dsn_median(values, n);
}

int dsn_rate_curve(const struct dsn_samples *s, unsigned sweep, unsigned host, struct dsn_rate_curve *out)
{
    double *values = malloc((s->n + 1) * sizeof *values);

    out->n = 0;
    if (!values)
        return 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct dsn_sample *one = &s->sample[i];

        if (one->sweep != sweep || one->host != host || out->n == DSN_SWEEP_POINTS || has_point(out, one))
            continue;
        out->point[out->n] = (struct dsn_curve_point){ .x = one->x, .request = one->request };
        fill(s, one, &out->point[out->n++], values);
    }
    free(values);
    qsort(out->point, out->n, sizeof out->point[0], by_x);
    return 1;
}

int dsn_curve_peak(const struct dsn_rate_curve *c)
{
    int at = -1;

    for (size_t i = 0; i < c->n; i++)
        if (at < 0 || c->point[i].rate.median > c->point[at].rate.median)
            at = (int)i;
    return at;
}

int dsn_curve_enough(const struct dsn_rate_curve *c)
{
    const int peak = dsn_curve_peak(c);
    int at = 0;

    if (peak < 0)
        return -1;
    while (c->point[at].rate.median < ENOUGH * c->point[peak].rate.median)
        at++;
    return at;
}

/* The median of the logarithms of some points; *left is the sum of squared deviations from their mean. */
static double level(const struct dsn_rate_curve *c, size_t from, size_t to, double *left)
{
    double v[DSN_SWEEP_POINTS], sum = 0, squares = 0;
    const double n = (double)(to - from);

    for (size_t i = from; i < to; i++) {
        v[i - from] = log(c->point[i].rate.median);
        sum += v[i - from];
        squares += v[i - from] * v[i - from];
    }
    *left = squares - sum * sum / n;
    return dsn_median(v, to - from).median;
}

/* Whether the median intervals before and after a place are disjoint. */
static int is_parted(const struct dsn_rate_curve *c, size_t from, size_t at)
{
    double low[DSN_SWEEP_POINTS], high[DSN_SWEEP_POINTS];

    for (size_t i = from; i < at; i++)
        low[i - from] = c->point[i].rate.low;
    for (size_t i = at; i < c->n; i++)
        high[i - at] = c->point[i].rate.high;
    return dsn_median(low, at - from).median > dsn_median(high, c->n - at).median;
}

static struct dsn_knee knee_from(const struct dsn_rate_curve *c, size_t from)
{
    struct dsn_knee knee = { .at = -1, .upper = NAN, .lower = NAN };
    double best = INFINITY;
    size_t cut = from;

    for (size_t at = from + 1; c->n >= KNEE_POINTS && at < c->n; at++) {
        double left[2];
        const double upper = level(c, from, at, &left[0]), lower = level(c, at, c->n, &left[1]);

        if (!(left[0] + left[1] < best))
            continue;
        best = left[0] + left[1];
        cut = at;
        knee.upper = exp(upper);
        knee.lower = exp(lower);
    }
    if (!(knee.lower <= IS_A_FALL * knee.upper))
        return knee;
    knee.scatters = !is_parted(c, from, cut);
    if (knee.scatters)
        return knee;
    for (size_t i = from; i < c->n; i++) {
        if (c->point[i].rate.median >= ON_PLATEAU * knee.upper)
            knee.at = (int)i;
        else if (knee.at >= 0 && c->point[i].rate.median <= IS_A_FALL * knee.upper)
            break;
    }
    return knee;
}

struct dsn_knee dsn_curve_knee(const struct dsn_rate_curve *c)
{
    return knee_from(c, 0);
}

int dsn_curve_knee_end(const struct dsn_rate_curve *c, struct dsn_knee knee)
{
    for (size_t i = (size_t)knee.at + 1; knee.at >= 0 && i < c->n; i++)
        if (c->point[i].rate.high <= IS_A_FALL * knee.upper)
            return (int)i;
    return -1;
}

struct dsn_knee dsn_curve_cache_knee(const struct dsn_rate_curve *c)
{
    struct dsn_knee knee = knee_from(c, 0);

    while (knee.at >= 0 && (size_t)knee.at + 1 < c->n && c->point[knee.at + 1].resident_least >= ALL_IN_IT)
        knee = knee_from(c, (size_t)knee.at + 1);
    return knee;
}

int dsn_curve_cost(const struct dsn_rate_curve *c, double *latency, double *byte, double *off)
{
    double s[5] = { 0 }; /* sums of w, w x, w x x, w t, w x t; w = 1 / t^2 */

    for (size_t i = 0; i < c->n; i++) {
        const double x = (double)c->point[i].request, t = x / c->point[i].rate.median, w = 1 / (t * t);
        const double term[5] = { w, w * x, w * x * x, w * t, w * x * t };

        for (int k = 0; k < 5; k++)
            s[k] += term[k];
    }
    if (c->n < 2)
        return 0;
    *byte = (s[0] * s[4] - s[1] * s[3]) / (s[0] * s[2] - s[1] * s[1]);
    *latency = (s[3] - s[1] * *byte) / s[0];
    if (!(*latency >= 0)) { /* 0 is then the best one that is not negative */
        *latency = 0;
        *byte = s[4] / s[2];
    }
    if (!(*byte > 0)) {
        *byte = 1e-18;
        *latency = s[3] / s[0];
    }
    *off = 0;
    for (size_t i = 0; i < c->n; i++) {
        const double x = (double)c->point[i].request, t = x / c->point[i].rate.median;

        *off = fmax(*off, fabs(*latency + x * *byte - t) / t);
    }
    return 1;
}
