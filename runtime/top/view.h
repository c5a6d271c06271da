/* view.h - rows as lines of text: selection, order, columns
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TOP_VIEW_H
#define DSN_TOP_VIEW_H

#include <stdio.h>

#include "top/report.h"

#define DSN_TOP_LINE 1024

struct dsn_top_view {
    enum dsn_top_kind kind;
    int sort, is_reversed; /* column index, see dsn__top_sort */
    int hides_idle;
    char filter[64]; /* shows rows with this in user, program, state, file or mount; "": all */
    int width;
};

/* Lines of the header, of the column names, and of a row, without newline. */
void dsn__top_head(char out[DSN_TOP_LINE], int line, const struct dsn_top_report *r);
#define DSN_TOP_HEADS 2
/* Lines of advice if nothing is running; NULL: no more. */
#define DSN_TOP_HINTS 3
const char *dsn__top_hint(const struct dsn_top_report *r, int line);
void dsn__top_heading(char out[DSN_TOP_LINE], const struct dsn_top_view *v);
void dsn__top_line(char out[DSN_TOP_LINE], const struct dsn_top_view *v, const struct dsn_top_row *row);

/* Moves the selected rows to the front, in order. Returns their number. */
size_t dsn__top_order(const struct dsn_top_view *v, struct dsn_top_rows *rows);

/* The index of a column by its name for a kind of rows; -1: none. And its name. */
int dsn__top_sort(enum dsn_top_kind kind, const char *name);
const char *dsn__top_sort_name(enum dsn_top_kind kind, int sort);

/* Prints everything. */
int dsn__top_write_text(FILE *to, const struct dsn_top_view *v, struct dsn_top_report *r);

/* On a terminal, until the user quits; `interval`: seconds. `take` takes a sample; if it returns 0, this does, too. -1:
 * built without curses. */
int dsn__top_screen(struct dsn_top_view *v, double interval, int (*take)(struct dsn_top_report *r),
                    struct dsn_top_report *r);

#endif
