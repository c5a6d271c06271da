/* run.h - the rounds of a sweep: what to measure next; recording and progress
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to measure/sweep and its command. */
#ifndef DSN_SWEEP_RUN_H
#define DSN_SWEEP_RUN_H

#include "measure.h"
#include "record.h"

struct dsn_sweep_run {
    const struct dsn_sweep_settings *settings;
    struct dsn_meter *meter;
    struct dsn_sweep_record *record;
    struct dsn_samples samples; /* initially those of the record */
    int shows;                  /* progress on stderr */
    char error[DSN_SWEEP_ERROR];

    /* during the run */
    struct dsn_sweep_settings of_nodes; /* the settings, with the processes that were started */
    struct dsn_nodes *nodes;            /* started by the first sweep that needs them */
    double begin;
    size_t made, sweeps_done, sweeps;
};

/* Measures all missing samples. STOPPED: by a signal. */
enum dsn_measured dsn_sweep_run(struct dsn_sweep_run *r);

/* Measures the MPI access modes: `samples` of each, in rounds, by a program that settings->mpi starts. Calls `take` for
 * each; stops when it returns 0. */
enum dsn_measured dsn_sweep_mpi(const struct dsn_sweep_settings *s, uint64_t request, unsigned samples,
                                int (*take)(void *context, const struct dsn_sample *one), void *context, char *error,
                                size_t room);

/* The same program with processes on all nodes. dsn_nodes_start() sets s->processes and s->hosts, and adds the nodes to the
 * samples, or compares them with those of a record; *out is NULL, or to be stopped. */
struct dsn_nodes;
enum dsn_measured dsn_nodes_start(struct dsn_sweep_settings *s, struct dsn_samples *samples, struct dsn_nodes **out,
                                  char *error, size_t room);
/* Measures one sample; calls `take` for the share of each node, then for all of it. */
enum dsn_measured dsn_nodes_measure(struct dsn_nodes *n, const struct dsn_point *p, double seconds, size_t nhosts,
                                    int (*take)(void *context, const struct dsn_sample *one), void *context,
                                    char *error, size_t room);
void dsn_nodes_stop(struct dsn_nodes *n);

#endif
