/* findings.h - problems of a job's I/O, their cost, and advice
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     struct dsn_findings *all = dsn_findings_make(&report);          NULL: no memory
 *     for (size_t i = 0; i < all->n; i++)
 *         ...                                                         all->list[i], the most expensive first
 *     free(all);
 *
 * A finding is a row of findings.def: condition, cost, advice. The cost is the number of seconds by which the slowest
 * rank would be faster without it: an estimate, never more than that rank spends on I/O. Findings overlap, so their
 * seconds must not be added up. If a row is a special case of another, only the special one is reported. */
#ifndef DSN_FINDINGS_H
#define DSN_FINDINGS_H

#include "finding.h"
#include "report.h"

/* What limits the job's I/O time. */
enum dsn_bound {
    DSN_BOUND_NONE,
    DSN_BOUND_IDLE,
    DSN_BOUND_WAITING,
    DSN_BOUND_LIBRARY,
    DSN_BOUND_IMBALANCE,
    DSN_BOUND_METADATA,
    DSN_BOUND_SMALL,
    DSN_BOUND_SYNC,
    DSN_BOUND_BANDWIDTH
};
const char *dsn_bound_name(enum dsn_bound b);

struct dsn_findings {
    enum dsn_bound bound;
    int healthy; /* nothing that matters, and the log is whole */
    size_t n;
    struct dsn_finding list[DSN_NFINDINGS];
};

struct dsn_findings *dsn_findings_make(const struct dsn_report *r);

#endif
