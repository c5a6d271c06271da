/* run.h - the rounds of a sweep: what is measured next, recorded, shown
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/sweep and its command. */
#ifndef DSN_SWEEP_RUN_H
#define DSN_SWEEP_RUN_H

#include "measure.h"
#include "record.h"

struct dsn_sweep_run {
    const struct dsn_sweep_settings *settings;
    struct dsn_meter *meter;
    struct dsn_sweep_record *record;
    struct dsn_samples samples; /* those of the record at first */
    int shows;                  /* progress on stderr */
    char error[DSN_SWEEP_ERROR];

    /* while it runs */
    double begin;
    size_t made, sweeps_done, sweeps;
};

/* Measures whatever is missing. STOPPED: a signal came. */
enum dsn_measured dsn_sweep_run(struct dsn_sweep_run *r);

/* The access modes of MPI: `samples` of each, made by a program that settings->mpi starts, in rounds. Hands over each; stops when
 * `take` returns 0. */
enum dsn_measured dsn_sweep_mpi(const struct dsn_sweep_settings *s, uint64_t request, unsigned samples,
                                int (*take)(void *context, const struct dsn_sample *one), void *context, char *error,
                                size_t room);

#endif
