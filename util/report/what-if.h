/* what-if.h - what a burst buffer, more page cache or read-ahead would save of a job, for its page
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of a log whose traces are whole, and not so long that simulating them would take longer than all the rest. */
#ifndef DSN_REPORT_WHAT_IF_H
#define DSN_REPORT_WHAT_IF_H

#include "util/lib/text.h"
#include "util/simulate/whatif.h"

#define DSN_WHAT_IF_OPERATIONS 200000

struct dsn_what_if {
    const char *reason; /* why there is no answer; NULL: there is one */
    char sentence[1200], matters[1200];
    struct dsn_range was, will;
    struct dsn_whatif_scan scan;
    double error; /* deviation of the model for the unchanged run */
};

/* `file`: the log; `operations`, `left_out`: of its traces. */
void dsn_what_if_make(const char *file, int64_t operations, int64_t left_out, struct dsn_what_if *out);

/* As JSON: {"reason"}, or {"asked", "sentence", "matters", "calibrated", "error", "was", "will", "rows"}. */
void dsn_what_if_write(struct dsn_text *out, const struct dsn_what_if *w);

#endif
