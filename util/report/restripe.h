/* restripe.h - what other striping would save of a job that has no traces, at best, by its counters
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters do not say when ranks moved data, but how long each file took the rank that it took longest. If targets are
 * what limits, that changes as util/simulate/striping.h says; if not, nothing does. Of files in collective calls all ranks wait for
 * the one that moves the data: what these save is summed up. Of others what one rank saves is, of the rank that saves
 * most. */
#ifndef DSN_REPORT_RESTRIPE_H
#define DSN_REPORT_RESTRIPE_H

#include "report.h"
#include "util/simulate/whatif.h"

struct dsn_restripe {
    struct dsn_range was, will; /* visible I/O of the slowest rank */
    struct dsn_striping striping;
    double concerned; /* seconds of it in files that would be striped otherwise, at most */
    int64_t movers;   /* ranks that move data, if they are few, and fewer than targets; else 0 */
};

/* Returns 0 if there is no memory. No file is known to be on Lustre: striping.files is 0. */
int dsn_restripe_make(const struct dsn_report *r, const struct dsn_spec *s, struct dsn_restripe *out);
void dsn_restripe_sentence(const struct dsn_restripe *a, const struct dsn_report *r, const struct dsn_spec *s, char *to,
                           size_t n);

#endif
