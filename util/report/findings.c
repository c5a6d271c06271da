/* findings.c - evaluates the rows of findings.def: which apply, their cost, their order
 * SPDX-License-Identifier: BSD-3-Clause */
#include "findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "storage.h"
#include "trust.h"
#include "turns.h"
#include "units.h"
#include "waits.h"

_Static_assert(DSN_NFINDINGS <= 64, "a bit for each row");

const char *dsn_bound_name(enum dsn_bound b)
{
    static const char *const name[] = { "none",     "idle",  "waiting", "library",  "imbalance",
                                        "metadata", "small", "sync",    "bandwidth" };

    return name[b];
}

/* ------------------------------------------------------------------ the case */

/* The rate of a rank's large requests, from files with few small ones. 0: too few to estimate it. */
static double large_rate(const struct dsn_report *r, int writing)
{
    double bytes = 0, seconds = 0, calls = 0;

    for (size_t i = 0; i < r->nfiles; i++) {
        const struct dsn_report_file *f = &r->files[i];
        const double n = (double)(writing ? f->work.writes : f->work.reads);
        const double b = (double)(writing ? f->work.bytes_written : f->work.bytes_read);
        const double small = (double)(writing ? f->small_writes : f->small_reads);

        if (f->posix_calls == 0 || !(n > 0) || small * 10 > n || b / n < dsn_thresholds.large || f->syncs > 0)
            continue;
        bytes += b;
        seconds += writing ? f->work.write : f->work.read;
        calls += n;
    }
    return calls >= 8 && seconds > 0 ? bytes / seconds : 0;
}

/* This job's rate; else a rank's share of the storage profile's; else an assumed one. */
static double rate_of(const struct dsn__case *c, int writing, enum dsn_rate_source *from)
{
    const struct dsn_storage *storage = c->r->storage;
    const double own = large_rate(c->r, writing);

    *from = own > 0 ? DSN_RATE_OWN : storage ? DSN_RATE_PROFILE : DSN_RATE_ASSUMED;
    if (own > 0)
        return own;
    if (!storage)
        return dsn_thresholds.assumed_rate;
    return storage->total[writing] > 0 ? fmin(storage->large[writing], storage->total[writing] / (double)c->active)
                                       : storage->large[writing];
}

static struct dsn__case make_case(const struct dsn_report *r)
{
    const struct dsn_figures *f = &r->f;
    const struct dsn_waits *w = &r->waits;
    struct dsn__case c = { .r = r, .run = f->runtime > 0 ? f->runtime : 0, .time = r->f.passed };
    double requests = 0;

    dsn__find_postgresql(&c);
    c.meta = (w->parts_known ? w->slowest.meta : w->meta / (double)f->present) - w->library_meta / (double)f->present;
    c.waited = w->parts_known ? w->most : w->all / (double)f->present;
    if (r->turns.n > 0) {
        c.meta = r->turns.parts.meta;
        c.waited = r->turns.seconds;
    }
    c.active = r->movers > 0 ? r->movers : r->f.present;
    for (size_t i = 0; i < r->nfiles; i++)
        requests += dsn__is_independent(&c, &r->files[i]) ? (double)r->files[i].mpi_independent : 0;
    for (size_t i = 0; i < r->nfiles; i++)
        c.small_files += dsn__is_small_file(&c, &r->files[i]);
    c.independent = requests >= dsn_thresholds.calls;
    c.read_rate = rate_of(&c, 0, &c.read_rate_from);
    c.write_rate = rate_of(&c, 1, &c.write_rate_from);
    dsn__find_slow_target(&c);
    dsn__weigh_syncs(&c);
    c.limit = fmax(c.time, dsn_io_passed(r));
    return c;
}

/* ------------------------------------------------------------------ seconds */

