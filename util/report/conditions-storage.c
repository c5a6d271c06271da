/* conditions-storage.c - conditions of findings.def about storage targets, program files and mappings
 * SPDX-License-Identifier: BSD-3-Clause */
#include "conditions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "units.h"

/* ------------------------------------------------------------------ storage */

double dsn__striping_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double length = fmax((double)f->read_extent, (double)f->write_extent);

    return dsn__is_shared(c, f) && length >= dsn_thresholds.large_stripe && dsn__is_narrow(c->r, f)
               ? f->work.read + f->work.write
               : DSN_UNCONCERNED;
}

int dsn__examine_striping(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__striping_part);

    if (s.files == 0)
        return 0;
    dsn__fact(f, "large shared files with one stripe", (double)s.files, DSN_FACT_COUNT);
    dsn__fact(f, "bytes moved", dsn_work_bytes(&s.work), DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds reading and writing", s.work.read + s.work.write);
    dsn__remark(f, "%" PRId64 " shared file%s of 1 GiB or more on a single storage target each.", s.files,
                s.files == 1 ? "" : "s");
    return 1;
}

/* Bytes and time of files on one storage target only. */
struct target {
    int64_t ost, files;
    double bytes, seconds;
};

#define MAX_TARGETS 4096

/* Requests must be large enough to be limited by the target. */
static int64_t single_target(const struct dsn_report *r, const struct dsn_report_file *f)
{
    const double calls = (double)f->work.reads + (double)f->work.writes;
    const struct dsn_layout *layout = f->layout >= 0 ? dsn_layouts_at(&r->layouts, (size_t)f->layout) : NULL;

    if (!layout || layout->ncomps != 1 || !layout->osts || !dsn__is_narrow(r, f) || !(calls > 0) ||
        dsn_work_bytes(&f->work) / calls < dsn_thresholds.large / 2)
        return -1;
    return layout->osts[0];
}

static size_t find_targets(const struct dsn_report *r, struct target *t)
{
    size_t n = 0;

    for (size_t i = 0; i < r->nfiles; i++) {
        const int64_t ost = single_target(r, &r->files[i]);
        size_t at = 0;

        if (ost < 0)
            continue;
        while (at < n && t[at].ost != ost)
            at++;
        if (at == MAX_TARGETS)
            continue;
        if (at == n)
            t[n++] = (struct target){ .ost = ost };
        t[at].files++;
        t[at].bytes += dsn_work_bytes(&r->files[i].work);
        t[at].seconds += r->files[i].work.read + r->files[i].work.write;
    }
    return n;
}

static int by_rate(const void *a, const void *b)
{
    const struct target *x = a, *y = b;
    const double rx = x->bytes / x->seconds, ry = y->bytes / y->seconds;

    return (rx > ry) - (rx < ry);
}

/* The slowest target, and the median rate of all; 0: too few targets. */
static int slow_target_of(const struct dsn_report *r, struct target *slow, double *median, size_t *targets)
{
    struct target *t = r->layouts.table.n > 0 ? calloc(MAX_TARGETS, sizeof *t) : NULL;
    size_t n = t ? find_targets(r, t) : 0, kept = 0;

    for (size_t i = 0; i < n; i++)
        if (t[i].bytes >= dsn_thresholds.bulk && t[i].seconds > 0)
            t[kept++] = t[i];
    if (kept >= 3) {
        qsort(t, kept, sizeof *t, by_rate);
        *slow = t[0];
        *median = t[kept / 2].bytes / t[kept / 2].seconds;
        *targets = kept;
    }
    free(t);
    return kept >= 3 && slow->bytes / slow->seconds < dsn_thresholds.slow_target * *median;
}

double dsn__slow_target_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (single_target(c->r, f) < 0 || single_target(c->r, f) != c->slow_ost)
        return DSN_UNCONCERNED;
    return fmax(f->work.read + f->work.write - dsn_work_bytes(&f->work) / c->median_rate, 0);
}

void dsn__find_slow_target(struct dsn__case *c)
{
    struct target slow;
    size_t n;

    c->slow_ost = -1;
    if (slow_target_of(c->r, &slow, &c->median_rate, &n))
        c->slow_ost = slow.ost;
}

int dsn__examine_slow_target(const struct dsn__case *c, struct dsn_finding *f)
{
    struct target slow;
    double median;
    size_t n;

    if (c->slow_ost < 0 || !slow_target_of(c->r, &slow, &median, &n))
        return 0;
    dsn__fact(f, "number of the storage target", (double)slow.ost, DSN_FACT_COUNT);
    dsn__fact(f, "files on it alone", (double)slow.files, DSN_FACT_COUNT);
    dsn__fact(f, "bytes of these", slow.bytes, DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds reading and writing", slow.seconds);
    dsn__fact(f, "its rate", slow.bytes / slow.seconds, DSN_FACT_RATE);
    dsn__fact(f, "median rate of all targets", median, DSN_FACT_RATE);
    dsn__fact(f, "storage targets compared", (double)n, DSN_FACT_COUNT);
    dsn__remark(f, "OST %" PRId64 " moves %s at %s MiB/s, the median of the others is %s MiB/s (%zu compared).",
                slow.ost, dsn_bytes_text(slow.bytes).s, dsn_rate_text(slow.bytes / slow.seconds / (1 << 20)).s,
                dsn_rate_text(median / (1 << 20)).s, n);
    f->confidence = DSN_ESTIMATED;
    snprintf(f->basis, sizeof f->basis, "the other targets' %s MiB/s", dsn_rate_text(median / (1 << 20)).s);
    return 1;
}

/* ------------------------------------------------------------------ what a program is made of */

double dsn__interpreter_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return f->kind == DSN_FILE_CODE ? f->work.read + f->work.meta : DSN_UNCONCERNED;
}

int dsn__examine_interpreter(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__interpreter_part);

    if (s.opens < dsn_thresholds.some_calls)
        return 0;
    dsn__fact(f, "opens of modules and libraries", s.opens, DSN_FACT_COUNT);
    dsn__fact(f, "different files", (double)s.files, DSN_FACT_COUNT);
    dsn__fact(f, "stat calls on them", s.stats, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds for these", s.work.read + s.work.meta);
    dsn__remark(f, "%.0f opens and %.0f stats of %" PRId64 " modules and libraries (.py, .so, site-packages).", s.opens,
                s.stats, s.files);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

double dsn__mapping_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return f->mmaps > 0 && f->kind == DSN_FILE_DATA ? 0 : DSN_UNCONCERNED;
}

int dsn__examine_mapped(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__mapping_part);

    const struct dsn_figures *g = &c->r->f;
    char syncs[64];

    if (s.files == 0)
        return 0;
    dsn__fact(f, "mmap calls", s.mmaps, DSN_FACT_COUNT);
    dsn__fact(f, "files", (double)s.files, DSN_FACT_COUNT);
    dsn__fact(f, "msync calls", (double)g->map_syncs.calls, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds in msync", g->map_syncs.time);
    f->at_most = g->map_syncs.time / (c->r->is_tree ? 1 : (double)g->present);
    snprintf(syncs, sizeof syncs, " %" PRId64 " msync%s took %s.", g->map_syncs.calls,
             g->map_syncs.calls == 1 ? "" : "s", dsn_seconds_text(g->map_syncs.time).s);
    dsn__remark(f, "%.0f mapping%s of %" PRId64 " file%s: bytes and time of accesses through them are not counted.%s",
                s.mmaps, s.mmaps == 1 ? "" : "s", s.files, s.files == 1 ? "" : "s",
                g->map_syncs.calls > 0 ? syncs : "");
    return 1;
}
