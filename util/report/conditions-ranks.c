/* conditions-ranks.c - conditions of findings.def about ranks, compute nodes and time
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conditions.h"
#include "units.h"
#include "waits.h"

/* ------------------------------------------------------------------ ranks */

/* The rank with the largest v. */
static size_t largest(const struct dsn_report *r, double (*v)(const struct dsn_work *))
{
    size_t most = 0;

    for (size_t i = 1; i < r->nranks; i++)
        if (v(&r->ranks[i].work) > v(&r->ranks[most].work))
            most = i;
    return most;
}

/* Mean over ranks of their total time; single ranks may only have a lower bound. */
static double mean_time(const struct dsn_report *r)
{
    return (r->f.read_time + r->f.write_time + r->f.meta_time) / (double)r->f.nprocs;
}

static double mean_bytes(const struct dsn_report *r)
{
    return ((double)r->f.bytes_read + (double)r->f.bytes_written) / (double)r->f.nprocs;
}

/* HDF5 extends and fills a dataset collectively, for a program that then writes its pieces independently. */
static int is_mostly_independent(const struct dsn_report_file *f)
{
    const double requests = (double)f->mpi_independent + (double)f->mpi_collective;

    return (double)f->mpi_collective < requests / 10 &&
           (double)f->mpi_read + (double)f->mpi_written < dsn_thresholds.small * requests;
}

int dsn__is_collective_file(const struct dsn_report *r, const struct dsn_report_file *f)
{
    return f->mpi_collective > 0 &&
           (f->mpi_collective >= f->mpi_independent || (f->mpi_collective >= r->f.nprocs && !is_mostly_independent(f)));
}

static double collective_bytes(const struct dsn_report *r)
{
    double bytes = 0;

    for (size_t i = 0; i < r->nfiles; i++)
        if (dsn__is_collective_file(r, &r->files[i]))
            bytes += dsn_work_bytes(&r->files[i].work);
    return bytes;
}

int dsn__is_collective(const struct dsn_report *r)
{
    return collective_bytes(r) > dsn_thresholds.half * ((double)r->f.bytes_read + (double)r->f.bytes_written);
}

double dsn__collective_storage(const struct dsn_report *r)
{
    double most = 0;

    for (size_t i = 0; i < r->nfiles; i++)
        if (dsn__is_collective_file(r, &r->files[i]))
            most += r->files[i].slowest;
    return most;
}

double dsn__collective_time(const struct dsn_report *r)
{
    double sum = 0;

    for (size_t i = 0; i < r->nstacks; i++)
        if (r->stacks[i].file >= 0 && dsn__is_collective_file(r, &r->files[r->stacks[i].file]))
            sum += dsn_stack_time(&r->stacks[i], &r->files[r->stacks[i].file].work) - r->stacks[i].wait_open;
    return sum / (double)r->f.nprocs;
}

/* The number of ranks that move data if these are the first k, or every k-th; 0: no such pattern. */
static int64_t regular_ranks(const struct dsn_report *r, int64_t *stride)
{
    int64_t n = 0, last = -1;

    *stride = 0;
    for (size_t i = 0; i < r->nranks; i++) {
        if (!(dsn_work_bytes(&r->ranks[i].work) > 0))
            continue;
        if (n == 0 && i != 0)
            return 0;
        if (n == 1)
            *stride = (int64_t)i - last;
        if (n > 1 && (int64_t)i - last != *stride)
            return 0;
        last = (int64_t)i;
        n++;
    }
    return n;
}

/* Whether the program itself delegates I/O to some ranks. */
static int64_t own_aggregators(const struct dsn_report *r, int64_t *stride)
{
    int64_t n;

    if (r->nranks < 4 || r->rank_bytes != DSN_EXACT || dsn_report_layer(r, DSN_MPIIO_MODULE) ||
        (double)r->f.bytes_read + (double)r->f.bytes_written < dsn_thresholds.bytes)
        return 0;
    n = regular_ranks(r, stride);
    return n >= 2 && (double)n <= dsn_thresholds.half * (double)r->nranks ? n : 0;
}