/* The share of each file's time that could be saved. NULL: no memory. */
static double *shares_of(const struct dsn__case *c,
                         double (*part)(const struct dsn__case *, const struct dsn_report_file *))
{
    double *share = calloc(c->r->nfiles + 1, sizeof *share);

    for (size_t i = 0; share && i < c->r->nfiles; i++) {
        const struct dsn_report_file *f = &c->r->files[i];
        const double time = dsn_work_time(&f->work);

        share[i] = f->is_exempt || !(time > 0) ? 0 : fmin(fmax(dsn__concern(c, part, f) / time, 0), 1);
    }
    return share;
}

/* The time saved by the slowest rank of a shared file, and at least by each other rank. For an upper bound all of a
 * rank's time is assumed to be of this kind, up to the total. */
static void spare_all(const struct dsn_report *r, const struct dsn_report_file *f, double share, int is_bound,
                      double *own, double *every)
{
    const double slowest = fmin(f->slowest, dsn_work_time(&f->work));
    const double others = r->nranks > 1 ? fmin(f->fastest, slowest) : 0;

    if (is_bound) {
        if (f->slowest_rank >= 0 && (uint64_t)f->slowest_rank < r->nranks)
            own[f->slowest_rank] += fmin(slowest, share * dsn_work_time(&f->work));
        return;
    }
    *every += share * others;
    if (f->slowest_rank >= 0 && (uint64_t)f->slowest_rank < r->nranks)
        own[f->slowest_rank] += share * (slowest - others);
}

/* By how much the slowest rank, possibly a different one then, would be faster; or all processes in turn. */
static double gain(const struct dsn_report *r, const double *share, int is_bound, double *own)
{
    double every = 0, before = 0, after = 0, turns = 0;

    for (size_t i = 0; i < r->nfiles; i++)
        if (r->files[i].is_reduced && share[i] > 0)
            spare_all(r, &r->files[i], share[i], is_bound, own, &every);
    for (size_t i = 0; i < r->nparts; i++)
        if (!r->files[r->parts[i].file].is_reduced)
            own[r->parts[i].rank] +=
                share[r->parts[i].file] * (double)r->parts[i].seconds / r->ranks[r->parts[i].rank].overlap;
    for (size_t i = 0; i < r->nranks; i++) {
        const double time = dsn_work_time(&r->ranks[i].work);

        before = fmax(before, time);
        after = fmax(after, time - own[i] - every);
        turns += r->ranks[i].is_in_turn ? fmin(own[i] + every, time) : 0;
    }
    return fmax(before - after, turns);
}

/* The savings in all layers relative to those in storage: what a layer adds to each independent request is saved with
 * it. Time in opens and closes is not, nor waiting for other ranks in collective calls, nor what a library does with the
 * data. */
static double with_layers(const struct dsn_report *r, const double *share)
{
    double below = 0, above = 0;

    for (size_t i = 0; i < r->nfiles; i++)
        below += share[i] * dsn_work_time(&r->files[i].work);
    for (size_t i = 0; i < r->nstacks; i++) {
        const struct dsn_stack *s = &r->stacks[i];

        if (s->file >= 0 && s->collective == 0 && share[s->file] > 0)
            above += share[s->file] * s->data;
    }
    return below > 0 ? 1 + above / below : 1;
}

/* Seconds saved if the affected part of each file's time were; negative: no memory. */
static double saved(const struct dsn__case *c, const struct dsn_finding_row *row)
{
    double *own = calloc(c->r->nranks + 1, sizeof *own), *share = shares_of(c, row->part), seconds = -1;

    if (own && share) {
        seconds = fmin(gain(c->r, share, row->cost == DSN_COST_BOUND, own), c->time);
        seconds *= row->cost == DSN_COST_AT_RATES ? with_layers(c->r, share) : 1;
    }
    free(own);
    free(share);
    return seconds;
}

static enum dsn_severity severity_of(const struct dsn__case *c, const struct dsn_finding *f)
{
    const double seconds = f->saveable >= 0 ? f->saveable : f->at_most;

