/* turns.c - processes that ran one after the other: their I/O times add up
 * SPDX-License-Identifier: BSD-3-Clause
 * A script's commands each spend little of its run time on I/O, and all together perhaps most of it. Processes that did not run at
 * once cannot have waited at once, so of all sequences of such the one with most seconds is a lower bound of what passed. */
#include "turns.h"

#include <math.h>
#include <stdlib.h>

#include "waits.h"

#define MORE 1.1 /* than the busiest process: what a script adds to its only command is not worth a sentence */

struct turn {
    struct dsn_report_rank *rank;
    double seconds;
    double most;   /* seconds of the best sequence among this and all that ended before */
    size_t before; /* how many had ended when it began: the first of them, in order of their ends */
};

/* No process waits for longer than it runs. */
static double waited(const struct dsn_report_rank *rank)
{
    return fmin(rank->least, rank->end - rank->begin);
}

static int by_end(const void *a, const void *b)
{
    const double x = ((const struct turn *)a)->rank->end, y = ((const struct turn *)b)->rank->end;

    return (x > y) - (x < y);
}

/* How many of n, in order of their ends, ended no later than that. */
static size_t ended_by(const struct turn *t, size_t n, double time)
{
    size_t low = 0;

    while (low < n) {
        const size_t middle = low + (n - low) / 2;

        if (t[middle].rank->end <= time)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Seconds of the best sequence of all. */
static double find_best(struct turn *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        t[i].before = ended_by(t, i, t[i].rank->begin);
        t[i].most = t[i].seconds + (t[i].before > 0 ? t[t[i].before - 1].most : 0);
        t[i].most = fmax(t[i].most, i > 0 ? t[i - 1].most : 0);
    }
    return n > 0 ? t[n - 1].most : 0;
}

static void add_turn(struct dsn_report *r, struct dsn_report_rank *rank)
{
    struct dsn_wait_parts parts;
    const double seconds = waited(rank);

    rank->is_in_turn = 1;
    r->turns.n++;
    r->turns.seconds += seconds;
    dsn__parts_of(r, rank, seconds, &parts);
    r->turns.parts.read += parts.read;
    r->turns.parts.write += parts.write;
    r->turns.parts.meta += parts.meta;
    r->turns.parts.wait += parts.wait;
    r->turns.parts.library += parts.library;
}

int dsn__turns_make(struct dsn_report *r)
{
    struct turn *t = r->is_tree && r->rank_times == DSN_EXACT ? calloc(r->nranks + 1, sizeof *t) : NULL;
    size_t n = 0;

    if (!r->is_tree || r->rank_times != DSN_EXACT)
        return DSN_ERR_OK;
    if (!t)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < r->nranks; i++)
        if (r->ranks[i].end > r->ranks[i].begin && r->ranks[i].least > 0)
            t[n++].rank = &r->ranks[i];
    qsort(t, n, sizeof *t, by_end);
    for (size_t i = 0; i < n; i++)
        t[i].seconds = fmin(dsn_work_time(&t[i].rank->work), waited(t[i].rank));
    r->turns.at_storage = find_best(t, n);
    for (size_t i = 0; i < n; i++)
        t[i].seconds = waited(t[i].rank);
    for (size_t i = find_best(t, n) > MORE * r->waits.most ? n : 0; i > 0;) {
        const int is_in = i == 1 || t[i - 1].most > t[i - 2].most;

        if (is_in)
            add_turn(r, t[i - 1].rank);
        i = is_in ? t[i - 1].before : i - 1;
    }
    free(t);
    return DSN_ERR_OK;
}

double dsn_io_passed(const struct dsn_report *r)
{
    return fmax(r->waits.most, r->turns.seconds);
}

double dsn_storage_passed(const struct dsn_report *r)
{
    return fmax(r->f.slowest_time, r->turns.at_storage);
}

double dsn_report_rate(const struct dsn_report *r)
{
    const double passed = dsn_storage_passed(r);

    return passed > 0 ? dsn_figures_bytes(&r->f) / (1 << 20) / passed : -1;
}

double dsn_report_rate_per_node(const struct dsn_report *r)
{
    return r->f.nodes > 0 && dsn_report_rate(r) >= 0 ? dsn_report_rate(r) / (double)r->f.nodes : -1;
}
