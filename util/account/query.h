/* query.h - named queries, and their answers as text
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_QUERY_H
#define DSN_QUERY_H

#include "accounting.h"
#include "db.h"
#include "question.h"
#include "util/lib/text.h"

/* The next query; *at is NULL for the first. Returns 0 at the end. */
int dsn_next_question(const char **at, struct dsn_question *q);

/* Prepares a query with its parameters. NULL after an error (dsn_db_error()). */
struct dsn_stmt *dsn_ask(const struct dsn_accounting *a, const struct dsn_question *q);

/* A number as text with at most `digits` digits, "" for NULL; NULL if the column is text. May be written to `to`. */
const char *dsn_column_number_text(const struct dsn_stmt *s, int at, char to[40], int digits);

/* Prints a column's value as JSON. */
void dsn_print_json_value(struct dsn_text *out, const struct dsn_stmt *s, int at);

/* How text is written as CSV (RFC 4180, with LF). */
enum dsn_csv_text {
    DSN_CSV_SAFE, /* an apostrophe precedes text that a spreadsheet would take for a formula */
    DSN_CSV_RAW,  /* unchanged */
    DSN_CSV_UTF8  /* unchanged, but bytes that are not UTF-8 are escaped as for PostgreSQL (sql-pg.h) */
};

/* Prints the column names of a statement; its present row; the column names and all rows. */
void dsn_print_csv_names(struct dsn_text *out, const struct dsn_stmt *s);
void dsn_print_csv_row(struct dsn_text *out, const struct dsn_stmt *s, enum dsn_csv_text how);
void dsn_print_csv(struct dsn_text *out, struct dsn_stmt *s, enum dsn_csv_text how);

#endif
