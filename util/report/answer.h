/* answer.h - the first line of every report
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_ANSWER_H
#define DSN_ANSWER_H

#include "findings.h"
#include "units.h"

#define DSN_ANSWER_MAX 320

/* One sentence of at most 80 columns: which share of the run time went into I/O, and into which kind. */
void dsn_answer(const struct dsn_report *r, char to[DSN_ANSWER_MAX]);

/* The slowest rank's share of a known run time: "92 %", or "84-92 %" if the log has only bounds of it. */
struct dsn_short_text dsn_slowest_text(const struct dsn_report *r);

/* Whether there was no significant I/O. */
int dsn_is_idle(const struct dsn_report *r);

/* How far the slowest rank's time can be trusted: whether its bounds are the same. */
enum dsn_confidence dsn_slowest_confidence(const struct dsn_report *r);

/* The most expensive finding that is worth reporting; NULL: none. */
const struct dsn_finding *dsn_worst(const struct dsn_findings *f);

#endif