/* Whether a rank may move more than others because collective calls made it an aggregator of their data. */
static int may_be_aggregator(const struct dsn_report *r, size_t rank)
{
    const double more = dsn_work_bytes(&r->ranks[rank].work) - mean_bytes(r);
    double together = 0;

    for (size_t i = 0; i < r->nfiles; i++)
        together += (double)r->files[i].mpi_together;
    return more > 0 && more <= fmax(collective_bytes(r), together);
}

/* Seconds of the slowest rank above the mean; 0 if ranks are balanced, or not known. */
static double imbalance(const struct dsn__case *c)
{
    const struct dsn_report *r = c->r;
    double slowest, mean;
    int64_t stride;
    size_t rank;

    if (r->nranks < 2 || (double)r->f.bytes_read + (double)r->f.bytes_written < dsn_thresholds.bytes ||
        dsn__is_collective(r) || own_aggregators(r, &stride) > 0)
        return 0;
    rank = largest(r, dsn_work_time);
    if (may_be_aggregator(r, rank))
        return 0;
    slowest = dsn_work_time(&r->ranks[rank].work);
    mean = mean_time(r);
    return slowest > 0 && 1 - mean / slowest > dsn_thresholds.imbalance ? slowest - mean : 0;
}

static void balance_facts(const struct dsn__case *c, struct dsn_finding *f, double saved)
{
    const struct dsn_report *r = c->r;
    const size_t slowest = largest(r, dsn_work_time);

    f->rank[0] = (int64_t)slowest;
    f->nranks = 1;
    f->saveable = saved;
    f->at_most = c->time;
    f->confidence = r->rank_times;
    dsn__fact(f, "slowest rank", (double)slowest, DSN_FACT_RANK);
    dsn__fact(f, "its I/O time", dsn_work_time(&r->ranks[slowest].work), DSN_FACT_SECONDS);
    dsn__fact(f, "mean I/O time of ranks", mean_time(r), DSN_FACT_SECONDS);
    dsn__fact(f, "bytes of the slowest rank", dsn_work_bytes(&r->ranks[slowest].work), DSN_FACT_BYTES);
    dsn__fact(f, "mean bytes of ranks", mean_bytes(r), DSN_FACT_BYTES);
    if (r->rank_times == DSN_EXACT)
        dsn__fact(f, "ranks without I/O", (double)r->time_spread.zero, DSN_FACT_COUNT);
}

int dsn__examine_one_rank(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_report *r = c->r;
    const double all = (double)r->f.bytes_read + (double)r->f.bytes_written;
    size_t rank;
    double bytes, time;

    if (r->nranks < 2 || all < dsn_thresholds.bytes || dsn__is_collective(r) || r->movers > 1)
        return 0;
    rank = largest(r, dsn_work_bytes);
    bytes = dsn_work_bytes(&r->ranks[rank].work);
    time = dsn_work_time(&r->ranks[rank].work);
    if (bytes < dsn_thresholds.one_rank * all)
        return 0;
    f->rank[0] = (int64_t)rank;
    f->nranks = 1;
    f->at_most = time;
    f->saveable = fmax(time - mean_time(r), 0);
    f->confidence = DSN_ESTIMATED;
    snprintf(f->basis, sizeof f->basis, "storage that serves all ranks at once as fast as it served this one");
    dsn__fact(f, "rank", (double)rank, DSN_FACT_RANK);
    dsn__fact(f, "its bytes", bytes, DSN_FACT_BYTES);
    dsn__fact(f, "share of all bytes", bytes / all, DSN_FACT_SHARE);
    dsn__fact(f, "its I/O time", time, DSN_FACT_SECONDS);
    dsn__fact(f, "mean I/O time of ranks", mean_time(r), DSN_FACT_SECONDS);
    dsn__remark(f,
                r->nranks == 2 ? "Rank %zu moves %s of all bytes; the other rank does hardly any I/O."
                               : "Rank %zu moves %s of all bytes; the %zu others do hardly any I/O.",
                rank, dsn_share_text(bytes / all).s, r->nranks - 1);
    return 1;
}

