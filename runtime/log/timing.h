/* timing.h - durations of the library's own work, for DARSHAN_INTERNAL_TIMING
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_TIMING_H
#define DSN_LOG_TIMING_H

#include <stdint.h>

#include "log/log-file.h"
#include "log/region.h"
#include "reduce/plan.h"

/* Prints durations on stderr from all ranks' summaries and regions (the maximum of each), the log's file and `shutdown`
 * (ns since all ranks had arrived), in the format of spec runtime.md 4.6, which other tools parse. */
void dsn__timing_print(const struct dsn_rank_summary *summary, const struct dsn_regions *r,
                       const struct dsn_log_file *f, int64_t shutdown);

#endif
