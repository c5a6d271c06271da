/* brief.h - a summary of a log for comparison with others
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A brief takes some 700 bytes; logs are read one after the other. */
#ifndef DSN_BRIEF_H
#define DSN_BRIEF_H

#include "findings.h"
#include "program.h"
#include "units.h"

/* Figures that are compared between logs; negative: unknown. */
enum dsn_brief_figure {
#define FIGURE(symbol, key, label, text) DSN_BRIEF_##symbol,
#include "figures.def"
#undef FIGURE
    DSN_NBRIEF
};

struct dsn_brief {
    char *file;                     /* as it was given or found */
    char *page;                     /* file of its page, beside that of all of them; NULL: it has none */
    char program[DSN_PROGRAM_NAME]; /* "": not known */
    int64_t jobid, uid, start;      /* start: seconds since 1970 */
    double figure[DSN_NBRIEF];
    enum dsn_bound bound;
    int healthy;
    struct dsn_brief_finding {
        int there;
        enum dsn_severity severity;
        double seconds; /* possible savings, or an upper bound */
        int at_most;
    } finding[DSN_NFINDINGS];
    int worst; /* enum dsn_finding_id; -1: no significant one */
};

struct dsn_briefs {
    struct dsn_brief *list;
    size_t n, room;
    int64_t unreadable; /* logs that could not be read */
    size_t left_out;    /* logs of other programs */
};

void dsn_briefs_free(struct dsn_briefs *all);

/* Adds the brief of a report. Returns DSN_ERR_OK or MEMORY. */
int dsn_briefs_add(struct dsn_briefs *all, const struct dsn_report *r, const struct dsn_findings *f, const char *file);

/* Sorts by possible savings, largest first. */
void dsn_briefs_rank(struct dsn_briefs *all);

/* Sorts by start time. */
void dsn_briefs_by_start(struct dsn_briefs *all);

/* Keeps the runs of the last log's program; the others are counted in left_out. */
void dsn_briefs_of_last_program(struct dsn_briefs *all);

/* Names and formats of the figures. */
struct dsn_brief_row {
    const char *key, *label;
    struct dsn_short_text (*text)(double v);
};
extern const struct dsn_brief_row dsn_brief_rows[DSN_NBRIEF];

/* A figure as text, "-" if it is not known. */
struct dsn_short_text dsn_brief_text(const struct dsn_brief *b, int figure);

#endif
