/* spectrum.c - estimates the period of I/O from its spectrum and autocorrelation
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact cycles are found elsewhere; this is for the rest: bins of a heat map, many ranks that drift, bursts that are
 * never similar enough. The series of bytes is analysed with bins of several widths, because bursts that come a little
 * early or late only coincide with those a period later in wide bins. The transform is a plain radix-2 FFT: a series
 * has at most 65536 bins, which does not justify a dependency. */
#include <config.h>
#include "parts.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BINS       16    /* minimum length of a series */
#define LEAST_PERIODS    3     /* in a series */
#define LEAST_IN_PERIOD  4     /* bins */
#define MULTIPLES        8     /* of the peak's period, because the peak may be a harmonic */
#define NEARLY           0.9   /* as good as the best multiple */
#define LIKELY           0.003 /* probability by chance from which on nothing is reported */
#define LEAST_CORRELATED 0.5
#define LEAST_SUPPORT    0.75 /* minimum share of periods with I/O at the same phase */
/* Minimum amplitude of the period's wave over the mean: a stream that ripples has no rhythm. */
#define LEAST_MODULATED 0.4
#define LEAST_SHARE     0.2 /* minimum share of the mean period's bytes for a period to be counted */

struct series {
    const double *bins;
    size_t n;
    double width, mean;
    double complex *wave; /* buffer of the transform */
    double complex *root; /* the first half of the roots of unity of order `roots`, a multiple of `room` */
    size_t roots;
    size_t room;         /* power of two, at least twice n */
    double *correlation; /* by lag */
};

/* ------------------------------------------------------------------ the transform */

/* In place; n is a power of two. `sign` -1: forward, 1: backward, without division by n. */
static void transform(const struct series *s, int sign)
{
    double complex *x = s->wave;
    const size_t n = s->room;

    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;

        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const double complex y = x[i];

            x[i] = x[j];
            x[j] = y;
        }
    }
    for (size_t length = 2; length <= n; length *= 2) {
        const size_t half = length / 2, step = s->roots / length;

        for (size_t from = 0; from < n; from += length)
            for (size_t k = 0; k < half; k++) {
                const double real = creal(s->root[k * step]), imaginary = sign * cimag(s->root[k * step]);
                const double complex z = x[from + k + half];
                /* written out, because the operator also checks for infinities */
                const double complex y =
                    CMPLX(real * creal(z) - imaginary * cimag(z), real * cimag(z) + imaginary * creal(z));

                x[from + k + half] = x[from + k] - y;
                x[from + k] += y;
            }
    }
}

/* Power by frequency, in the first half of the buffer; and correlation by lag. 0: the series is constant. */
static int prepare(struct series *s)
{
    const double all = (double)s->n;
    double power;

    for (size_t i = 0; i < s->n; i++)
        s->wave[i] = s->bins[i] - s->mean;
    memset(s->wave + s->n, 0, (s->room - s->n) * sizeof *s->wave);
    transform(s, -1);
    for (size_t i = 0; i < s->room; i++)
        s->wave[i] = creal(s->wave[i]) * creal(s->wave[i]) + cimag(s->wave[i]) * cimag(s->wave[i]);
    for (size_t i = 0; i < s->room / 2; i++)
        s->correlation[i] = creal(s->wave[i]); /* saved, because the inverse transform uses the buffer */
    transform(s, 1);
    power = creal(s->wave[0]);
    if (!(power > 0) || !isfinite(power))
        return 0;
    for (size_t i = 0; i < s->room / 2; i++) {
        const double spectrum = s->correlation[i];

        s->correlation[i] = i < s->n ? creal(s->wave[i]) / power * all / (all - (double)i) : 0;
        s->wave[i] = spectrum;
    }
    return 1;
}

/* ------------------------------------------------------------------ its period */

/* The highest correlation near `lag`; 0: none. */
static double best_lag(const struct series *s, double lag, double *correlation)
{
    const double reach = lag * 0.2 > 1.5 ? lag * 0.2 : 1.5;
    const size_t from = lag - reach > LEAST_IN_PERIOD ? (size_t)(lag - reach) : LEAST_IN_PERIOD;
    const size_t to = (size_t)(lag + reach) + 1 < s->n - 1 ? (size_t)(lag + reach) + 1 : s->n - 1;
    double best = 0, at;
    size_t i = 0;

    for (size_t j = from; j <= to; j++)
        if (s->correlation[j] > best && s->correlation[j] >= s->correlation[j - 1] &&
            s->correlation[j] >= s->correlation[j + 1 < s->n ? j + 1 : j]) {
            best = s->correlation[j];
            i = j;
        }
    *correlation = best;
    if (i == 0 || i + 1 >= s->n)
        return 0;
    /* vertex of the parabola through the three points */
    at = s->correlation[i - 1] - 2 * s->correlation[i] + s->correlation[i + 1];
    return (double)i + (at < 0 ? (s->correlation[i - 1] - s->correlation[i + 1]) / (2 * at) : 0);
}

