/* report.h - what processes have done, and which bytes they wrote: a text that they share
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines of words, each process's behind each other:
 *
 *     process HOST PID RANK NAME=VALUE...      counters, by the names of lbio__report_columns
 *     spell BEGIN END PATH                     ns since 1970: from the first write of a file that was logged until nothing of
 *                                              it was pending; PATH goes to the end of the line
 *     bytes OFFSET LENGTH                      of the spell above: written, and pending for some of that time
 *     cut                                      there was more than a report may hold
 *
 * Two processes that have the same bytes of a file in spells that overlap in time have written them in an order that
 * nobody keeps. */
#ifndef LBIO_REPORT_H
#define LBIO_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "lbio/counts.h"
#include "lbio/tree.h"

#define LBIO_REPORT_MAX (INT64_C(16) << 20) /* bytes that a process adds at most */

struct lbio_report {
    char *text;
    size_t size, room;
    int is_partial;
};

struct lbio_column {
    const char *name, *unit; /* unit: "B", "s", or "" */
    size_t at;               /* in struct lbio_counts */
    int is_seconds;          /* a double, else 64 bits */
};

/* All that a process counts. *n: how many there are. */
const struct lbio_column *lbio__report_columns(size_t *n);

/* Nothing is said of a path that a line cannot hold. */
void lbio__report_spell(struct lbio_report *r, const char *path, const struct lbio_tree *t, int64_t begun,
                        int64_t ended);

/* Adds the process and its spells to the file, and forgets them. 0, or -1 and errno. */
int lbio__report_write(struct lbio_report *r, const char *path, int rank, const struct lbio_counts *counts);

#endif
