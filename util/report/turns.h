/* turns.h - processes that ran one after the other: their I/O times add up
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TURNS_H
#define DSN_TURNS_H

#include "report.h"

/* Of processes that started each other, as a script does: finds those that ran one after the other and that did most I/O, marks
 * them, and sets report.turns. After waits. Returns DSN_ERR_OK or MEMORY. */
int dsn__turns_make(struct dsn_report *r);

/* Seconds of I/O that are known to have passed: of the slowest rank, or of processes in turn. */
double dsn_io_passed(const struct dsn_report *r);

/* The same at storage. */
double dsn_storage_passed(const struct dsn_report *r);

/* MiB/s at storage, by the seconds that passed; negative: unknown. */
double dsn_report_rate(const struct dsn_report *r);
double dsn_report_rate_per_node(const struct dsn_report *r);

#endif