    if (!(f->at_most > 0))
        return DSN_NOTE;
    if (seconds < dsn_thresholds.seconds)
        return DSN_MINOR;
    if (!(c->run > 0))
        return seconds > 0 ? DSN_WARNING : DSN_MINOR;
    if (f->saveable >= 0 && seconds >= dsn_thresholds.high * c->run)
        return DSN_HIGH;
    /* an upper bound must be large to justify a warning */
    return seconds >= (f->saveable >= 0 ? dsn_thresholds.warning : dsn_thresholds.high) * c->run ? DSN_WARNING
                                                                                                 : DSN_MINOR;
}

/* ------------------------------------------------------------------ whom to blame */

static void blame_files(const struct dsn__case *c, const struct dsn_finding_row *row, struct dsn_finding *f)
{
    for (size_t i = 0; row->part && i < c->r->nfiles; i++) {
        const struct dsn_report_file *file = &c->r->files[i];
        const double seconds = file->is_exempt ? -1 : dsn__concern(c, row->part, file);
        size_t at = f->nfiles;

        if (seconds < 0)
            continue;
        f->files++;
        if (at == DSN_FINDING_FILES && !(seconds > f->file_seconds[at - 1]))
            continue;
        if (at < DSN_FINDING_FILES)
            f->nfiles++;
        else
            at--;
        for (; at > 0 && seconds > f->file_seconds[at - 1]; at--) {
            f->file[at] = f->file[at - 1];
            f->file_seconds[at] = f->file_seconds[at - 1];
        }
        f->file[at] = file;
        f->file_seconds[at] = seconds;
    }
}

/* The ranks that spent the most time on the blamed files. */
static void blame_ranks(struct dsn_finding *f)
{
    for (size_t i = 0; !f->are_awaited && i < f->nfiles && f->nranks < DSN_FINDING_RANKS; i++) {
        const int64_t rank = f->file[i]->slowest_rank;
        size_t at = 0;

        while (at < f->nranks && f->rank[at] != rank)
            at++;
        if (at == f->nranks && rank >= 0)
            f->rank[f->nranks++] = rank;
    }
}

static int is_through_mpi(const struct dsn_report *r, const struct dsn_report_file *f)
{
    const struct dsn_report_layer *l = dsn_report_layer(r, DSN_MPIIO_MODULE);

    return l && f->layers & l->bit;
}

/* Whether each rank can be considered separately: in a job of one rank, for HDF5 called independently, and for a file
 * that only one rank accesses through MPI-IO or a library. */
static int is_alone(const struct dsn_report *r, const struct dsn_report_file *f, const char *interface)
{
    if (!dsn_has_ranks(r))
        return 1;
    if (!f || strcmp(interface, "POSIX") == 0 || strcmp(interface, "STDIO") == 0)
        return 0;
    return dsn_file_sharing(r, f) == DSN_OF_ONE_RANK || (strcmp(interface, "HDF5") == 0 && !is_through_mpi(r, f));
}

/* The advice for the highest interface through which the worst file is accessed, if there is none that fits better. */
static const char *advise(const struct dsn_report *r, const struct dsn_finding *f)
{
    const struct dsn_advice *a = &f->row->advice;
    const struct dsn_report_file *file = f->nfiles > 0 ? f->file[0] : NULL;
    const char *interface = file ? dsn_file_interface(r, file) : "POSIX";
    const char *mpiio = a->mpiio ? a->mpiio : a->posix;
    const char *hdf5 = a->hdf5 ? a->hdf5 : mpiio;
    const int is_hdf5 = strcmp(interface, "HDF5") == 0;

    if (is_alone(r, file, interface) && is_hdf5 && a->alone_hdf5)
        return a->alone_hdf5;
    if (is_alone(r, file, interface) && (a->alone || !dsn_has_ranks(r) || (is_hdf5 && !is_through_mpi(r, file))))
        return a->alone ? a->alone : a->posix;
    if (is_hdf5)
        return hdf5;
    if (strcmp(interface, "PnetCDF") == 0)
        return a->pnetcdf ? a->pnetcdf : mpiio;
    if ((strcmp(interface, "DFS") == 0 || strcmp(interface, "DAOS") == 0) && a->dfs)
        return a->dfs;
    return strcmp(interface, "MPI-IO") == 0 ? mpiio : a->posix;
}

