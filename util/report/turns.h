/* turns.h - processes that ran one after the other: their I/O times add up
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TURNS_H
#define DSN_TURNS_H

#include "report.h"

/* Of processes that started each other, as a script does: finds those that ran one after the other and that did most I/O, and
 * sets report.turns. After waits. What passed at storage, and the rate, are among the figures (util/lib/figures.h). */
void dsn__turns_make(struct dsn_report *r);

/* Seconds of I/O that are known to have passed: of the slowest rank, or of processes in turn. */
double dsn_io_passed(const struct dsn_report *r);

#endif
