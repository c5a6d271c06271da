/* summary.h - prints what darshan-parser has besides records: totals, kinds of files, performance
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * As text they are the same as the original's (spec parser-output.md 3 to 5). In JSON and CSV they are groups of
 * figures (emit.h) named after the options, with the names and numbers of the text:
 *     total  every counter by its name
 *     file   <kind of file>_<what>: total, read_only, write_only, read_write, unique, shared; count, bytes,
 *            max_byte_offset
 *     perf   total_bytes, slowest_rank_io_time, ..., agg_perf_by_slowest
 *     cn     slowest_rank_io_time, compute_nodes, compute_nodes_from, MiB/s, MiB/s/CN */
#ifndef DSN_SUMMARY_H
#define DSN_SUMMARY_H

#include "util/lib/accum.h"
#include "util/lib/emit.h"
#include "util/lib/figures.h"

/* Of one module. `a` was set up for what is requested. */
void dsn_print_total(struct dsn_emit *e, const struct dsn_accum *a, unsigned version);
void dsn_print_perf(struct dsn_emit *e, const struct dsn_accum *a, struct dsn_turn *turns,
                    size_t n); /* as dsn_accum_perf */
void dsn_print_files(struct dsn_emit *e, const struct dsn_accum *a);

/* Of the log; `e` has no module. */
void dsn_print_cn(struct dsn_emit *e, const struct dsn_figures *f);

#endif
