/* sql-pg.h - SQL and texts as PostgreSQL wants them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Our SQL is what SQLite and PostgreSQL both understand, but for a few words, which are translated here:
 *   parameters                ?1, :name        -> $1, numbered as SQLite does
 *   types of columns          INTEGER          -> BIGINT: 64 bits
 *                             REAL             -> DOUBLE PRECISION
 *                             TEXT             -> TEXT COLLATE "C": ordered by bytes. For columns, not for CAST
 *   WITHOUT ROWID             of tables        -> nothing
 *   user                      a column's name  -> "user"
 *   numbers with a point      1.5              -> 1.5::float8: they would be decimal
 * What is in quotes or in a comment stays as it is. What to write so that one text will do: CASE instead of sums of
 * comparisons, every selected column in GROUP BY, a name for each subquery, nullif() around each divisor that may be 0,
 * divisions of whole numbers instead of CAST(... AS INTEGER), dates by date() and datetime(x, 'unixepoch') only. */
#ifndef DSN_SQL_PG_H
#define DSN_SQL_PG_H

#include <stddef.h>

#define DSN_PG_PARAMETERS 400

/* The translation, to be freed; NULL: no memory. `names` gets the names of parameters with their colons, each to be
 * freed, NULL for those that have numbers; *n how many parameters there are, at most DSN_PG_PARAMETERS. */
char *dsn_pg_sql(const char *sql, char *names[DSN_PG_PARAMETERS], int *n);

/* Names of files are bytes, texts of PostgreSQL must be UTF-8. A byte that belongs to no character of it goes in as the
 * character U+EF00 plus its value, and so do the bytes of U+EF80 to U+EFFF themselves: what comes out is what went in.
 * Returns `text` if there is nothing to do, else a copy to be freed; NULL: no memory. */
const char *dsn_pg_encode(const char *text);

/* Whether there is something to decode in a text; decodes it in place. */
int dsn_pg_is_encoded(const char *text);
void dsn_pg_decode(char *text);

#endif
