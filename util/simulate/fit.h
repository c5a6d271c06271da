/* fit.h - the file system that a run had, as its own operations tell, and how well a machine predicts the run as it was
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads and writes apart: t = (latency + bytes * byte) * (1 + crowd * (k - 1)), where k is how many operations of the run were
 * in service on average while this one was. For each crowd the other two are those of least squares, none below 0; the
 * crowd with the least sum is taken. What the operations cost is what their process saw: whatever caches the machine had
 * are in it.
 *
 * A machine that predicts the run as it was more than 10 % wrong does not know it: "uncalibrated". Compared are the time
 * of reads, that of writes, and both kinds of visible I/O, and, since a fit has the sums that it was made of, the time
 * of every other read and write with a fit to the rest; what is less than a tenth of the run's I/O is not. Private to
 * util/simulate. */
#ifndef DSN_SIMULATE_FIT_H
#define DSN_SIMULATE_FIT_H

#include "machine.h"

#define DSN_FIT_GOOD    .10 /* more than this off is uncalibrated */
#define DSN_FIT_FIGURES 6

/* Returns 0 if there is no memory. Of a kind that the run has no operations of all figures are those of the other. */
struct dsn_held_out {
    double measured, predicted; /* of the half that took longer; 0: too few operations to tell */
};
int dsn_fit_make(const struct dsn_load *load, struct dsn_file_system *out, struct dsn_held_out held_out[2]);

struct dsn_fit_check {
    struct dsn_figure {
        const char *name; /* "reads" */
        double measured, predicted;
        int counts; /* large enough to be compared */
    } figure[DSN_FIT_FIGURES];
    double error;               /* of the figure that is farthest off, as a share of what was measured */
    struct dsn_visible visible; /* as predicted */
};

/* Runs the machine on the run as it was. `held_out`: of the fit; NULL: it was none. Returns 0 if there is no memory. */
int dsn_fit_check(const struct dsn_load *load, const struct dsn_shape *shape, const struct dsn_machine *m,
                  const struct dsn_held_out held_out[2], struct dsn_fit_check *out);

/* Visible I/O with that machine, both kinds. *outcome, if not NULL, is that of independent ranks, to be freed. Returns 0
 * if there is no memory. */
int dsn_fit_visible(const struct dsn_load *load, const struct dsn_shape *shape, const struct dsn_machine *m,
                    struct dsn_visible *out, struct dsn_outcome *outcome);

#endif
