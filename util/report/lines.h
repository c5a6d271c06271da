/* lines.h - lines for a screen, selected by space
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/report. Lines are grouped in blocks; a block is printed completely or not at all. */
#ifndef DSN_LINES_H
#define DSN_LINES_H

#include <stddef.h>

#define DSN_COLUMNS 80
#define DSN_ROWS    24
#define DSN_LABEL   14 /* columns of the labels at the left */

/* How a line's label, or all of a line without one, looks in colour. */
enum dsn_look { DSN_PLAIN, DSN_BOLD, DSN_FAINT, DSN_RED, DSN_YELLOW };

struct dsn_line {
    char text[4 * DSN_COLUMNS + 64]; /* with its colours */
};

struct dsn_lines {
    int colour;
    int block; /* number of the present one */
    int weight;
    size_t n;
    struct dsn_line line[400]; /* more are not kept */
    int of[400];               /* block of each line */
    int weights[400];          /* weight of each line's block: the lightest are left out first */
};

/* Starts a new block. */
void dsn_lines_block(struct dsn_lines *l, int weight);

/* Adds a line: label at the left (NULL: none), then text. What does not fit goes on in the lines below; only a word that is longer
 * than a line is cut. Names of files and command lines may hold blanks: they are to be shortened before. */
void dsn_lines_add(struct dsn_lines *l, enum dsn_look look, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Wraps text over as many lines as necessary, all indented. */
void dsn_lines_wrap(struct dsn_lines *l, int indent, const char *first, const char *text);

/* Drops the lightest blocks until the others fit into `rows` lines. */
void dsn_lines_fit(struct dsn_lines *l, size_t rows);

/* Whether there are lines of a block of that weight. */
int dsn_lines_has(const struct dsn_lines *l, int weight);

void dsn_lines_print(const struct dsn_lines *l);

#endif
