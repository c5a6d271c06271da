/* turns.c - processes that ran one after the other: their I/O times add up
 * SPDX-License-Identifier: BSD-3-Clause
 * A script's commands each spend little of its run time on I/O, and all together perhaps most of it. */
#include "turns.h"

#include <math.h>

#include "util/lib/processes.h"
#include "waits.h"

#define MORE 1.1 /* than the busiest process: what a script adds to its only command is not worth a sentence */

static void add_parts(struct dsn_report *r, const struct dsn_turn *t)
{
    struct dsn_report_rank *rank = &r->ranks[t->rank];
    struct dsn_wait_parts parts;

    rank->is_in_turn = 1;
    dsn__parts_of(r, rank, fmin(t->seconds, t->end - t->begin), &parts);
    r->turns.n++;
    r->turns.parts.read += parts.read;
    r->turns.parts.write += parts.write;
    r->turns.parts.meta += parts.meta;
    r->turns.parts.wait += parts.wait;
    r->turns.parts.library += parts.library;
}

void dsn__turns_make(struct dsn_report *r)
{
    struct dsn_turns *to = &r->turns;
    const struct dsn_turn *t;
    size_t n = to->nof;

    if (r->rank_times != DSN_EXACT)
        return;
    for (size_t i = 0; i < n; i++)
        to->of[i].seconds = r->ranks[to->of[i].rank].least;
    to->seconds = dsn_turns_longest(to->of, n);
    while (to->seconds > MORE * r->waits.most && (t = dsn_turns_next(to->of, &n)) != NULL)
        add_parts(r, t);
}

double dsn_io_passed(const struct dsn_report *r)
{
    return fmax(r->waits.most, r->turns.seconds);
}