/* The period in bins that the peak at a frequency, or a subharmonic of it, represents; 0: none. */
static double period_of(const struct series *s, double frequency, double *correlation)
{
    double lag[MULTIPLES + 1], height[MULTIPLES + 1], most = 0;
    int n = 0;

    for (int m = 1; m <= MULTIPLES && m / frequency * LEAST_PERIODS <= (double)s->n; m++) {
        lag[n] = best_lag(s, m / frequency, &height[n]);
        if (lag[n] >= LEAST_IN_PERIOD && lag[n] * LEAST_PERIODS <= (double)s->n + 1) {
            most = height[n] > most ? height[n] : most;
            n++;
        }
    }
    for (int i = 0; i < n; i++)
        if (height[i] >= NEARLY * most) {
            *correlation = height[i];
            return lag[i];
        }
    return 0;
}

/* A larger multiple of the period gives it more precisely. */
static double refine(const struct series *s, double period)
{
    for (int m = 2; m * period * 2 <= (double)s->n; m *= 2) {
        double correlation;
        const double lag = best_lag(s, m * period, &correlation);

        if (lag == 0 || correlation < LEAST_CORRELATED || fabs(lag / m - period) > 0.05 * period)
            break;
        period = lag / m;
    }
    return period;
}

/* The wave with this period: its amplitude over the mean, and the bin of its first maximum. */
static double wave_of(const struct series *s, double period, double *top)
{
    double complex z = 0;
    double at;

    for (size_t i = 0; i < s->n; i++)
        z += s->bins[i] * (cos(2 * M_PI * ((double)i + 0.5) / period) + I * sin(2 * M_PI * ((double)i + 0.5) / period));
    at = carg(z) / (2 * M_PI) * period;
    *top = at < 0 ? at + period : at;
    return s->mean > 0 ? 2 * cabs(z) / (double)s->n / s->mean : 0;
}

/* Share of the periods in which a fair part of the mean period's data moves at about the phase of the maximum. */
static double support_of(const struct series *s, double period, double top)
{
    size_t good = 0, all = 0;

    for (double middle = top - period; middle < (double)s->n + period; middle += period) {
        double bytes = 0;
        const double from = middle - period * 0.35, to = middle + period * 0.35;

        if (middle < 0 || middle > (double)s->n)
            continue;
        for (size_t i = from > 0 ? (size_t)from : 0; i < s->n && (double)i <= to; i++)
            bytes += s->bins[i];
        good += bytes >= LEAST_SHARE * s->mean * period;
        all++;
    }
    return all >= LEAST_PERIODS ? (double)good / (double)all : 0;
}

/* Analyses one width of bins. */
static struct dsn_rhythm_spectrum look(struct series *s)
{
    struct dsn_rhythm_spectrum r = { .width = s->width, .bins = s->n };
    const double per_step = (double)s->n / (double)s->room; /* cycles in the series per step of frequency */
    double mean = 0, most = 0, period, top;
    size_t peak = 0;

    for (size_t k = 1; k < s->room / 2; k++)
        mean += creal(s->wave[k]) / (double)(s->room / 2 - 1);
    for (size_t k = 1; k < s->room / 2; k++)
        if ((double)k * per_step >= LEAST_PERIODS - 1 && (double)s->room / (double)k >= LEAST_IN_PERIOD &&
            creal(s->wave[k]) > most) {
            most = creal(s->wave[k]);
            peak = k;
        }
    if (peak == 0 || !(mean > 0))
        return r;
    r.strength = most / mean;
    r.chance = -expm1((double)s->n / 2 * log1p(-exp(-r.strength)));
    period = period_of(s, (double)peak / (double)s->room, &r.correlation);
    if (period == 0 || r.chance > LIKELY || r.correlation < LEAST_CORRELATED)
        return r;
    period = refine(s, period);
    if (wave_of(s, period, &top) < LEAST_MODULATED)
        return r;
    r.support = support_of(s, period, top);
    r.confidence = (r.correlation < 1 ? r.correlation : 1) * r.support;
    r.is_known = r.support >= LEAST_SUPPORT;
    r.period = period * s->width;
    r.next = (top + ceil(((double)s->n - top) / period) * period) * s->width;
    return r;
}