static int is_uneven(const struct dsn_report *r)
{
    const size_t slowest = largest(r, dsn_work_time);

    return dsn_work_bytes(&r->ranks[slowest].work) > 2 * mean_bytes(r);
}

int dsn__examine_uneven(const struct dsn__case *c, struct dsn_finding *f)
{
    const double saved = imbalance(c);

    if (!(saved > 0) || !is_uneven(c->r))
        return 0;
    balance_facts(c, f, saved);
    dsn__remark(f, "Rank %" PRId64 " spends %s on I/O, the mean rank %s; it moves %.3g times the mean bytes.",
                f->rank[0], dsn_seconds_text(f->fact[1].value).s, dsn_seconds_text(f->fact[2].value).s,
                f->fact[4].value > 0 ? f->fact[3].value / f->fact[4].value : 0);
    return 1;
}

int dsn__examine_straggler(const struct dsn__case *c, struct dsn_finding *f)
{
    const double saved = imbalance(c);

    if (!(saved > 0) || is_uneven(c->r))
        return 0;
    balance_facts(c, f, saved);
    dsn__remark(f, "Rank %" PRId64 " spends %s on I/O, the mean rank %s, and moves no more than others.", f->rank[0],
                dsn_seconds_text(f->fact[1].value).s, dsn_seconds_text(f->fact[2].value).s);
    return 1;
}

/* Mean time and bytes of the ranks on node `node`, or on all others. */
static double node_mean(const struct dsn_report *r, int64_t node, int others, double (*v)(const struct dsn_work *))
{
    double sum = 0;
    int64_t n = 0;

    for (size_t i = 0; i < r->nranks; i++)
        if ((r->ranks[i].node == node) != others) {
            sum += v(&r->ranks[i].work);
            n++;
        }
    return n > 0 ? sum / (double)n : 0;
}

/* Only the slowest rank's node can be the slowest node. */
int dsn__examine_slow_node(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_report *r = c->r;
    size_t slowest;
    int64_t node;
    double time, others;

    if (r->nranks < 3 || r->f.nodes < 3)
        return 0;
    slowest = largest(r, dsn_work_time);
    node = r->ranks[slowest].node;
    if (node < 0)
        return 0;
    time = node_mean(r, node, 0, dsn_work_time);
    others = node_mean(r, node, 1, dsn_work_time);
    if (!(time > 2 * others) || node_mean(r, node, 0, dsn_work_bytes) > 1.5 * node_mean(r, node, 1, dsn_work_bytes))
        return 0;
    f->rank[0] = (int64_t)slowest;
    f->nranks = 1;
    f->saveable = time - others;
    f->at_most = time;
    f->confidence = r->rank_times;
    dsn__fact(f, "number of the node", (double)node, DSN_FACT_COUNT);
    dsn__fact(f, "mean I/O time of its ranks", time, DSN_FACT_SECONDS);
    dsn__fact(f, "mean I/O time of other ranks", others, DSN_FACT_SECONDS);
    dsn__remark(f, "Ranks on the node of rank %zu spend %s on I/O, others %s.", slowest, dsn_seconds_text(time).s,
                dsn_seconds_text(others).s);
    return 1;
}

/* Whether the collectively accessed files with most of the time are on a single storage target each, which is then the
 * limit, not the ranks. */
static int is_on_one_target(const struct dsn_report *r)
{
    double narrow = 0, all = 0;

    for (size_t i = 0; i < r->nfiles; i++)
        if (dsn__is_collective_file(r, &r->files[i])) {
            all += r->files[i].slowest;
            narrow += dsn__is_narrow(r, &r->files[i]) ? r->files[i].slowest : 0;
        }
    return narrow > dsn_thresholds.half * all;
}

/* Number of ranks that move at least a tenth of the busiest rank's bytes, if known for all ranks; else of all that move
 * data. */
