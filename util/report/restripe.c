/* restripe.c - estimated savings of other striping for a job without traces, from its counters
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "restripe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LITTLE .01 /* share of the visible I/O time below which it is not mentioned */

/* Whether ranks wait for the file: all ranks for one that collective calls access, else the rank with the most time. */
static int is_waited_for(const struct dsn_report_file *f)
{
    return f->is_reduced || f->mpi_collective > 0;
}

static struct dsn_striped *striped_files(const struct dsn_report *r)
{
    struct dsn_striped *files = calloc(r->nfiles + 1, sizeof *files);

    for (size_t i = 0; files && i < r->nfiles; i++) {
        const struct dsn_report_file *f = &r->files[i];

        if (f->layout >= 0 && f->kind == DSN_FILE_DATA && !f->is_exempt && !f->is_aggregated)
            files[i] = (struct dsn_striped){ .layout = dsn_layouts_at(&r->layouts, (size_t)f->layout),
                                             .extent = fmax((double)f->read_extent, (double)f->write_extent),
                                             .bytes = (double)f->work.bytes_read + (double)f->work.bytes_written };
    }
    return files;
}

/* Change of the visible I/O time of the affected files, in seconds. */
static double change_of(const struct dsn_report *r, const struct dsn_striped *files, double *ranks, double *concerned)
{
    double change = 0, most = 0, alone = 0;
    double *const spent = ranks + r->nranks;

    *concerned = 0;
    for (size_t i = 0; i < r->nfiles; i++)
        if (files[i].factor != 1 && is_waited_for(&r->files[i])) {
            *concerned += r->files[i].slowest;
            change += r->files[i].slowest * (files[i].factor - 1);
        }
    for (size_t i = 0; i < r->nparts; i++) {
        const struct dsn_report_part *p = &r->parts[i];

        if (files[p->file].factor == 1 || is_waited_for(&r->files[p->file]) || p->rank < 0 ||
            (size_t)p->rank >= r->nranks)
            continue;
        spent[p->rank] += p->seconds;
        ranks[p->rank] += p->seconds * (files[p->file].factor - 1);
    }
    for (size_t i = 0; i < r->nranks; i++) {
        alone = fmax(alone, spent[i]);
        most = fabs(ranks[i]) > fabs(most) ? ranks[i] : most;
    }
    *concerned += alone;
    return change + most;
}

int dsn_restripe_make(const struct dsn_report *r, const struct dsn_spec *s, struct dsn_restripe *out)
{
    struct dsn_striped *files = striped_files(r);
    double *ranks = calloc(2 * r->nranks + 1, sizeof *ranks), change;
    int ok = files && ranks;

    *out = (struct dsn_restripe){ .was = { r->waits.least, r->waits.most } };
    ok = ok && dsn_striping_change(files, r->nfiles, s->stripes, s->stripe_size, &out->striping);
    if (ok) {
        change = change_of(r, files, ranks, &out->concerned);
        out->concerned = fmin(out->concerned, out->was.high);
        out->will.low = fmax(0, out->was.low + fmin(0, change));
        out->will.high = out->was.high + fmax(0, change);
        out->movers = (double)r->movers < fmin(s->stripes, (double)r->nranks / 2) ? r->movers : 0;
    }
    free(files);
    free(ranks);
    return ok;
}

void dsn_restripe_sentence(const struct dsn_restripe *a, const struct dsn_report *r, const struct dsn_spec *s, char *to,
                           size_t n)
{
    char change[160], was[48], will[48];
    size_t used;

    dsn_striping_said(s, &a->striping, change, sizeof change);
    dsn_range_said(a->was, was, sizeof was);
    snprintf(to, n, "Uncalibrated, by counters, for the log has no traces: %s", change);
    used = strlen(to);
    if (a->will.low < a->was.low * (1 - LITTLE))
        snprintf(to + used, n - used, " can cut visible I/O from %s to %s at best", was,
                 dsn_range_said((struct dsn_range){ a->will.low, a->will.low }, will, sizeof will));
    else if (a->will.high > a->was.high * (1 + LITTLE))
        snprintf(to + used, n - used, " can make visible I/O longer, from %s to %s at worst", was,
                 dsn_range_said((struct dsn_range){ a->will.high, a->will.high }, will, sizeof will));
    else
        snprintf(to + used, n - used, " does not change visible I/O, %s", was);
    used = strlen(to);
    if (a->movers > 0 && a->will.low < a->was.low * (1 - LITTLE))
        snprintf(to + used, n - used,
                 "; about %" PRId64 " of %zu ranks move%s the data, and more targets need more that do", a->movers,
                 r->nranks, a->movers == 1 ? "s" : "");
    used = strlen(to);
    snprintf(to + used, n - used, ".");
}
