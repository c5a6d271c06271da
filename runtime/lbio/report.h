/* report.h - statistics of processes and the byte ranges they wrote, in a shared text file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Consecutive lines for each process:
 *
 *     process HOST PID RANK NAME=VALUE...      counters, by the names of lbio__report_columns
 *     spell BEGIN END PATH                     ns since 1970: from the first logged write of a file until nothing was
 *                                              pending; PATH extends to the end of the line
 *     bytes OFFSET LENGTH                      a range written during the spell above
 *     cut                                      the report's maximum size was reached
 *
 * If spells of two processes overlap in time and in bytes of a file, the order of their writes is undefined. */
#ifndef LBIO_REPORT_H
#define LBIO_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/figures.h"
#include "lbio/counts.h"
#include "lbio/tree.h"

#define LBIO_REPORT_MAX (INT64_C(16) << 20) /* limit of what a process adds */

struct lbio_report {
    char *text;
    size_t size, room;
    int is_partial;
};

struct lbio_column {
    const char *name, *unit; /* unit: "B", "s", or ""; NULL: only used for others */
    const char *figure;      /* its name in a log of Darshan, or NULL */
    size_t at;               /* in struct lbio_counts */
    enum { LBIO_SUM, LBIO_LEVEL, LBIO_SECONDS, LBIO_LONGEST } kind; /* the last two: a double, otherwise 64 bits */
};

/* Columns of all statistics; *n: their number. */
const struct lbio_column *lbio__report_columns(size_t *n);

/* What was counted between two moments; levels are those of `now`. */
void lbio__counts_since(const struct lbio_counts *now, const struct lbio_counts *before, struct lbio_counts *out);

/* Gives all of them to another library. */
void lbio__counts_give(const struct lbio_counts *counts, dsn_figure *take, void *context);

/* Ignores paths that do not fit into a line. */
void lbio__report_spell(struct lbio_report *r, const char *path, const struct lbio_tree *t, int64_t begun,
                        int64_t ended);

/* Appends the process and its spells to the file, and clears them. 0, or -1 and errno. */
int lbio__report_write(struct lbio_report *r, const char *path, int rank, const struct lbio_counts *counts);

#endif
