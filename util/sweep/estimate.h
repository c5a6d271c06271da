/* estimate.h - medians with their confidence, and what a curve of them says: a peak, a knee, a cost a request
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing here measures: curves come from samples, whosesoever they are. Private to util. */
#ifndef DSN_SWEEP_ESTIMATE_H
#define DSN_SWEEP_ESTIMATE_H

#include "sweep.h"

struct dsn_median {
    double median, low, high;
    double confidence; /* that the true median is from low to high: 0.95 or more if there are 6 samples or more */
    size_t n;
};

/* Sorts the values. The interval is that of the order statistics, which holds for any distribution. No values: all NAN. */
struct dsn_median dsn_median(double *values, size_t n);

struct dsn_curve_point {
    uint64_t x, request;
    struct dsn_median rate;               /* bytes a second */
    double resident_least, resident_most; /* share of the file in the cache, over the samples; below 0: not known */
    double ahead;                         /* bytes read ahead, most of the samples */
};

struct dsn_rate_curve {
    struct dsn_curve_point point[DSN_SWEEP_POINTS];
    size_t n;
};

/* The points of a sweep in the order of x. Returns 0 if there is no memory. */
int dsn_rate_curve(const struct dsn_samples *s, unsigned sweep, struct dsn_rate_curve *out);
const struct dsn_curve_point *dsn_curve_at(const struct dsn_rate_curve *c, uint64_t x); /* NULL: none */

/* The place of the highest median, and the first that has 95 % of it. -1: there are no points. */
int dsn_curve_peak(const struct dsn_rate_curve *c);
int dsn_curve_enough(const struct dsn_rate_curve *c);

/* Where a curve falls from one level to another: both are medians of logarithms, parted where the squares of what is left are
 * least. The knee is the last point of those before that has 80 % of the upper level, and was not below it before. */
struct dsn_knee {
    int at; /* of its points; -1: it does not fall to two thirds anywhere, or has fewer than four points, or only seems to: */
    int scatters; /* as many of the points before have intervals down to those of as many behind */
    double upper, lower;
};
struct dsn_knee dsn_curve_knee(const struct dsn_rate_curve *c);

/* The first point behind the knee that is down for certain: with all of its interval. The cache is smaller than that. -1: none is. */
int dsn_curve_knee_end(const struct dsn_rate_curve *c, struct dsn_knee knee);

/* The same of the page cache, where the curve's points tell how much of the file is in it: a fall behind which all of it still is
 * was a processor's cache, and what is behind is looked at again. */
struct dsn_knee dsn_curve_cache_knee(const struct dsn_rate_curve *c);

/* Seconds of a request of n bytes: latency + n * byte, by least squares of relative errors. Returns 0 if there are fewer than two
 * points. `off`: the largest relative error. */
int dsn_curve_cost(const struct dsn_rate_curve *c, double *latency, double *byte, double *off);

#endif
