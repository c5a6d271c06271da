/* spread.h - mean and variance of a sequence of values
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: Welford, "Note on a method for calculating corrected sums of squares and products" (1962). */
#ifndef DSN_SPREAD_H
#define DSN_SPREAD_H

#include <stdint.h>

struct dsn_rank_spread {
    uint64_t n;
    double mean, squares; /* sum of squared deviations from the mean */
};

static inline void dsn_spread_add(struct dsn_rank_spread *s, double v)
{
    const double d = v - s->mean;

    s->n++;
    s->mean += d / (double)s->n;
    s->squares += d * (v - s->mean);
}

/* Population variance; 0 without any value. */
static inline double dsn_spread_variance(const struct dsn_rank_spread *s)
{
    return s->n > 0 ? s->squares / (double)s->n : 0;
}

#endif
