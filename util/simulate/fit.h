/* fit.h - fits the model of a file system to the operations of a run, and checks how well it predicts the run
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads and writes are fitted separately: t = (latency + bytes * byte) * (1 + crowd * (k - 1)), where k is the mean
 * number of operations of the run in service during this one. For each crowd the other two are a nonnegative
 * least-squares fit; the crowd with the least sum is used. Durations are those seen by the processes, including the
 * effect of any caches.
 *
 * A machine that mispredicts the run by more than 10 % is "uncalibrated". The time of reads, that of writes, and both
 * kinds of visible I/O are compared, and, because a fit reproduces its own sums, the time of every other read and write
 * with a fit to the rest; figures below a tenth of the run's I/O are not compared. Private to util/simulate. */
#ifndef DSN_SIMULATE_FIT_H
#define DSN_SIMULATE_FIT_H

#include "machine.h"

#define DSN_FIT_GOOD    .10 /* larger errors are uncalibrated */
#define DSN_FIT_FIGURES 6

/* Returns 0 if out of memory. If the run has only one kind of operations, its figures are used for both. */
struct dsn_held_out {
    double measured, predicted; /* of the half that took longer; 0: too few operations */
};
int dsn_fit_make(const struct dsn_load *load, struct dsn_file_system *out, struct dsn_held_out held_out[2]);

struct dsn_fit_check {
    struct dsn_figure {
        const char *name; /* "reads" */
        double measured, predicted;
        int counts; /* large enough to be compared */
    } figure[DSN_FIT_FIGURES];
    double error;               /* relative error of the worst figure */
    struct dsn_visible visible; /* predicted */
};

/* Simulates the run unchanged. `held_out`: of the fit; NULL: not fitted. Returns 0 if out of memory. */
int dsn_fit_check(const struct dsn_load *load, const struct dsn_shape *shape, const struct dsn_machine *m,
                  const struct dsn_held_out held_out[2], struct dsn_fit_check *out);

/* Visible I/O with this machine, both kinds. *outcome, if not NULL, is that of independent ranks, to be freed by the
 * caller. Returns 0 if out of memory. */
int dsn_fit_visible(const struct dsn_load *load, const struct dsn_shape *shape, const struct dsn_machine *m,
                    struct dsn_visible *out, struct dsn_outcome *outcome);

#endif
