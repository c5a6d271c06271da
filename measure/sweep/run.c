/* run.c - the rounds of a sweep: what to measure next; recording and progress
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "measure/sweep/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "measure/sweep/verdict.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void show(struct dsn_sweep_run *r, const struct dsn_point *p, unsigned round)
{
    char x[32];

    if (!r->shows)
        return;
    if (dsn_sweep_row(p->sweep)->factor == DSN_BY_MODE)
        snprintf(x, sizeof x, "%s", dsn_mode_row(p->mode)->name);
    else if (dsn_sweep_row(p->sweep)->factor == DSN_BY_WRITERS)
        snprintf(x, sizeof x, "%" PRIu64, p->x);
    else
        dsn_spec_size((double)p->x, x, sizeof x);
    fprintf(stderr, "\r%s (%zu of %zu): %s, round %u of %u; %.0f s so far, Ctrl-C ends it\033[K",
            dsn_sweep_row(p->sweep)->name, r->sweeps_done + 1, r->sweeps, x, round, r->settings->samples,
            now() - r->begin);
}

static enum dsn_measured keep(struct dsn_sweep_run *r, const struct dsn_sample *one)
{
    if (!dsn_samples_add(&r->samples, one)) {
        snprintf(r->error, sizeof r->error, "out of memory");
        return DSN_MEASURED_FAILED;
    }
    if (!dsn_record_put(r->record, one, one->host ? r->samples.host[one->host - 1].name : NULL)) {
        snprintf(r->error, sizeof r->error, "the record cannot be written: %s", strerror(errno));
        return DSN_MEASURED_FAILED;
    }
    r->made++;
    return DSN_MEASURED;
}

static int take_mpi(void *context, const struct dsn_sample *one)
{
    return keep(context, one) == DSN_MEASURED;
}

/* One sample, which is kept. */
static enum dsn_measured measure_point(struct dsn_sweep_run *r, const struct dsn_point *p)
{
    struct dsn_sample one;
    enum dsn_measured rc;

    if (dsn_sweep_row(p->sweep)->is_nodes)
        return dsn_nodes_measure(r->nodes, p, r->settings->seconds, r->samples.nhosts, take_mpi, r, r->error,
                                 sizeof r->error);
    rc = r->meter->measure(r->meter, p, &one);
    if (rc == DSN_MEASURED_FAILED)
        snprintf(r->error, sizeof r->error, "%.200s", r->meter->error);
    return rc == DSN_MEASURED ? keep(r, &one) : rc;
}

/* Measures one sample of each point that lacks one. */
static enum dsn_measured one_round(struct dsn_sweep_run *r, const struct dsn_point *points, size_t n, unsigned round)
{
    for (size_t i = 0; i < n; i++) {
        enum dsn_measured rc;

        if (dsn_samples_count(&r->samples, points[i].sweep, points[i].x, points[i].request) >= round ||
            dsn_mode_row(points[i].mode)->is_mpi)
            continue;
        if (dsn_sweep_stop)
            return DSN_MEASURED_STOPPED;
        show(r, &points[i], round);
        rc = measure_point(r, &points[i]);
        if (rc == DSN_MEASURED_FAILED || rc == DSN_MEASURED_STOPPED)
            return rc;
    }
    return DSN_MEASURED;
}

/* Measures all MPI access modes, reads and writes together, in the last sweep. */
static enum dsn_measured mpi_modes(struct dsn_sweep_run *r, uint64_t request)
{
    const unsigned wanted = r->settings->wanted;
    unsigned lacking = 0;

    for (unsigned mode = DSN_NMODES_POSIX; dsn_mode_row(mode); mode++)
        for (unsigned sweep = DSN_SWEEP_MODE_READ; sweep <= DSN_SWEEP_MODE_WRITE; sweep++) {
            const size_t have = dsn_samples_count(&r->samples, sweep, mode, request);

            if (wanted & 1u << sweep && have < r->settings->samples && r->settings->samples - have > lacking)
                lacking = r->settings->samples - (unsigned)have;
        }
    if (lacking == 0)
        return DSN_MEASURED;
    if (r->shows)
        fprintf(stderr, "\raccess modes of MPI\033[K");
    return dsn_sweep_mpi(r->settings, request, lacking, take_mpi, r, r->error, sizeof r->error);
}

/* Starts processes on all nodes, and records which those are. */
static enum dsn_measured start_nodes(struct dsn_sweep_run *r)
{
    const size_t had = r->samples.nhosts;
    enum dsn_measured rc;

    r->of_nodes = *r->settings;
    rc = dsn_nodes_start(&r->of_nodes, &r->samples, &r->nodes, r->error, sizeof r->error);
    for (size_t i = had; rc == DSN_MEASURED && i < r->samples.nhosts; i++)
        if (!dsn_record_put_host(r->record, &r->samples.host[i])) {
            snprintf(r->error, sizeof r->error, "the record cannot be written: %s", strerror(errno));
            rc = DSN_MEASURED_FAILED;
        }
    return rc;
}

static enum dsn_measured one_sweep(struct dsn_sweep_run *r, unsigned sweep, uint64_t request)
{
    const int is_nodes = dsn_sweep_row(sweep)->is_nodes;
    struct dsn_point points[DSN_SWEEP_POINTS];
    enum dsn_measured rc = is_nodes && r->settings->mpi && !r->nodes ? start_nodes(r) : DSN_MEASURED;
    const size_t n = dsn_sweep_points(is_nodes ? &r->of_nodes : r->settings, sweep, request, points, DSN_SWEEP_POINTS);

    for (unsigned round = 1; rc == DSN_MEASURED && round <= r->settings->samples; round++)
        rc = one_round(r, points, n, round);
    return rc;
}

/* Later sweeps use the best request size for reads. */
enum dsn_measured dsn_sweep_run(struct dsn_sweep_run *r)
{
    enum dsn_measured rc = DSN_MEASURED;

    r->begin = now();
    for (unsigned i = 0; i < DSN_NSWEEPS; i++)
        r->sweeps += (r->settings->wanted >> i) & 1;
    for (unsigned i = 0; rc == DSN_MEASURED && i < DSN_NSWEEPS; i++) {
        if (!(r->settings->wanted & 1u << i))
            continue;
        rc = one_sweep(r, i, r->settings->request ? r->settings->request : dsn_verdict_request(&r->samples, i));
        r->sweeps_done++;
    }
    dsn_nodes_stop(r->nodes);
    r->nodes = NULL;
    if (rc == DSN_MEASURED && r->settings->mpi)
        rc = mpi_modes(r, r->settings->request ? r->settings->request
                                               : dsn_verdict_request(&r->samples, DSN_SWEEP_MODE_READ));
    if (r->shows)
        fputs("\r\033[K", stderr);
    return rc;
}
