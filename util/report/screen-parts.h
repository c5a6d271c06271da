/* screen-parts.h - parts of the terminal's report: how far to trust it, and the tables of --verbose
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/report. */
#ifndef DSN_SCREEN_PARTS_H
#define DSN_SCREEN_PARTS_H

#include "lines.h"
#include "report.h"

/* That the report is of some files only. */
void dsn__screen_selection(struct dsn_lines *l, const struct dsn_report *r);

/* What is missing, and what would have kept it from being missed. */
void dsn__screen_trust(struct dsn_lines *l, const struct dsn_report *r);

/* That files have no record of their own, or modules ran out of memory: after the answer. */
void dsn__screen_incomplete(struct dsn_lines *l, const struct dsn_report *r);

/* What figures rest on. */
void dsn__screen_notes(struct dsn_lines *l, const struct dsn_report *r);

/* The patterns of files that matter most, each a block: of weight `main` if its files are most of the I/O, else of weight
 * `others`; with `many` a longer list. Then how the data lies on Lustre's storage targets, as far as layouts are known. */
void dsn__screen_patterns(struct dsn_lines *l, const struct dsn_report *r, int main, int others, int many);

/* The lines of the program with most time in calls; `verbose`: more of them, and of each of them. */
struct dsn_sites;
void dsn__screen_sites(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_sites *s, int weight,
                       int verbose);

/* The line that a finding is about. */
struct dsn_finding;
void dsn__screen_blame(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_sites *s,
                       const struct dsn_finding *f);

/* What was called in the phases that the program has named; with `many` all of them. */
void dsn__screen_phases(struct dsn_lines *l, const struct dsn_report *r, int weight, int many);

/* Layers, ranks, sizes, access, sharing, mounts. */
void dsn__screen_tables(struct dsn_lines *l, const struct dsn_report *r);

#endif