/* ------------------------------------------------------------------ all of them */

/* Describes the basis of the estimate. */
static void say_basis(const struct dsn__case *c, const struct dsn_finding_row *row, struct dsn_finding *f)
{
    if (*f->basis)
        return;
    if (f->saveable < 0)
        snprintf(f->basis, sizeof f->basis, "a bound: the time that the calls concerned took");
    else if (row->cost != DSN_COST_AT_RATES)
        snprintf(f->basis, sizeof f->basis, "times of the calls concerned");
    else
        snprintf(f->basis, sizeof f->basis, "%s for reads, %s for writes; 2 GiB/s for what a cache serves",
                 dsn_large_rate_text(c->read_rate, c->read_rate_from).s,
                 dsn_large_rate_text(c->write_rate, c->write_rate_from).s);
}

/* Limits the estimate to the run time and to the time of the calls concerned. */
static void limit(const struct dsn__case *c, struct dsn_finding *f)
{
    const double most = c->run > 0 ? fmin(c->limit, c->run) : c->limit;

    f->at_most = fmin(f->at_most, most);
    f->saveable = fmin(f->saveable, f->at_most);
}

/* Returns 1 if the finding applies, 0 if not, -1 if out of memory. */
static int find_one(const struct dsn__case *job, enum dsn_finding_id id, struct dsn_finding *f)
{
    const struct dsn_finding_row *row = dsn_finding_row(id);
    struct dsn__case with_needs = *job;
    const struct dsn__case *c = &with_needs;

    memset(f, 0, sizeof *f);
    f->id = id;
    f->row = row;
    f->title = row->title;
    with_needs.needs = row->needs;
    f->saveable = -1;
    if ((row->needs & DSN_NEEDS_RANKS && !dsn_has_ranks(c->r)) || !row->examine(c, f))
        return 0;
    if (row->part && f->at_most == 0) {
        const double seconds = saved(c, row);

        if (seconds < 0)
            return -1;
        if (row->cost == DSN_COST_AT_RATES && seconds <= 0) /* already as fast as it can be */
            return 0;
        f->at_most = seconds;
        f->saveable = row->cost != DSN_COST_BOUND ? seconds : -1;
        if (f->at_most > 0 && f->at_most < dsn_thresholds.least &&
            f->at_most < dsn_thresholds.warning * c->run) /* nobody waits for that */
            return 0;
    }
    if (f->saveable < 0)
        f->confidence = DSN_ESTIMATED;
    limit(c, f);
    say_basis(c, row, f);
    f->severity = severity_of(c, f);
    blame_files(c, row, f);
    blame_ranks(f);
    f->advice = f->advice ? f->advice : advise(c->r, f);
    return 1;
}

/* A special case that explains at least half of the general one replaces it. */
static int is_covered(const struct dsn_findings *findings, const struct dsn_finding *f)
{
    const double seconds = f->saveable >= 0 ? f->saveable : f->at_most;

    for (size_t i = 0; i < findings->n; i++) {
        const struct dsn_finding *special = &findings->list[i];

        if (special->row->covers >> f->id & 1 && special->at_most >= seconds / 2)
            return 1;
    }
    return 0;
}

static void drop_covered(struct dsn_findings *findings)
{
    size_t kept = 0;
    uint64_t covered = 0;

    for (size_t i = 0; i < findings->n; i++)
        covered |= is_covered(findings, &findings->list[i]) ? UINT64_C(1) << findings->list[i].id : 0;
    for (size_t i = 0; i < findings->n; i++)
        if (!(covered >> findings->list[i].id & 1))
            findings->list[kept++] = findings->list[i];
    findings->n = kept;
}

/* An upper bound counts half: the saving is between 0 and the bound. */
static double expected(const struct dsn_finding *f)
{
    return f->saveable >= 0 ? f->saveable : f->at_most / 2;
}

static int by_cost(const void *a, const void *b)
{
    const struct dsn_finding *x = a, *y = b;

    if (x->severity != y->severity)
        return (int)x->severity - (int)y->severity;
    if (expected(x) != expected(y))
        return (expected(x) < expected(y)) - (expected(x) > expected(y));
    return (int)x->id - (int)y->id;
}

