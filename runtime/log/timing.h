/* timing.h - how long the library's own work took, for DARSHAN_INTERNAL_TIMING
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_TIMING_H
#define DSN_LOG_TIMING_H

#include <stdint.h>

#include "log/logname.h"
#include "log/region.h"
#include "reduce/plan.h"

/* Prints what all ranks' summaries and regions (the longest of each), the log's file and `shutdown` (ns, from when all
 * ranks
 * had come) say on stderr, in the form of spec runtime.md 4.6: what one tool has printed others look for. */
void dsn__timing_print(const struct dsn_rank_summary *summary, const struct dsn_regions *r,
                       const struct dsn_log_file *f, int64_t shutdown);

#endif