static int64_t aggregators(const struct dsn_report *r)
{
    const double most = dsn_work_bytes(&r->ranks[largest(r, dsn_work_bytes)].work);
    int64_t n = 0;

    if (r->rank_bytes != DSN_EXACT)
        return r->movers;
    for (size_t i = 0; i < r->nranks; i++)
        n += dsn_work_bytes(&r->ranks[i].work) >= most / 10;
    return n;
}

int dsn__examine_few_aggregators(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_report *r = c->r;
    const double enough = r->f.nodes > 0 ? (double)r->f.nodes : ceil((double)r->f.nprocs / dsn_thresholds.movers);
    int64_t n;

    if (r->nranks < 2 || !dsn__is_collective(r) || is_on_one_target(r))
        return 0;
    n = aggregators(r);
    if (n == 0 || (double)n >= enough)
        return 0;
    f->at_most = dsn__collective_storage(r);
    dsn__fact(f, "ranks that move the data", (double)n, DSN_FACT_COUNT);
    dsn__fact(f, "ranks", (double)r->f.nprocs, DSN_FACT_COUNT);
    if (r->f.nodes > 0)
        dsn__fact(f, "compute nodes", (double)r->f.nodes, DSN_FACT_COUNT);
    dsn__fact(f, "seconds of the slowest of them at storage", f->at_most, DSN_FACT_SECONDS);
    dsn__remark(f, "%s%" PRId64 " of %" PRId64 " ranks move%s all data of collective calls to and from storage.",
                r->rank_bytes == DSN_EXACT ? "" : "About ", n, r->f.nprocs, n == 1 ? "s" : "");
    return 1;
}

/* Time the slowest rank waits in collective calls, compared with the time spent on storage. */
int dsn__examine_waiting(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_waits *w = &c->r->waits;
    const double waits = (w->wait_read + w->wait_write) / (double)c->r->f.nprocs;
    const double storage = dsn__collective_storage(c->r);
    const double in_calls = dsn__collective_time(c->r), longer = fmin(in_calls - storage, waits);

    if (!(longer > dsn_thresholds.half * in_calls) || !(longer > dsn_thresholds.warning * c->run))
        return 0;
    f->at_most = longer;
    dsn__fact(f, "seconds of a rank in collective files, mean", in_calls, DSN_FACT_SECONDS);
    dsn__fact(f, "seconds of the slowest rank at storage for these", storage, DSN_FACT_SECONDS);
    dsn__fact(f, "seconds of waiting, mean of ranks", waits, DSN_FACT_SECONDS);
    dsn__remark(f, "A rank spends %s in collective calls on average; for storage none of them needs more than %s.",
                dsn_seconds_text(in_calls).s, dsn_seconds_text(storage).s);
    return 1;
}

double dsn__open_waiting_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const struct dsn_stack *s = dsn_stack_of(c->r, f->id);

    return s && s->wait_open > 0 ? s->wait_open : -1;
}

/* The file that ranks wait longest for. */
static const struct dsn_stack *longest_wait(const struct dsn_report *r)
{
    const struct dsn_stack *longest = NULL;

    for (size_t i = 0; i < r->nstacks; i++)
        if (r->stacks[i].wait_open > 0 && (!longest || r->stacks[i].wait_open > longest->wait_open))
            longest = &r->stacks[i];
    return longest;
}

/* The rank that waits for nobody there; -1: none stands out. */
static int64_t late_rank(const struct dsn_report *r, const struct dsn_stack *s)
{
    const double mean =
        (s->level[DSN_LEVEL_MPIIO].read + s->level[DSN_LEVEL_MPIIO].write + s->level[DSN_LEVEL_MPIIO].meta) /
        (double)s->openers;

    return s->fastest < dsn_thresholds.half * mean && s->fastest_rank < r->f.nprocs ? s->fastest_rank : -1;
}