/* Of the time in reads and writes, that in small ones, and that in writes of files which are synchronized again and again. */
static void data_shares(const struct dsn__case *c, double *small, double *synced)
{
    double all = 0;

    *small = *synced = 0;
    for (size_t i = 0; i < c->r->nfiles; i++) {
        const struct dsn_report_file *f = &c->r->files[i];
        const int waits_for_device = dsn__is_synced(c, f);

        if (dsn_file_is_elsewhere(f))
            continue;
        all += f->work.read + f->work.write;
        *small += f->work.read * fmin((double)f->small_reads / fmax(dsn_data_reads(f), 1), 1);
        *small += waits_for_device ? 0 : f->work.write * (double)f->small_writes / fmax((double)f->work.writes, 1);
        *synced += waits_for_device ? f->work.write : 0;
    }
    *small /= all > 0 ? all : 1;
    *synced /= all > 0 ? all : 1;
}

static enum dsn_bound bound_of(const struct dsn__case *c)
{
    const struct dsn_report *r = c->r;
    const struct dsn_waits *w = &r->waits;
    const double mean = (r->f.read_time + r->f.write_time + r->f.meta_time) / (double)r->f.present;
    double small, synced;

    if (!(w->most > 0))
        return DSN_BOUND_NONE;
    if (c->run > 0 && dsn_io_passed(r) < dsn_thresholds.idle_share * c->run)
        return DSN_BOUND_IDLE;
    if (dsn_waiting(w) > dsn_thresholds.half * w->all)
        return DSN_BOUND_WAITING;
    if (w->library > dsn_thresholds.half * w->all)
        return DSN_BOUND_LIBRARY;
    if (1 - mean / c->time > dsn_thresholds.imbalance &&
        1 - w->all / (double)r->f.present / w->most > dsn_thresholds.imbalance && dsn_has_ranks(r) &&
        !dsn__is_collective(r))
        return DSN_BOUND_IMBALANCE;
    if (c->meta > dsn_thresholds.half * c->waited)
        return DSN_BOUND_METADATA;
    data_shares(c, &small, &synced);
    return small >= dsn_thresholds.half    ? DSN_BOUND_SMALL
           : synced >= dsn_thresholds.half ? DSN_BOUND_SYNC
                                           : DSN_BOUND_BANDWIDTH;
}

/* What moves through mappings is not counted: with a mapped file of data, nothing is known to be well. */
static int is_mapped(const struct dsn_report *r)
{
    for (size_t i = 0; i < r->nfiles; i++)
        if (r->files[i].mmaps > 0 && r->files[i].kind == DSN_FILE_DATA)
            return 1;
    return 0;
}

/* Nor of what is queued on a stream of the GPU, or in a batch: nobody knows how long it takes. */
static int is_queued(const struct dsn_report *r)
{
    return 10 * (double)r->f.untimed_bytes > dsn_figures_bytes(&r->f);
}

struct dsn_findings *dsn_findings_make(const struct dsn_report *r)
{
    const struct dsn__case c = make_case(r);
    struct dsn_findings *findings = calloc(1, sizeof *findings);
    int result = 0;

    for (int id = 0; findings && result >= 0 && id < DSN_NFINDINGS; id++) {
        result = find_one(&c, (enum dsn_finding_id)id, &findings->list[findings->n]);
        findings->n += result > 0;
    }
    if (!findings || result < 0) {
        free(findings);
        return NULL;
    }
    drop_covered(findings);
    if (findings->n > 0)
        qsort(findings->list, findings->n, sizeof findings->list[0], by_cost);
    findings->healthy = (findings->n == 0 || !dsn_severity_matters(findings->list[0].severity)) && !dsn_is_cut(r) &&
                        !dsn_lacks_processes(r) && !is_mapped(r) && !dsn_is_unseen(r) && !is_queued(r);
    findings->bound = bound_of(&c);
    return findings;
}