/* ------------------------------------------------------------------ all widths */

static void halve(double *bins, size_t n)
{
    for (size_t i = 0; i < n / 2; i++)
        bins[i] = bins[2 * i] + bins[2 * i + 1];
}

static double mean_of(const double *bins, size_t n)
{
    double all = 0;

    for (size_t i = 0; i < n; i++)
        all += bins[i] / (double)n;
    return all;
}

/* Analyses a part of the series; replaces *out if the result is better. 0: no memory. */
static int look_at(const double *bins, size_t first, size_t n, double width, struct dsn_rhythm_spectrum *out)
{
    struct series s = { .room = 1 };
    const double before = (double)first * width;
    double *own = NULL;

    while (s.room < 2 * n)
        s.room *= 2;
    own = malloc((n + 1) * sizeof *own);
    s.wave = malloc(s.room * sizeof *s.wave);
    s.correlation = malloc((s.room / 2 + 1) * sizeof *s.correlation);
    s.roots = s.room;
    s.root = malloc((s.roots / 2 + 1) * sizeof *s.root);
    if (own && s.wave && s.correlation && s.root) {
        for (size_t i = 0; i < s.roots / 2; i++) {
            const double angle = 2 * M_PI * (double)i / (double)s.roots;

            s.root[i] = CMPLX(cos(angle), sin(angle));
        }
        memcpy(own, bins + first, n * sizeof *own);
        for (; n >= LEAST_BINS; n /= 2, width *= 2) {
            struct dsn_rhythm_spectrum r;

            s.bins = own;
            s.n = n;
            s.width = width;
            s.mean = mean_of(own, n);
            for (s.room = 1; s.room < 2 * n;)
                s.room *= 2;
            if (prepare(&s)) {
                r = look(&s);
                r.next += before;
                r.from = before;
                if (r.is_known > out->is_known || (r.is_known == out->is_known && r.confidence > out->confidence) ||
                    (!out->is_known && !r.is_known && r.strength > out->strength))
                    *out = r;
            }
            halve(own, n);
        }
    }
    const int ok = own && s.wave && s.correlation && s.root;

    free(own);
    free(s.root);
    free(s.wave);
    free(s.correlation);
    return ok;
}

/* Time before the first and after the last I/O is ignored, and often the start of a program differs from the rest. */
int dsn__find_spectrum(const double *bins, size_t n, double width, struct dsn_rhythm_spectrum *out)
{
    size_t first = 0;
    int ok = 1;

    *out = (struct dsn_rhythm_spectrum){ .width = width, .bins = n };
    while (first < n && bins[first] == 0)
        first++;
    while (n > first && bins[n - 1] == 0)
        n--;
    for (size_t left = 4; ok && left >= 2 && !out->is_known; left--) {
        const size_t part = (n - first) * left / 4;

        ok = look_at(bins, n - part, part, width, out);
    }
    return ok;
}

/* The whole bins covered by operations are kept as their ends: `rate` bytes per bin, of `spans` operations. */
struct edge {
    double rate;
    int64_t spans;
};

int dsn__spread_bytes(const struct dsn__look *l, double width, double *bins, size_t n)
{
    struct edge *edge = calloc(n + 1, sizeof *edge), sum = { 0, 0 };

    if (!edge)
        return 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct dsn_rhythm_op *op = &l->ops[i];
        const double bytes = (double)l->in->kinds[op->kind].size * op->n, last = (double)(n - 1);
        const double from = (double)op->start / width, to = (double)op->end / width;
        const size_t a = (size_t)(from < last ? from : last), b = (size_t)(to < last ? to : last);

        if (a == b || !(to > from)) {
            bins[a] += bytes;
            continue;
        }
        bins[a] += bytes * ((double)(a + 1) - from) / (to - from);
        bins[b] += bytes * (to - (double)b) / (to - from);
        edge[a + 1].rate += bytes / (to - from);
        edge[a + 1].spans++;
        edge[b].rate -= bytes / (to - from);
        edge[b].spans--;
    }
    for (size_t i = 0; i < n; i++) {
        sum.rate += edge[i].rate;
        sum.spans += edge[i].spans;
        if (sum.spans == 0)
            sum.rate = 0; /* rounding error */
        bins[i] += sum.rate > 0 ? sum.rate : 0;
    }
    free(edge);
    return 1;
}
