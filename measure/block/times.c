/* times.c - requests over time: rate, concurrency, phases
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "count.h"

#include <math.h>
#include <stdlib.h>

#define NS          1e-9 /* seconds */
#define LEAST_PHASE 0.5  /* seconds: shorter variations are due to scheduling */

/* ------------------------------------------------------------------ series */

unsigned dsn_block_part(const struct dsn_block *b, uint64_t time)
{
    const double span = (double)(b->end - b->begin) + 1;
    const unsigned at = time > b->begin ? (unsigned)((double)(time - b->begin) / span * DSN_BLOCK_SERIES) : 0;

    return at < DSN_BLOCK_SERIES ? at : DSN_BLOCK_SERIES - 1;
}

/* Adds a request's duration to the parts of the series that it spans. */
static void add_depth(struct dsn_block *b, const struct dsn_block_request *r)
{
    const double width = ((double)(b->end - b->begin) + 1) / DSN_BLOCK_SERIES;
    const double from = (double)(r->start - b->begin) / width, to = (double)(r->end - b->begin) / width;

    for (unsigned i = dsn_block_part(b, r->start); i < DSN_BLOCK_SERIES && i < to; i++)
        b->depths[i] += fmin(to, i + 1) - fmax(from, i);
}

/* ------------------------------------------------------------------ at once */

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Sorts times that are almost sorted, as in a recording; at worst as slow as a full sort. */
static void sort_times(uint64_t *t, size_t n)
{
    size_t moved = 0;

    for (size_t i = 1; i < n; i++) {
        const uint64_t v = t[i];
        size_t at = i;

        for (; at > 0 && t[at - 1] > v; at--)
            t[at] = t[at - 1];
        t[at] = v;
        moved += i - at;
        if (moved > 64 * n) {
            qsort(t, n, sizeof *t, by_time);
            return;
        }
    }
}

/* Maximum number of requests in flight. */
static int find_deepest(struct dsn_block *b)
{
    const size_t n = b->nrequests;
    uint64_t *starts = malloc((2 * n + 1) * sizeof *starts), *ends = starts + n;
    uint64_t depth = 0;

    if (!starts)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const struct dsn_block_request *r = &b->requests[i];

        starts[i] = r->start;
        ends[i] = r->end > r->start ? r->end : r->start + 1;
    }
    sort_times(starts, n);
    sort_times(ends, n);
    for (size_t i = 0, ended = 0; i < n; i++) {
        for (; ends[ended] <= starts[i]; ended++)
            depth--;
        depth++;
        b->deepest = depth > b->deepest ? depth : b->deepest;
    }
    free(starts);
    return 1;
}

/* ------------------------------------------------------------------ phases */

/* Sum of squared deviations of x[first] to x[end - 1] from their mean, from prefix sums. */
static double deviations(const double *sum, const double *squares, unsigned first, unsigned end)
{
    const double s = sum[end] - sum[first];

    return squares[end] - squares[first] - s * s / (end - first);
}

/* Minimum length of a phase, in parts of the series. */
static unsigned shortest_phase(const struct dsn_block *b)
{
    const double parts = ceil(LEAST_PHASE * DSN_BLOCK_SERIES / (((double)(b->end - b->begin) + 1) * NS));

    return parts < DSN_BLOCK_SERIES ? (unsigned)parts : DSN_BLOCK_SERIES;
}

/* Divides the series where its level changes: minimizes the squared deviations from the mean of each piece plus a
 * penalty per division that exceeds the gain due to chance. Square roots of counts have about the same deviation for
 * any count. */
static void find_phases(struct dsn_block *b)
{
    const unsigned least = shortest_phase(b);
    double x[DSN_BLOCK_SERIES], sum[DSN_BLOCK_SERIES + 1] = { 0 }, squares[DSN_BLOCK_SERIES + 1] = { 0 };
    double best[DSN_BLOCK_SERIES + 1] = { 0 }, noise = 0;
    unsigned from[DSN_BLOCK_SERIES + 1] = { 0 };

    for (unsigned i = 0; i < DSN_BLOCK_SERIES; i++) {
        x[i] = sqrt((double)(b->series[0][i].requests + b->series[1][i].requests));
        sum[i + 1] = sum[i] + x[i];
        squares[i + 1] = squares[i] + x[i] * x[i];
        noise += i ? (x[i] - x[i - 1]) * (x[i] - x[i - 1]) / 2 / (DSN_BLOCK_SERIES - 1) : 0;
    }
    noise = 4 * log(DSN_BLOCK_SERIES) * fmax(noise, 0.25);
    for (unsigned end = 1; end <= DSN_BLOCK_SERIES; end++) {
        best[end] = INFINITY;
        for (unsigned first = 0; first + least <= end; first++) {
            const double cost = best[first] + deviations(sum, squares, first, end) + noise;

            if (cost < best[end]) {
                best[end] = cost;
                from[end] = first;
            }
        }
    }
    for (unsigned end = DSN_BLOCK_SERIES; end > 0; end = from[end])
        b->nphases++;
    for (unsigned end = DSN_BLOCK_SERIES, i = (unsigned)b->nphases; end > 0; end = from[end]) {
        struct dsn_block_phase *p = &b->phases[--i];

        *p = (struct dsn_block_phase){ .first = from[end], .bins = end - from[end] };
        for (unsigned at = p->first; at < end; at++)
            for (int k = 0; k < 2; k++) {
                p->sums[k].requests += b->series[k][at].requests;
                p->sums[k].bytes += b->series[k][at].bytes;
            }
    }
}

int dsn__block_times(struct dsn_block *b)
{
    for (size_t i = 0; i < b->nrequests; i++) {
        const struct dsn_block_request *r = &b->requests[i];
        struct dsn_block_sums *s = &b->series[r->where & 1][dsn_block_part(b, r->start)];

        s->requests++;
        s->bytes += r->bytes;
        add_depth(b, r);
    }
    if (b->nrequests > 0)
        find_phases(b);
    return find_deepest(b);
}
