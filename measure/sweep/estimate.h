/* estimate.h - medians with confidence intervals, and estimates from curves: peak, knee, cost per request
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does not measure: curves are made from any samples. Private to util. */
#ifndef DSN_SWEEP_ESTIMATE_H
#define DSN_SWEEP_ESTIMATE_H

#include "sweep.h"

struct dsn_median {
    double median, low, high;
    double confidence; /* probability that the true median is from low to high: at least 0.95 with 6 samples or more */
    size_t n;
};

/* Sorts the values. The interval is between order statistics, which is valid for any distribution. Without values: all
 * NAN. */
struct dsn_median dsn_median(double *values, size_t n);

struct dsn_curve_point {
    uint64_t x, request;
    struct dsn_median rate;               /* bytes per second */
    double resident_least, resident_most; /* range over samples of the share of the file in the cache; negative:
                                           * unknown */
    double ahead;                         /* maximum over samples of the bytes read ahead */
};

struct dsn_rate_curve {
    struct dsn_curve_point point[DSN_SWEEP_POINTS];
    size_t n;
};

/* The points of a sweep, sorted by x, those of a plane then by request. `host`: as in struct dsn_sample. Returns 0 if out
 * of memory. */
int dsn_rate_curve(const struct dsn_samples *s, unsigned sweep, unsigned host, struct dsn_rate_curve *out);
const struct dsn_curve_point *dsn_curve_at(const struct dsn_rate_curve *c, uint64_t x); /* NULL: none */

/* Index of the highest median, and of the first that reaches 95 % of it. -1: no points. */
int dsn_curve_peak(const struct dsn_rate_curve *c);
int dsn_curve_enough(const struct dsn_rate_curve *c);

/* Where a curve falls from one level to another: both are medians of logarithms, divided so that the sum of squared
 * deviations is minimal. The knee is the last point before with 80 % of the upper level, and without a lower one before
 * it. */
struct dsn_knee {
    int at; /* index of a point; -1: it does not fall to two thirds anywhere, or has fewer than four points, or only
             * seems to fall: */
    int scatters; /* the intervals of points before and after overlap */
    double upper, lower;
};
struct dsn_knee dsn_curve_knee(const struct dsn_rate_curve *c);

/* The first point after the knee whose whole interval is lower: the cache is smaller than that. -1: none. */
int dsn_curve_knee_end(const struct dsn_rate_curve *c, struct dsn_knee knee);

/* The same for the page cache, if the points have the share of the file in it: a fall after which all of it is still
 * cached is due to a processor cache, and the rest of the curve is searched again. */
struct dsn_knee dsn_curve_cache_knee(const struct dsn_rate_curve *c);

/* Seconds for a request of n bytes: latency + n * byte, a least-squares fit of relative errors. Returns 0 if there are
 * fewer than two points. `off`: the largest relative error. */
int dsn_curve_cost(const struct dsn_rate_curve *c, double *latency, double *byte, double *off);

#endif
