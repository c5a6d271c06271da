/* db.h - the database: statements, transactions, errors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first error stays: from then on nothing more is done, and dsn_db_error() tells what it was. So a row of calls may
 * be made without looking at each, if the error is looked at before their effect is relied on; dsn_db_commit() fails
 * after an error. One handle is for one thread at a time. */
#ifndef DSN_DB_H
#define DSN_DB_H

#include <stddef.h>
#include <stdint.h>

struct dsn_db;
struct dsn_stmt;

enum dsn_db_how { DSN_DB_READ, DSN_DB_WRITE, DSN_DB_CREATE };

/* Opens a database. READ and WRITE want one that is there, CREATE makes it if need be. NULL: no memory; else
 * dsn_db_error() tells whether it worked. */
struct dsn_db *dsn_db_open(const char *path, enum dsn_db_how how);

/* NULL is allowed. Statements end with it. */
void dsn_db_close(struct dsn_db *db);

/* The first error, or NULL. */
const char *dsn_db_error(const struct dsn_db *db);

/* Notes an error of the caller's, if it is the first. */
void dsn_db_fail(struct dsn_db *db, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs statements that return no rows. These, like all functions that are not said to return something else, return 1,
 * or 0 after an error. */
int dsn_db_run(struct dsn_db *db, const char *sql);

/* Transactions that write. */
int dsn_db_begin(struct dsn_db *db);
int dsn_db_commit(struct dsn_db *db);
void dsn_db_rollback(struct dsn_db *db); /* also after an error */

/* A statement with parameters ?1, ?2, ... or :name. NULL after an error, which is what the others then accept. */
struct dsn_stmt *dsn_db_prepare(struct dsn_db *db, const char *sql);
void dsn_stmt_free(struct dsn_stmt *s);

/* Parameters are counted from 1. Texts are copied, up to the next dsn_stmt_reset(). */
void dsn_bind_i64(struct dsn_stmt *s, int at, int64_t v);
void dsn_bind_f64(struct dsn_stmt *s, int at, double v);
void dsn_bind_text(struct dsn_stmt *s, int at, const char *v); /* NULL becomes NULL */
void dsn_bind_null(struct dsn_stmt *s, int at);

/* The name of parameter `at` with its colon, or NULL when there are no more (or it has none). */
const char *dsn_bind_name(const struct dsn_stmt *s, int at);

/* Runs an INSERT or the like and makes it ready for the next. */
int dsn_stmt_run(struct dsn_stmt *s);

/* The next row: 1; 0 at the end or after an error, and the statement is ready to be used again. */
int dsn_stmt_step(struct dsn_stmt *s);
void dsn_stmt_reset(struct dsn_stmt *s);

/* Columns of the present row, counted from 0. Texts live until the next step. */
enum dsn_column_type { DSN_IS_NULL, DSN_IS_INTEGER, DSN_IS_REAL, DSN_IS_TEXT };
int dsn_column_count(const struct dsn_stmt *s);
const char *dsn_column_name(const struct dsn_stmt *s, int at);
enum dsn_column_type dsn_column_type(const struct dsn_stmt *s, int at);
int64_t dsn_column_i64(const struct dsn_stmt *s, int at);
double dsn_column_f64(const struct dsn_stmt *s, int at);
const char *dsn_column_text(const struct dsn_stmt *s, int at); /* "" for NULL */

/* The first column of the first row; 0 if there is none. */
int64_t dsn_db_number(struct dsn_db *db, const char *sql);

/* Rows that the last statement inserted, changed or deleted; the number that the last inserted row got. */
int64_t dsn_db_changes(const struct dsn_db *db);
int64_t dsn_db_last_id(const struct dsn_db *db);

#endif
