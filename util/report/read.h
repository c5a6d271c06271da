/* read.h - a log becomes a report
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_READ_H
#define DSN_READ_H

#include "report.h"

/* Reads the log and makes the report. `nodes`: number of compute nodes if the caller knows it, else 0. Returns
 * DSN_ERR_OK (also for a damaged log: see f.damage) or DSN_ERR_MEMORY; to be given to dsn_report_free() in any case. */
int dsn_report_read(struct dsn_report *r, struct darshan_reader *log, int64_t nodes);
void dsn_report_free(struct dsn_report *r);

#endif
