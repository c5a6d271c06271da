/* answer.c - the first line of every report
 * SPDX-License-Identifier: BSD-3-Clause */
#include "answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int dsn_is_idle(const struct dsn_report *r)
{
    return !(r->waits.most > 0) && r->f.slowest_time <= 0 && dsn_figures_bytes(&r->f) <= 0;
}

static const char *kind_of(double read, double write, double meta, double half, const char *none)
{
    return read > half ? "mostly reading" : write > half ? "mostly writing" : meta > half ? "mostly metadata" : none;
}

/* The largest part of the I/O time. */
static const char *mostly(const struct dsn_report *r)
{
    const struct dsn_waits *w = &r->waits;
    const double half = w->all / 2;
    const double wait = dsn_waiting(w);

    if (w->library > half)
        return dsn_report_layer(r, DSN_H5F_MODULE) || dsn_report_layer(r, DSN_H5D_MODULE) ? "in HDF5 itself"
                                                                                          : "in PnetCDF itself";

    if (wait > half)
        return w->wait_open > 9 * (wait - w->wait_open)     ? "in collective opens"
               : w->wait_write > 9 * (wait - w->wait_write) ? "in collective writes"
               : w->wait_read > 9 * (wait - w->wait_read)   ? "in collective reads"
                                                            : "in collective calls";
    if (r->is_tree && r->f.nprocs > 1 && w->parts_known) /* of the process that the answer is about */
        return kind_of(w->slowest.read, w->slowest.write, w->slowest.meta, w->most / 2, "of mixed kinds");
    if (kind_of(w->read, w->write, w->meta, half, NULL))
        return kind_of(w->read, w->write, w->meta, half, NULL);
    if (w->read + w->wait_read > half)
        return "in collective reads";
    if (w->write + w->wait_write > half)
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

void dsn_answer(const struct dsn_report *r, char to[DSN_ANSWER_MAX])
/* The sentence is about the slowest rank, or the busiest process. Where it is not known how that one spent its time, what is said
 * of all of them stands with their mean. */
{
    const struct dsn_figures *f = &r->f;
    const char *subject = "I/O";
    const char *what = mostly(r);

    if (dsn_is_idle(r))
        idle(f, to);
    else if (!(f->runtime > 0))
        snprintf(to, DSN_ANSWER_MAX, "%s took %s on the slowest rank, %s.", subject, dsn_seconds_text(r->waits.most).s,
                 what);
    else if (f->nprocs == 1)
        snprintf(to, DSN_ANSWER_MAX, "%s took %s of the run time, %s.", subject, dsn_slowest_text(r).s, what);
    else if (r->is_tree) /* a mean over processes that ran one after the other means nothing */
        snprintf(to, DSN_ANSWER_MAX, "%s took %s of the run time in the busiest of %" PRId64 " processes, %s.", subject,
                 dsn_slowest_text(r).s, f->nprocs, what);
    else
        snprintf(to, DSN_ANSWER_MAX, "%s took %s of the slowest rank's time (mean %s%s), %s.", subject,
                 dsn_slowest_text(r).s, r->waits.is_bounded ? "at most " : "",
                 dsn_share_text(r->waits.all / (double)f->present / f->runtime).s, what);
}

enum dsn_confidence dsn_slowest_confidence(const struct dsn_report *r)
{
    return r->waits.most - r->waits.least <= 1e-6 * r->waits.most ? DSN_EXACT : DSN_BOUNDED;
}

const struct dsn_finding *dsn_worst(const struct dsn_findings *f)
{
    return f->n == 0 || f->list[0].severity >= DSN_MINOR ? NULL : &f->list[0];
}