int dsn__examine_open_waiting(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_report *r = c->r;
    const double mean = r->waits.wait_open / (double)r->f.nprocs;
    const struct dsn_stack *longest = longest_wait(r);
    double storage = 0, opens = 0;
    int64_t late;

    if (!longest || mean < dsn_thresholds.seconds || mean < dsn_thresholds.warning * c->run)
        return 0;
    late = late_rank(r, longest);
    for (size_t i = 0; i < r->nstacks; i++)
        if (r->stacks[i].wait_open > 0) {
            storage += r->files[r->stacks[i].file].most_meta;
            opens += (double)r->stacks[i].opens_together / (double)r->stacks[i].openers;
        }
    f->at_most = mean;
    dsn__fact(f, "seconds of waiting in opens and closes, mean of ranks", mean, DSN_FACT_SECONDS);
    dsn__fact(f, "seconds of one rank in metadata calls of storage for these", storage, DSN_FACT_SECONDS);
    dsn__fact(f, "collective opens of a rank", opens, DSN_FACT_COUNT);
    f->are_awaited = 1;
    if (late >= 0) {
        f->rank[0] = late;
        f->nranks = 1;
        dsn__fact(f, "rank that spends least time there", (double)late, DSN_FACT_RANK);
    }
    dsn__remark(f, "A rank waits %s on average in collective opens and closes; the file system takes %s for them.",
                dsn_seconds_text(mean).s, dsn_seconds_text(storage).s);
    if (late >= 0)
        snprintf(f->text + strlen(f->text), sizeof f->text - strlen(f->text),
                 " Rank %" PRId64 " waits least: it is probably the last to come.", late);
    return 1;
}

double dsn__library_work_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const struct dsn_stack *s = dsn_stack_of(c->r, f->id);

    return s && s->library > 0 ? s->library : -1;
}

/* Processes of a tree run one after the other, or at the same time: a mean means nothing. */
int dsn__examine_library_work(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_report *r = c->r;
    const double own = r->is_tree ? fmin(r->waits.library, r->waits.most) : r->waits.library / (double)r->f.nprocs;
    double below = 0;

    if (own < dsn_thresholds.seconds || own < dsn_thresholds.high * c->run)
        return 0;
    for (size_t i = 0; i < r->nstacks; i++)
        if (r->stacks[i].library > 0)
            below += dsn_work_time(&r->files[r->stacks[i].file].work);
    f->at_most = own;
    dsn__seconds_of_all(f, "seconds in the library itself", r->waits.library);
    dsn__seconds_of_all(f, "seconds at storage for these files", below);
    dsn__remark(f, "Of the time in the library's calls %s is outside of all calls below them; storage takes %s.",
                dsn_seconds_text(r->waits.library).s, dsn_seconds_text(below).s);
    f->confidence = DSN_BOUNDED;
    return 1;
}

int dsn__examine_aggregation(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_report *r = c->r;
    int64_t stride;
    const int64_t n = own_aggregators(r, &stride);

    if (n == 0)
        return 0;
    dsn__fact(f, "ranks that move data", (double)n, DSN_FACT_COUNT);
    dsn__fact(f, "all ranks", (double)r->nranks, DSN_FACT_COUNT);
    dsn__fact(f, "distance between them", (double)stride, DSN_FACT_COUNT);
    dsn__remark(f, "%" PRId64 " of %zu ranks move data, every %" PRId64 "%s.", n, r->nranks, stride,
                stride == 1   ? "st"
                : stride == 2 ? "nd"
                : stride == 3 ? "rd"
                              : "th");
    return 1;
}

/* ------------------------------------------------------------------ time */

int dsn__examine_burst(const struct dsn__case *c, struct dsn_finding *f)
{
    if ((double)c->r->f.bytes_read + (double)c->r->f.bytes_written < dsn_thresholds.bulk || c->r->peak < 0.9 ||
        c->run < 2 || c->r->wall < 0)
        return 0;
    dsn__fact(f, "share of bytes in the busiest twentieth of the run", c->r->peak, DSN_FACT_SHARE);
    dsn__fact(f, "seconds in which data moved", c->r->wall, DSN_FACT_SECONDS);
    dsn__fact(f, "run time", c->run, DSN_FACT_SECONDS);
    dsn__remark(f, "%s of the bytes move within a twentieth of the run time.", dsn_share_text(c->r->peak).s);
    return 1;
}
