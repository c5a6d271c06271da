/* db.h - the database: statements, transactions, errors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It is a file of SQLite or on a server of PostgreSQL, as the name says with which it is opened; who uses it need not
 * know which. SQL is written once, so that both understand it (see sql-pg.h for the few words that are translated).
 *
 * The first error stays: from then on nothing more is done, and dsn_db_error() tells what it was. So a row of calls may
 * be made without looking at each, if the error is looked at before their effect is relied on. Inside of a transaction
 * an error may show itself later than at the call that is wrong; dsn_db_commit() fails after any. One handle is for one
 * thread at a time. */
#ifndef DSN_DB_H
#define DSN_DB_H

#include <stddef.h>
#include <stdint.h>

#include "db-types.h"

/* Whether the name is that of a database on a server: postgresql://..., postgres://... or "host=... dbname=...". All
 * others are names of files. */
int dsn_db_on_server(const char *name);

/* Opens a database. READ and WRITE want one that is there, CREATE makes the file if need be. NULL: no memory; else
 * dsn_db_error() tells whether it worked. */
struct dsn_db *dsn_db_open(const char *name, enum dsn_db_how how);

/* NULL is allowed. Statements end with it. */
void dsn_db_close(struct dsn_db *db);

/* What may be shown of the name with which it was opened: no password is in it. */
const char *dsn_db_name(const struct dsn_db *db);

/* The first error, or NULL. */
const char *dsn_db_error(const struct dsn_db *db);

/* Notes an error of the caller's, if it is the first. */
void dsn_db_fail(struct dsn_db *db, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs statements that return no rows. These, like all functions that are not said to return something else, return 1,
 * or 0 after an error. */
int dsn_db_run(struct dsn_db *db, const char *sql);

/* Transactions that write: one at a time, others wait a minute for it. */
int dsn_db_begin(struct dsn_db *db);
int dsn_db_commit(struct dsn_db *db);
void dsn_db_rollback(struct dsn_db *db); /* also after an error */

/* A transaction in which all statements see the database as it is at one time. Ends with dsn_db_commit(). */
int dsn_db_begin_reading(struct dsn_db *db);

/* A statement with parameters ?1, ?2, ... or :name. NULL after an error, which is what the others then accept. */
struct dsn_stmt *dsn_db_prepare(struct dsn_db *db, const char *sql);

/* A statement that puts a row where none with the same keys is, or replaces that one. Parameters are the keys,
 * then the other columns; both are given as "a, b, c". Without keys ("") it always adds one. `values`: what parameters
 * become, or NULL for themselves. */
struct dsn_stmt *dsn_db_put(struct dsn_db *db, const char *table, const char *keys, const char *others,
                            const char *values);

/* A statement that adds a row, for many rows in a transaction: they may go to the database together, at the commit at
 * the latest. A parameter must be NULL or of its column's type. */
struct dsn_stmt *dsn_db_append(struct dsn_db *db, const char *table, const char *columns);
void dsn_stmt_free(struct dsn_stmt *s);

/* Parameters are counted from 1. Texts are copied, up to the next dsn_stmt_reset(). They keep their values until they
 * are bound anew. */
void dsn_bind_i64(struct dsn_stmt *s, int at, int64_t v);
void dsn_bind_f64(struct dsn_stmt *s, int at, double v);       /* not a number becomes NULL */
void dsn_bind_text(struct dsn_stmt *s, int at, const char *v); /* NULL becomes NULL */
void dsn_bind_null(struct dsn_stmt *s, int at);

/* The name of parameter `at` with its colon, or NULL when there are no more (or it has none). */
const char *dsn_bind_name(const struct dsn_stmt *s, int at);

/* Runs an INSERT or the like and makes it ready for the next. */
int dsn_stmt_run(struct dsn_stmt *s);

/* The next row: 1; 0 at the end or after an error, and the statement is ready to be used again. */
int dsn_stmt_step(struct dsn_stmt *s);
void dsn_stmt_reset(struct dsn_stmt *s);

/* Columns of the present row, counted from 0; their number and names are known before the first step, too. Texts live
 * until the next step. */
int dsn_column_count(const struct dsn_stmt *s);
const char *dsn_column_name(const struct dsn_stmt *s, int at);
enum dsn_column_type dsn_column_type(const struct dsn_stmt *s, int at);
int64_t dsn_column_i64(const struct dsn_stmt *s, int at);
double dsn_column_f64(const struct dsn_stmt *s, int at);
const char *dsn_column_text(const struct dsn_stmt *s, int at); /* "" for NULL */

/* The first column of the first row; 0 if there is none. */
int64_t dsn_db_number(struct dsn_db *db, const char *sql);

/* What is in the database, in statements to be stepped through; NULL after an error. */
struct dsn_stmt *dsn_db_catalog(struct dsn_db *db, enum dsn_catalog what);

/* Notes the number of the last migration, in the present transaction. */
int dsn_db_set_migrated(struct dsn_db *db, int64_t number);

/* What has to be run before the views are made, for functions that queries use and the database has not: maybe "". */
const char *dsn_db_functions(const struct dsn_db *db);

#endif
