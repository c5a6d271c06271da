/* ranks.h - totals of each rank, their spread, and when data moved
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/report. */
#ifndef DSN_RANKS_H
#define DSN_RANKS_H

#include "report.h"

/* Fills `out` from n sorted values. Values of 0 or less are counted, and left out. */
void dsn_spread_make(double *values, size_t n, struct dsn_spread *out);

/* Ranks whose records the log does not have: their totals are 0, and no figures. Sorted values begin with them. */
size_t dsn__absent_ranks(const struct dsn_report *r);

/* Fills the report's ranks, spreads, movers, wall and peak, when its layers and files are there. Totals of ranks are
 * those of the extension section, where the log has one. Else they are the sums of records of one rank, and of shared
 * records what is known: the slowest and the fastest rank's part; bytes are those of the heat maps, where these have
 * all. What is not known is not filled in. Returns DSN_ERR_OK or MEMORY. */
int dsn__report_ranks(struct dsn_report *r);

#endif
