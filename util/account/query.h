/* query.h - questions that can be asked by name, and their answers as text
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_QUERY_H
#define DSN_QUERY_H

#include "accounting.h"
#include "db.h"
#include "util/lib/text.h"

/* A block of queries.sql. */
struct dsn_question {
    int of_study;
    char name[40], title[160];
    char topic[24],
        takes[160];  /* of the study: under which it stands on the page, and what it takes to have an answer */
    const char *sql; /* `length` bytes */
    size_t length;
};

/* The next question; *at is NULL for the first. Returns 0 if there are no more. */
int dsn_next_question(const char **at, struct dsn_question *q);

/* The statement of a question with its parameters, to be stepped through. NULL after an error (dsn_db_error()). */
struct dsn_stmt *dsn_ask(const struct dsn_accounting *a, const struct dsn_question *q);

/* A column's number in at most `digits` digits, "" for NULL; NULL if it is text. May be written to `to`. */
const char *dsn_column_number_text(const struct dsn_stmt *s, int at, char to[40], int digits);

/* A column's value as JSON has it. */
void dsn_print_json_value(struct dsn_text *out, const struct dsn_stmt *s, int at);

/* All rows that a statement gives, as RFC 4180 has it (lines end with LF), the names of the columns first. Unless `is_raw`,
 * text that a spreadsheet would take for a formula has an apostrophe in front. */
void dsn_print_csv(struct dsn_text *out, struct dsn_stmt *s, int is_raw);

#endif
