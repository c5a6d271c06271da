/* steps.c - whether events recur: the period, also if some are missing, others come between, or it grows
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A period is followed from event to event: the next one is expected a period, or a multiple of it, after the last, and
 * the period in use moves towards the step that was seen, so that it may drift. How far events come from where they are
 * expected tells how likely events at random look like this: these come anywhere between two expected times. */
#include <config.h>
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAIN         0.25 /* share of the difference to the last step by which the period in use moves */
#define FITS         0.25 /* periods: maximum distance of an event from where it is expected, if others are ignored */
#define MOST_MISSING 1.2  /* periods without an event, per event */
#define SURE         -14  /* logarithm of a chance from which on the number of events decides between two periods */
#define LEAST_TREND  8    /* steps */
#define CLEAR_TREND  6    /* slope over its standard error */
#define LEAST_CHANGE 0.05 /* of the period, from the first step to the last */

int dsn__by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double dsn__log_choose(size_t n, size_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* Logarithm of the volume of a ball in n dimensions. */
static double log_ball(double n, double radius)
{
    return n / 2 * log(M_PI) - lgamma(n / 2 + 1) + n * log(radius);
}

double dsn__chance_of_steps(size_t n, double variation)
{
    const double d = (double)n - 1;
    double log_chance;

    if (n < 2)
        return 1;
    if (variation <= 0)
        return 0;
    /* Intervals of random events, divided by their sum, are uniform on a simplex of d dimensions; those with so little
     * variation are in a ball around its centre. */
    log_chance = log_ball(d, variation / sqrt((double)n)) + lgamma(d + 1) - log((double)n) / 2;
    return log_chance < 0 ? exp(log_chance) : 1;
}

/* Mean, deviation and trend of the steps s->used, each of which ends `at` so many periods after the first event. */
static void measure(struct dsn__steps *s, const double *step, const double *at)
{
    const double n = (double)s->used;
    double middle = 0, slope = 0, spread = 0, squares = 0, around = 0, change;

    for (size_t i = 0; i < s->used; i++) {
        s->mean += step[i] / n;
        middle += at[i] / n;
    }
    for (size_t i = 0; i < s->used; i++) {
        slope += (at[i] - middle) * (step[i] - s->mean);
        spread += (at[i] - middle) * (at[i] - middle);
        squares += (step[i] - s->mean) * (step[i] - s->mean);
    }
    s->deviation = sqrt(squares / n);
    if (s->used < LEAST_TREND || !(spread > 0))
        return;
    slope /= spread;
    change = slope * (at[s->used - 1] - at[0]);
    for (size_t i = 0; i < s->used; i++) {
        const double off = step[i] - s->mean - slope * (at[i] - middle);

        around += off * off;
    }
    if (fabs(change) < LEAST_CHANGE * s->mean || slope * slope * spread < CLEAR_TREND * CLEAR_TREND * around / (n - 2))
        return;
    s->deviation = sqrt(around / n);
    s->trend[0] = s->mean + slope * (at[0] - middle);
    s->trend[1] = s->mean + slope * (at[s->used - 1] + 1 - middle);
}

/* Follows events from `period` on. Those further than `window` periods from where they are expected are passed over. */
static struct dsn__steps follow(const double *time, size_t n, double resolution, double period, double window,
                                double *step, unsigned char *fits)
{
    struct dsn__steps s = { .used = 0 };
    double last = time[0], squares = 0, *at = step + n, where = 0, unsure;

    fits[0] = 1;
    for (size_t i = 1; i < n; i++) {
        const double x = (time[i] - last) / period, k = x < 1.5 ? 1 : round(x);

        fits[i] = fabs(x - k) <= window;
        if (fits[i]) {
            where += k;
            at[s.used] = where;
            step[s.used++] = (time[i] - last) / k;
            squares += (x - k) * (x - k);
            s.missing += (size_t)fmin(k - 1, 1e9); /* n of them are no more than a size_t holds */
            period += GAIN * ((time[i] - last) / k - period);
            last = time[i];
        } else {
            s.strangers++;
            if (x > 1.5) { /* an interruption: begins again here */
                where += k;
                last = time[i];
            }
        }
    }
    if (s.used < 2)
        return s;
    measure(&s, step, at);
    if (!(s.mean > 0))
        return s;
    unsure = resolution / s.mean / sqrt(6); /* both ends of a step are rounded */
    if (s.missing == 0 && s.strangers == 0) {
        s.log_chance = log(dsn__chance_of_steps(s.used, hypot(s.deviation / s.mean, unsure)));
        s.log_chance += s.trend[0] > 0 ? log((double)n) : 0;
    } else {
        squares += (double)s.used * unsure * unsure;
        s.log_chance = squares > 0 ? log_ball((double)s.used, sqrt(squares)) : -INFINITY;
        s.log_chance += dsn__log_choose(n - 1, s.used) + log(DSN__PERIODS);
    }
    /* steps that are divided by whole numbers vary less, whatever they are */
    s.is_steady = s.deviation * (1 + (double)s.missing / (double)s.used) <= DSN__STEADY * s.mean &&
                  (double)s.missing <= MOST_MISSING * (double)s.used && s.strangers <= s.used;
    return s;
}

static int is_better(const struct dsn__steps *a, const struct dsn__steps *b)
{
    if (a->is_steady != b->is_steady)
        return a->is_steady;
    if (a->log_chance < SURE && b->log_chance < SURE && a->used != b->used)
        return a->used > b->used;
    return a->log_chance < b->log_chance;
}

struct dsn__steps dsn__fit_steps(const double *time, size_t n, double resolution, double *step, unsigned char *fits)
{
    static const double quantile[DSN__PERIODS / 2] = { 0.5, 0.02, 0.05, 0.1, 0.2, 0.35 };
    struct dsn__steps best = { .used = 0 };
    double period[DSN__PERIODS / 2], of_best = 0, window = 0;

    if (n < 3)
        return best;
    for (size_t i = 1; i < n; i++)
        step[i - 1] = time[i] - time[i - 1];
    qsort(step, n - 1, sizeof *step, dsn__by_value);
    for (size_t i = 0; i < DSN__PERIODS / 2; i++)
        period[i] = step[(size_t)(quantile[i] * (double)(n - 1))];
    for (size_t i = 0; i < DSN__PERIODS; i++) {
        const double of = period[i / 2], within = i % 2 ? FITS : INFINITY;
        struct dsn__steps s;

        if (!(of > 0))
            continue;
        s = follow(time, n, resolution, of, within, step, fits);
        if (of_best == 0 || is_better(&s, &best)) {
            best = s;
            of_best = of;
            window = within;
        }
    }
    if (of_best > 0)
        best = follow(time, n, resolution, of_best, window, step, fits);
    return best;
}
