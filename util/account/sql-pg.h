/* sql-pg.h - translates SQL and text for PostgreSQL
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Our SQL is understood by both SQLite and PostgreSQL, except for a few words that are translated here:
 *   parameters                ?1, :name        -> $1, numbered as SQLite does
 *   types of columns          INTEGER          -> BIGINT: 64 bits
 *                             REAL             -> DOUBLE PRECISION
 *                             TEXT             -> TEXT COLLATE "C": ordered by bytes. For columns, not for CAST
 *   WITHOUT ROWID             of tables        -> nothing
 *   user                      a column's name  -> "user"
 *   numbers with a point      1.5              -> 1.5::float8: otherwise they are decimal
 * Quoted text and comments are not changed. Write portable SQL: CASE instead of sums of comparisons, every selected
 * column in GROUP BY, a name for each subquery, nullif() around each divisor that may be 0, integer divisions instead of
 * CAST(... AS INTEGER), dates by date() and datetime(x, 'unixepoch') only. */
#ifndef DSN_SQL_PG_H
#define DSN_SQL_PG_H

#include <stddef.h>

#define DSN_PG_PARAMETERS 400

/* Returns the translation, which the caller frees; NULL: no memory. `names` is set to the names of parameters with
 * their colons, which the caller frees, or NULL for numbered ones; *n to the number of parameters, at most
 * DSN_PG_PARAMETERS. */
char *dsn_pg_sql(const char *sql, char *names[DSN_PG_PARAMETERS], int *n);

/* File names are bytes, PostgreSQL's texts must be UTF-8. A byte that is not part of a valid character is encoded as
 * the character U+EF00 plus its value, and so are the bytes of U+EF80 to U+EFFF themselves, so that decoding is
 * unambiguous. Returns `text` if it is unchanged, else a copy that the caller frees; NULL: no memory. */
const char *dsn_pg_encode(const char *text);

/* Whether a text contains encoded bytes; decodes it in place. */
int dsn_pg_is_encoded(const char *text);
void dsn_pg_decode(char *text);

#endif
