/* view.h - rows as lines of a screen: which, in which order, which columns
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TOP_VIEW_H
#define DSN_TOP_VIEW_H

#include <stdio.h>

#include "top/report.h"

#define DSN_TOP_LINE 1024

struct dsn_top_view {
    enum dsn_top_kind kind;
    int sort, is_reversed; /* number of the column, see dsn__top_sort */
    int hides_idle;
    char filter[64]; /* rows that have this in their user, program, state, file or mount; "": all */
    int width;
};

/* Lines of the head, of the columns' names, and of a row, without their ends. */
void dsn__top_head(char out[DSN_TOP_LINE], int line, const struct dsn_top_report *r);
#define DSN_TOP_HEADS 2
/* Lines of what to do where nothing runs; NULL: there are no more. */
#define DSN_TOP_HINTS 3
const char *dsn__top_hint(const struct dsn_top_report *r, int line);
void dsn__top_heading(char out[DSN_TOP_LINE], const struct dsn_top_view *v);
void dsn__top_line(char out[DSN_TOP_LINE], const struct dsn_top_view *v, const struct dsn_top_row *row);

/* The rows that the view shows come first, in its order. Returns how many. */
size_t dsn__top_order(const struct dsn_top_view *v, struct dsn_top_rows *rows);

/* The number of the column of this name for a kind of rows; -1: there is none. And its name. */
int dsn__top_sort(enum dsn_top_kind kind, const char *name);
const char *dsn__top_sort_name(enum dsn_top_kind kind, int sort);

/* All of it. */
int dsn__top_write_text(FILE *to, const struct dsn_top_view *v, struct dsn_top_report *r);

/* On a terminal, until the user ends it; `interval`: seconds. `take` looks again, 0: it cannot. 0 as well, and -1: this
 * was built without a library for screens. */
int dsn__top_screen(struct dsn_top_view *v, double interval, int (*take)(struct dsn_top_report *r),
                    struct dsn_top_report *r);

#endif
