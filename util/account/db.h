/* db.h - the database: statements, transactions, errors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A database is an SQLite file or on a PostgreSQL server, depending on its name; callers need not know which. SQL is
 * written once, in a form that both understand (see sql-pg.h for the few translated words).
 *
 * The first error is kept: afterwards all calls do nothing, and dsn_db_error() returns it. So callers may check once
 * after several calls, before relying on their effect. In a transaction an error may be reported later than by the call
 * that caused it; dsn_db_commit() fails after any error. A handle is not thread-safe. */
#ifndef DSN_DB_H
#define DSN_DB_H

#include <stddef.h>
#include <stdint.h>

#include "db-types.h"

/* Whether the name is that of a database on a server: postgresql://..., postgres://... or "host=... dbname=...". Other
 * names are files. */
int dsn_db_on_server(const char *name);

/* Opens a database. READ and WRITE require an existing one, CREATE creates the file if necessary. NULL: no memory;
 * other errors are in dsn_db_error(). */
struct dsn_db *dsn_db_open(const char *name, enum dsn_db_how how);

/* NULL is allowed. Frees its statements. */
void dsn_db_close(struct dsn_db *db);

/* Its name, without a password, for messages. */
const char *dsn_db_name(const struct dsn_db *db);

/* The first error, or NULL. */
const char *dsn_db_error(const struct dsn_db *db);

/* Records an error of the caller, unless there is one. */
void dsn_db_fail(struct dsn_db *db, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Executes statements without results. Like all functions not documented otherwise, returns 1, or 0 after an error. */
int dsn_db_run(struct dsn_db *db, const char *sql);

/* Starts a write transaction: one at a time, others wait up to a minute. */
int dsn_db_begin(struct dsn_db *db);
int dsn_db_commit(struct dsn_db *db);
void dsn_db_rollback(struct dsn_db *db); /* also after an error */

/* Starts a transaction in which all statements see the same state. End it with dsn_db_commit(). */
int dsn_db_begin_reading(struct dsn_db *db);

/* Prepares a statement with parameters ?1, ?2, ... or :name. NULL after an error, which the functions below accept. */
struct dsn_stmt *dsn_db_prepare(struct dsn_db *db, const char *sql);

/* A statement that inserts a row, or replaces the one with the same keys. Parameters are the keys, then the other
 * columns; both are lists "a, b, c". Without keys ("") it always inserts. `values`: expressions of the parameters, or
 * NULL for the parameters themselves. */
struct dsn_stmt *dsn_db_put(struct dsn_db *db, const char *table, const char *keys, const char *others,
                            const char *values);

/* A statement that inserts many rows in a transaction: they may be sent together, no later than the commit. A parameter
 * must be NULL or of its column's type. */
struct dsn_stmt *dsn_db_append(struct dsn_db *db, const char *table, const char *columns);
void dsn_stmt_free(struct dsn_stmt *s);

/* Parameters count from 1. Texts are copied. Values stay bound until they are bound again. */
void dsn_bind_i64(struct dsn_stmt *s, int at, int64_t v);
void dsn_bind_f64(struct dsn_stmt *s, int at, double v);       /* NaN becomes NULL */
void dsn_bind_text(struct dsn_stmt *s, int at, const char *v); /* NULL becomes NULL */
void dsn_bind_null(struct dsn_stmt *s, int at);

/* The name of parameter `at`, with its colon; NULL at the end (or if it has none). */
const char *dsn_bind_name(const struct dsn_stmt *s, int at);

/* Executes an INSERT etc. and resets it. */
int dsn_stmt_run(struct dsn_stmt *s);

/* The next row: 1; at the end or after an error: 0, and the statement is reset. */
int dsn_stmt_step(struct dsn_stmt *s);

/* Rows so far. */
int64_t dsn_stmt_rows(const struct dsn_stmt *s);
void dsn_stmt_reset(struct dsn_stmt *s);

/* Columns of the current row count from 0; their number and names are available before the first step. Texts are valid
 * until the next step. */
int dsn_column_count(const struct dsn_stmt *s);
const char *dsn_column_name(const struct dsn_stmt *s, int at);
enum dsn_column_type dsn_column_type(const struct dsn_stmt *s, int at);
int64_t dsn_column_i64(const struct dsn_stmt *s, int at);
double dsn_column_f64(const struct dsn_stmt *s, int at);
const char *dsn_column_text(const struct dsn_stmt *s, int at); /* "" for NULL */

/* The first column of the first row; 0 if there is none. */
int64_t dsn_db_number(struct dsn_db *db, const char *sql);

/* Contents of the database, as a statement to be stepped; NULL after an error. */
struct dsn_stmt *dsn_db_catalog(struct dsn_db *db, enum dsn_catalog what);

/* Stores the number of the last migration, in the current transaction. */
int dsn_db_set_migrated(struct dsn_db *db, int64_t number);

/* SQL to be executed before the views are created, defining functions that the database lacks; may be "". */
const char *dsn_db_functions(const struct dsn_db *db);

/* Computes once, for this connection only, what several queries of the study take of this time (seconds since 1970). Other queries
 * with other times are wrong on this connection from then on. */
int dsn_db_prepare_study(struct dsn_db *db, int64_t from, int64_t to);

#endif
