/* db.c - the database as SQLite has it
 * SPDX-License-Identifier: BSD-3-Clause */
#include "db.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS 60000 /* for another process that writes */

struct dsn_db {
    sqlite3 *handle;
    struct dsn_stmt *first; /* of all statements that are not freed */
    int failed;
    char error[400];
};

struct dsn_stmt {
    struct dsn_db *db;
    sqlite3_stmt *handle;
    struct dsn_stmt *next, **link; /* link: what points to this one */
};

void dsn_db_fail(struct dsn_db *db, const char *format, ...)
{
    va_list args;

    if (db->failed)
        return;
    db->failed = 1;
    va_start(args, format);
    vsnprintf(db->error, sizeof db->error, format, args);
    va_end(args);
}

static int fail(struct dsn_db *db)
{
    dsn_db_fail(db, "%s", db->handle ? sqlite3_errmsg(db->handle) : "there is not enough memory");
    return 0;
}

const char *dsn_db_error(const struct dsn_db *db)
{
    return db->failed ? db->error : NULL;
}

/* The log of changes ahead (WAL) lets readers read while one writes. NORMAL: a power cut may take back the last
 * transactions, never half of one; what they held is ingested again, for its sources went with them. */
static void prepare(struct dsn_db *db, enum dsn_db_how how)
{
    sqlite3_busy_timeout(db->handle, WAIT_MS);
    if (how == DSN_DB_CREATE)
        dsn_db_run(db, "PRAGMA page_size = 8192");
    if (how != DSN_DB_READ)
        dsn_db_run(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8192;"
                       "PRAGMA cache_size = -65536");
}

struct dsn_db *dsn_db_open(const char *path, enum dsn_db_how how)
{
    static const int flags[] = { [DSN_DB_READ] = SQLITE_OPEN_READWRITE,
                                 [DSN_DB_WRITE] = SQLITE_OPEN_READWRITE,
                                 [DSN_DB_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE };
    struct dsn_db *db = calloc(1, sizeof *db);
    int rc;

    if (!db)
        return NULL;
    rc = sqlite3_open_v2(path, &db->handle, flags[how] | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_CANTOPEN && how == DSN_DB_READ) { /* where nothing may be written, reading alone may do */
        sqlite3_close(db->handle);
        rc = sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    }
    if (rc == SQLITE_OK)
        prepare(db, how);
    else
        fail(db);
    return db;
}

void dsn_db_close(struct dsn_db *db)
{
    struct dsn_stmt *s;

    if (!db)
        return;
    while ((s = db->first) != NULL) {
        db->first = s->next;
        sqlite3_finalize(s->handle);
        free(s);
    }
    sqlite3_close(db->handle);
    free(db);
}

int dsn_db_run(struct dsn_db *db, const char *sql)
{
    if (db->failed)
        return 0;
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK || fail(db);
}

int dsn_db_begin(struct dsn_db *db)
{
    return dsn_db_run(db, "BEGIN IMMEDIATE");
}

int dsn_db_commit(struct dsn_db *db)
{
    return dsn_db_run(db, "COMMIT");
}

void dsn_db_rollback(struct dsn_db *db)
{
    sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

/* ------------------------------------------------------------------ statements */

struct dsn_stmt *dsn_db_prepare(struct dsn_db *db, const char *sql)
{
    struct dsn_stmt *s;

    if (db->failed)
        return NULL;
    s = calloc(1, sizeof *s);
    if (!s) {
        dsn_db_fail(db, "there is not enough memory");
        return NULL;
    }
    s->db = db;
    if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->handle, NULL) != SQLITE_OK) {
        fail(db);
        free(s);
        return NULL;
    }
    s->next = db->first;
    s->link = &db->first;
    if (s->next)
        s->next->link = &s->next;
    db->first = s;
    return s;
}

void dsn_stmt_free(struct dsn_stmt *s)
{
    if (!s)
        return;
    sqlite3_finalize(s->handle);
    *s->link = s->next;
    if (s->next)
        s->next->link = s->link;
    free(s);
}

static void check(struct dsn_stmt *s, int rc)
{
    if (rc != SQLITE_OK)
        fail(s->db);
}

void dsn_bind_i64(struct dsn_stmt *s, int at, int64_t v)
{
    if (s)
        check(s, sqlite3_bind_int64(s->handle, at, v));
}

void dsn_bind_f64(struct dsn_stmt *s, int at, double v)
{
    if (s)
        check(s, sqlite3_bind_double(s->handle, at, v));
}

void dsn_bind_text(struct dsn_stmt *s, int at, const char *v)
{
    if (s)
        check(s, sqlite3_bind_text(s->handle, at, v, -1, SQLITE_TRANSIENT));
}

void dsn_bind_null(struct dsn_stmt *s, int at)
{
    if (s)
        check(s, sqlite3_bind_null(s->handle, at));
}

const char *dsn_bind_name(const struct dsn_stmt *s, int at)
{
    return s && at <= sqlite3_bind_parameter_count(s->handle) ? sqlite3_bind_parameter_name(s->handle, at) : NULL;
}

int dsn_stmt_step(struct dsn_stmt *s)
{
    int rc;

    if (!s || s->db->failed)
        return 0;
    rc = sqlite3_step(s->handle);
    if (rc == SQLITE_ROW)
        return 1;
    if (rc != SQLITE_DONE)
        fail(s->db);
    sqlite3_reset(s->handle);
    return 0;
}

int dsn_stmt_run(struct dsn_stmt *s)
{
    if (dsn_stmt_step(s))
        sqlite3_reset(s->handle);
    return s && !s->db->failed;
}

void dsn_stmt_reset(struct dsn_stmt *s)
{
    if (s)
        sqlite3_reset(s->handle);
}

int dsn_column_count(const struct dsn_stmt *s)
{
    return s ? sqlite3_column_count(s->handle) : 0;
}

const char *dsn_column_name(const struct dsn_stmt *s, int at)
{
    return sqlite3_column_name(s->handle, at);
}

enum dsn_column_type dsn_column_type(const struct dsn_stmt *s, int at)
{
    switch (sqlite3_column_type(s->handle, at)) {
    case SQLITE_NULL:
        return DSN_IS_NULL;
    case SQLITE_INTEGER:
        return DSN_IS_INTEGER;
    case SQLITE_FLOAT:
        return DSN_IS_REAL;
    default:
        return DSN_IS_TEXT;
    }
}

int64_t dsn_column_i64(const struct dsn_stmt *s, int at)
{
    return sqlite3_column_int64(s->handle, at);
}

double dsn_column_f64(const struct dsn_stmt *s, int at)
{
    return sqlite3_column_double(s->handle, at);
}

const char *dsn_column_text(const struct dsn_stmt *s, int at)
{
    const char *text = (const char *)sqlite3_column_text(s->handle, at);

    return text ? text : "";
}

int64_t dsn_db_number(struct dsn_db *db, const char *sql)
{
    struct dsn_stmt *s = dsn_db_prepare(db, sql);
    const int64_t v = dsn_stmt_step(s) ? dsn_column_i64(s, 0) : 0;

    dsn_stmt_free(s);
    return v;
}

int64_t dsn_db_changes(const struct dsn_db *db)
{
    return sqlite3_changes64(db->handle);
}

int64_t dsn_db_last_id(const struct dsn_db *db)
{
    return sqlite3_last_insert_rowid(db->handle);
}
