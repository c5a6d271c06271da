/* answer.c - the first line of every report
 * SPDX-License-Identifier: BSD-3-Clause */
#include "answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "turns.h"

int dsn_is_idle(const struct dsn_report *r)
{
    return !(r->waits.most > 0) && r->f.slowest_time <= 0 && dsn_figures_bytes(&r->f) <= 0;
}

static const char *kind_of(double read, double write, double meta, double half, const char *none)
{
    return read > half ? "mostly reading" : write > half ? "mostly writing" : meta > half ? "mostly metadata" : none;
}

/* Seconds of whom the answer says what they are spent with. */
struct kinds {
    double all, read, write, meta, wait, library;
};

/* The largest part of these. How waiting divides is known of all ranks only, and taken to be the same for each. */
static const char *mostly(const struct dsn_report *r, const struct kinds *k)
{
    const struct dsn_waits *w = &r->waits;
    const double half = k->all / 2, wait = dsn_waiting(w), waits = wait > 0 ? k->wait / wait : 0;

    if (k->library > half)
        return dsn_report_layer(r, DSN_H5F_MODULE) || dsn_report_layer(r, DSN_H5D_MODULE) ? "in HDF5 itself"
                                                                                          : "in PnetCDF itself";
    if (k->wait > half)
        return w->wait_open > 9 * (wait - w->wait_open)     ? "in collective opens"
               : w->wait_write > 9 * (wait - w->wait_write) ? "in collective writes"
               : w->wait_read > 9 * (wait - w->wait_read)   ? "in collective reads"
                                                            : "in collective calls";
    if (kind_of(k->read, k->write, k->meta, half, NULL))
        return kind_of(k->read, k->write, k->meta, half, NULL);
    if (k->read + waits * w->wait_read > half)
        return "in collective reads";
    if (k->write + waits * w->wait_write > half)
        return "in collective writes";
    return "of mixed kinds";
}

struct dsn_short_text dsn_slowest_text(const struct dsn_report *r)
{
    const struct dsn_waits *w = &r->waits;
    const double run = r->f.runtime, least = fmin(w->least / run, 1), most = fmin(w->most / run, 1);
    struct dsn_short_text low = dsn_share_text(least);
    const struct dsn_short_text high =
        w->most >= run && least < most ? (struct dsn_short_text){ "all" } : dsn_share_text(most);
    struct dsn_short_text t;

    if (strcmp(low.s, high.s) == 0 || most - least < 0.01)
        return high;
    snprintf(t.s, sizeof t.s, "%.0f-%.0f %%", 100 * least, 100 * most);
    return t;
}

static void idle(const struct dsn_figures *f, char to[DSN_ANSWER_MAX])
{
    if (f->damage.code != DSN_ERR_OK)
        snprintf(to, DSN_ANSWER_MAX, "Unknown: what could be read of this damaged log contains no I/O.");
    else if (f->files.total == 0)
        snprintf(to, DSN_ANSWER_MAX, "No I/O: the job opened no file%s.",
                 f->elsewhere_bytes > 0 ? ", only pipes, terminals or standard streams" : "");
    else
        snprintf(to, DSN_ANSWER_MAX, "No I/O: the job opened %" PRId64 " file%s, but moved no data.", f->files.total,
                 f->files.total == 1 ? "" : "s");
}

/* The sentence is about the slowest rank, or the busiest process. Where it is not known how that one spent its time, what is said
 * of all of them stands with their mean. */
void dsn_answer(const struct dsn_report *r, char to[DSN_ANSWER_MAX])
{
    const struct dsn_figures *f = &r->f;
    const struct dsn_waits *w = &r->waits;
    const struct kinds all = { w->all, w->read, w->write, w->meta, dsn_waiting(w), w->library };
    const struct dsn_wait_parts *p = &r->turns.parts;
    const struct kinds turns = { r->turns.seconds, p->read, p->write, p->meta, p->wait, p->library };
    const struct kinds slowest = { w->most,         w->slowest.read, w->slowest.write,
                                   w->slowest.meta, w->slowest.wait, w->slowest.library };
    const int is_known = (w->parts_known && f->nprocs > 1) || r->turns.n > 0;
    const char *what = mostly(r, r->turns.n > 0 ? &turns
                                 : is_known     ? &slowest
                                                : &all),
               *at_most = w->is_bounded ? "at most " : "";
    const struct dsn_short_text mean = dsn_share_text(w->all / (double)f->present / f->runtime);
    char busiest[64] = "", whose[64];

    snprintf(whose, sizeof whose,
             is_known || f->nprocs == 1 ? ", %s"
             : r->is_tree               ? "; all processes: %s"
                                        : "; all ranks: %s",
             what);
    if (r->is_tree && f->nprocs > 1)
        snprintf(busiest, sizeof busiest, " in the busiest of %" PRId64 " processes", f->nprocs);
    if (dsn_is_idle(r))
        idle(f, to);
    else if (!(f->runtime > 0))
        snprintf(to, DSN_ANSWER_MAX, "I/O took %s%s%s.", dsn_seconds_text(w->most).s,
                 dsn_has_ranks(r) ? " on the slowest rank" : busiest, whose);
    else if (r->turns.n > 0)
        snprintf(to, DSN_ANSWER_MAX, "I/O took %s of the run time, in %" PRId64 " processes one after another%s.",
                 dsn_share_text(dsn_io_passed(r) / f->runtime).s, r->turns.n, whose);
    else if (!dsn_has_ranks(r)) /* a mean over processes that ran one after the other means nothing */
        snprintf(to, DSN_ANSWER_MAX, "I/O took %s of the run time%s%s.", dsn_slowest_text(r).s, busiest, whose);
    else
        snprintf(to, DSN_ANSWER_MAX,
                 is_known ? "I/O took %s of the slowest rank's time (mean %s%s), %s."
                          : "I/O took %s of the slowest rank's time (mean %s%s, %s).",
                 dsn_slowest_text(r).s, at_most, mean.s, what);
}

enum dsn_confidence dsn_slowest_confidence(const struct dsn_report *r)
{
    return r->waits.most - r->waits.least <= 1e-6 * r->waits.most ? DSN_EXACT : DSN_BOUNDED;
}

const struct dsn_finding *dsn_worst(const struct dsn_findings *f)
{
    return f->n > 0 && dsn_severity_matters(f->list[0].severity) ? &f->list[0] : NULL;
}
