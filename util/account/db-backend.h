/* db-backend.h - interface of the database back ends of db.h
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * db.c does not call a back end after an error, except to free things. A back end's structs begin with those declared
 * here; it reports errors by dsn_db_fail(). */
#ifndef DSN_DB_BACKEND_H
#define DSN_DB_BACKEND_H

#include <stdint.h>

#include "db-types.h"

struct dsn_value {
    enum dsn_column_type type;
    int64_t i;
    double f;
    const char *text;
};

struct dsn_backend {
    void (*close)(struct dsn_db *db); /* frees it, after its statements were freed */
    int (*run)(struct dsn_db *db, const char *sql);
    int (*begin)(struct dsn_db *db);
    int (*begin_reading)(struct dsn_db *db);
    int (*commit)(struct dsn_db *db);
    void (*rollback)(struct dsn_db *db);
    struct dsn_stmt *(*prepare)(struct dsn_db *db, const char *sql);
    struct dsn_stmt *(*append)(struct dsn_db *db, const char *table, const char *columns);
    void (*free)(struct dsn_stmt *s);
    void (*bind)(struct dsn_stmt *s, int at, const struct dsn_value *v);
    const char *(*bind_name)(const struct dsn_stmt *s, int at);
    int (*stmt_run)(struct dsn_stmt *s);
    int (*step)(struct dsn_stmt *s);
    void (*reset)(struct dsn_stmt *s);
    int (*column_count)(const struct dsn_stmt *s);
    const char *(*column_name)(const struct dsn_stmt *s, int at);
    enum dsn_column_type (*column_type)(const struct dsn_stmt *s, int at);
    int64_t (*column_i64)(const struct dsn_stmt *s, int at);
    double (*column_f64)(const struct dsn_stmt *s, int at);
    const char *(*column_text)(const struct dsn_stmt *s, int at); /* NULL for NULL */
    const char *catalog[DSN_NCATALOG];
    const char *set_migrated[2]; /* text before and after the number */
    const char *functions;
    int (*prepare_study)(struct dsn_db *db, int64_t from, int64_t to); /* see dsn_db_prepare_study() */
};

struct dsn_db {
    const struct dsn_backend *backend;
    struct dsn_stmt *first; /* list of all statements */
    char *name;             /* that may be printed */
    int failed;
    char error[400];
};

struct dsn_stmt {
    struct dsn_db *db;
    struct dsn_stmt *next, **link; /* link: the pointer to this one */
    int64_t rows;                  /* that dsn_stmt_step() has returned */
};

/* Return NULL if out of memory; other errors are in dsn_db_error(). */
struct dsn_db *dsn_sqlite_open(const char *name, enum dsn_db_how how);
struct dsn_db *dsn_pg_open(const char *name, enum dsn_db_how how);

/* SQLite's URI for a file that nobody writes: opened without locks and without creating files beside it. The caller
 * frees it; NULL: no memory. */
char *dsn_sqlite_frozen_name(const char *file);

/* Views that many queries of the study begin with. Each is computed once, as a temporary table of the same name, which comes
 * before that of the database, and from those before it. `of`: what of it is in a time from ?1 to ?2. */
struct dsn_computed_once {
    const char *view, *of;
};
enum { DSN_NCOMPUTED = 5 };
extern const struct dsn_computed_once dsn_computed_once[DSN_NCOMPUTED];

/* The statement that makes such a table of the view's definition. The caller frees it; NULL: no memory. */
char *dsn_db_compute_once(const struct dsn_computed_once *view, const char *definition, int64_t from, int64_t to);

/* For back ends: records "out of memory" as the error. Returns 0. */
int dsn_db_no_memory(struct dsn_db *db);

#endif
