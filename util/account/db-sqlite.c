/* db-sqlite.c - the back end for SQLite
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "db-backend.h"
#include "db.h"
#include "sqlite-sum.h"

#define WAIT_MS 60000 /* for another process that writes */
#define STEP_MS 20

struct sqlite {
    struct dsn_db base;
    sqlite3 *handle;
    int writes;
    int is_frozen; /* it is read without locks, as the file that it was when it was opened: */
    struct stat was;
};

struct stmt {
    struct dsn_stmt base;
    sqlite3_stmt *handle;
};

static sqlite3 *handle_of(const struct dsn_db *db)
{
    return ((const struct sqlite *)db)->handle;
}

static sqlite3_stmt *stmt_of(const struct dsn_stmt *s)
{
    return ((const struct stmt *)s)->handle;
}

/* Advice for the user; "" if the message is sufficient. */
static const char *advice(int code)
{
    switch (code & 0xff) {
    case SQLITE_FULL:
        return "; make room there and run it again";
    case SQLITE_CANTOPEN:
        return "; is its directory there, and may you write to it?";
    case SQLITE_READONLY:
        return "; this requires write permission for the file and its directory";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return "; use another file, or restore it from a copy";
    case SQLITE_BUSY:
        return "; another program is using it: run this again when that has ended";
    default:
        return "";
    }
}

static int fail(struct dsn_db *db)
{
    sqlite3 *handle = handle_of(db);

    dsn_db_fail(db, "%s%s", handle ? sqlite3_errmsg(handle) : "out of memory",
                handle ? advice(sqlite3_errcode(handle)) : "");
    return 0;
}

/* Whoever writes leaves the file alone behind, without a WAL, which a user with read permission only could not open. A
 * program that still has the file open prevents that; the last one that writes does it then. */
static void leave_wal(sqlite3 *handle)
{
    sqlite3_busy_timeout(handle, 0);
    sqlite3_exec(handle, "ROLLBACK", NULL, NULL, NULL); /* of what an error interrupted */
    sqlite3_exec(handle, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
}

static void close_file(struct dsn_db *db)
{
    if (((const struct sqlite *)db)->writes)
        leave_wal(handle_of(db));
    sqlite3_close(handle_of(db));
    free(db);
}

/* ------------------------------------------------------------------ transactions */

static int run(struct dsn_db *db, const char *sql)
{
    return sqlite3_exec(handle_of(db), sql, NULL, NULL, NULL) == SQLITE_OK || fail(db);
}

static int begin_transaction(struct dsn_db *db)
{
    return run(db, "BEGIN IMMEDIATE");
}

static int begin_reading(struct dsn_db *db)
{
    return run(db, "BEGIN");
}

static int commit(struct dsn_db *db)
{
    return run(db, "COMMIT");
}

static void rollback(struct dsn_db *db)
{
    sqlite3_exec(handle_of(db), "ROLLBACK", NULL, NULL, NULL);
}

/* ------------------------------------------------------------------ statements */

static struct dsn_stmt *prepare(struct dsn_db *db, const char *sql)
{
    struct stmt *s = calloc(1, sizeof *s);

    if (!s) {
        dsn_db_no_memory(db);
        return NULL;
    }
    if (sqlite3_prepare_v3(handle_of(db), sql, -1, SQLITE_PREPARE_PERSISTENT, &s->handle, NULL) == SQLITE_OK)
        return &s->base;
    fail(db);
    free(s);
    return NULL;
}

static struct dsn_stmt *append(struct dsn_db *db, const char *table, const char *columns)
{
    struct dsn_stmt *s = NULL;
    char *sql = NULL;
    size_t size;
    FILE *to = open_memstream(&sql, &size);
    unsigned n = 1;

    if (to) {
        fprintf(to, "INSERT INTO %s (%s) VALUES (?1", table, columns);
        for (const char *at = columns; *at; at++)
            if (*at == ',')
                fprintf(to, ", ?%u", ++n);
        fputs(")", to);
    }
    if (to && fclose(to) == 0 && sql)
        s = prepare(db, sql);
    else
        dsn_db_no_memory(db);
    free(sql);
    return s;
}

static void free_stmt(struct dsn_stmt *s)
{
    sqlite3_finalize(stmt_of(s));
    free(s);
}

static void bind(struct dsn_stmt *s, int at, const struct dsn_value *v)
{
    sqlite3_stmt *handle = stmt_of(s);
    int rc;

    switch (v->type) {
    case DSN_IS_INTEGER:
        rc = sqlite3_bind_int64(handle, at, v->i);
        break;
    case DSN_IS_REAL:
        rc = sqlite3_bind_double(handle, at, v->f);
        break;
    case DSN_IS_TEXT:
        rc = sqlite3_bind_text(handle, at, v->text, -1, SQLITE_TRANSIENT);
        break;
    default:
        rc = sqlite3_bind_null(handle, at);
    }
    if (rc != SQLITE_OK)
        fail(s->db);
}

static const char *bind_name(const struct dsn_stmt *s, int at)
{
    return at <= sqlite3_bind_parameter_count(stmt_of(s)) ? sqlite3_bind_parameter_name(stmt_of(s), at) : NULL;
}

/* Whether the file was replaced or changed: results read during a write may be wrong. */
static int has_changed(const struct dsn_db *db)
{
    const struct sqlite *file = (const struct sqlite *)db;
    struct stat st;

    return file->is_frozen &&
           (stat(db->name, &st) != 0 || st.st_ino != file->was.st_ino || st.st_size != file->was.st_size ||
            st.st_mtim.tv_sec != file->was.st_mtim.tv_sec || st.st_mtim.tv_nsec != file->was.st_mtim.tv_nsec);
}

static int step(struct dsn_stmt *s)
{
    const int rc = sqlite3_step(stmt_of(s));

    if (rc != SQLITE_ROW && has_changed(s->db))
        dsn_db_fail(s->db, "was modified while it was read; run the query again");
    if (rc == SQLITE_ROW)
        return 1;
    if (rc != SQLITE_DONE)
        fail(s->db);
    sqlite3_reset(stmt_of(s));
    return 0;
}

static int stmt_run(struct dsn_stmt *s)
{
    if (step(s))
        sqlite3_reset(stmt_of(s));
    return !s->db->failed;
}

static void reset(struct dsn_stmt *s)
{
    sqlite3_reset(stmt_of(s));
}

/* ------------------------------------------------------------------ rows */

static int column_count(const struct dsn_stmt *s)
{
    return sqlite3_column_count(stmt_of(s));
}

static const char *column_name(const struct dsn_stmt *s, int at)
{
    return sqlite3_column_name(stmt_of(s), at);
}

static enum dsn_column_type column_type(const struct dsn_stmt *s, int at)
{
    switch (sqlite3_column_type(stmt_of(s), at)) {
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

static int64_t column_i64(const struct dsn_stmt *s, int at)
{
    return sqlite3_column_int64(stmt_of(s), at);
}

static double column_f64(const struct dsn_stmt *s, int at)
{
    return sqlite3_column_double(stmt_of(s), at);
}

static const char *column_text(const struct dsn_stmt *s, int at)
{
    return (const char *)sqlite3_column_text(stmt_of(s), at);
}

/* ------------------------------------------------------------------ the study */

/* The view's SELECT is executed as such: within a view of the database, names are those of the database. */
static int prepare_study(struct dsn_db *db, int64_t from, int64_t to)
{
    struct dsn_stmt *view = dsn_db_prepare(db, "SELECT substr(sql, instr(sql, ' AS') + 3) FROM sqlite_master "
                                               "WHERE type = 'view' AND name = ?1");

    dsn_db_run(db, "CREATE TEMP TABLE power_of_two AS SELECT * FROM main.power_of_two");
    dsn_db_run(db, "CREATE INDEX temp.power_of_two_p ON power_of_two (p)");
    for (size_t i = 0; i < DSN_NCOMPUTED && !db->failed; i++) {
        char *sql = NULL;

        dsn_bind_text(view, 1, dsn_computed_once[i].view);
        if (dsn_stmt_step(view) &&
            !(sql = dsn_db_compute_once(&dsn_computed_once[i], dsn_column_text(view, 0), from, to)))
            dsn_db_no_memory(db);
        dsn_stmt_reset(view);
        if (sql)
            dsn_db_run(db, sql);
        free(sql);
    }
    dsn_stmt_free(view);
    return !db->failed;
}

/* ------------------------------------------------------------------ opening */

static const struct dsn_backend backend = {
    .close = close_file,
    .run = run,
    .begin = begin_transaction,
    .begin_reading = begin_reading,
    .commit = commit,
    .rollback = rollback,
    .prepare = prepare,
    .append = append,
    .free = free_stmt,
    .bind = bind,
    .bind_name = bind_name,
    .stmt_run = stmt_run,
    .step = step,
    .reset = reset,
    .column_count = column_count,
    .column_name = column_name,
    .column_type = column_type,
    .column_i64 = column_i64,
    .column_f64 = column_f64,
    .column_text = column_text,
    .catalog = { [DSN_TABLES] = ("SELECT name, (SELECT group_concat(name, ', ') FROM (SELECT name FROM "
                                 "pragma_table_info(t.name) WHERE pk > 0 ORDER BY pk)) FROM sqlite_master AS t "
                                 "WHERE type = 'table' ORDER BY name"),
                 [DSN_VIEWS] = "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY rowid DESC",
                 [DSN_COLUMNS] = "SELECT lower(name), type FROM pragma_table_info(?1) ORDER BY cid",
                 [DSN_MIGRATED] = "PRAGMA user_version",
                 [DSN_OBJECTS] = "SELECT count(*) FROM sqlite_master",
                 [DSN_WHOLE] = "PRAGMA integrity_check(1)" },
    .set_migrated = { "PRAGMA user_version = ", "" },
    .functions = "",
    .prepare_study = prepare_study,
};

/* The log of changes ahead (WAL) lets readers read while one writes. It begins when nobody else has the file open: two that
 * begin at once would both be refused, so that each tries again. */
static void enter_wal(struct dsn_db *db)
{
    int rc = SQLITE_BUSY;

    sqlite3_busy_timeout(handle_of(db), 0);
    for (int waited = 0; rc == SQLITE_BUSY && waited < WAIT_MS; waited += STEP_MS) {
        rc = sqlite3_exec(handle_of(db), "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (rc == SQLITE_BUSY)
            nanosleep(&(struct timespec){ 0, STEP_MS * 1000000L }, NULL);
    }
    sqlite3_busy_timeout(handle_of(db), WAIT_MS);
    if (rc != SQLITE_OK)
        fail(db);
}

/* NORMAL: a power cut may take back the last transactions, never half of one; what they held is ingested again, for its
 * sources went with them. */
static void configure(struct dsn_db *db, enum dsn_db_how how)
{
    sqlite3_busy_timeout(handle_of(db), WAIT_MS);
    if (how == DSN_DB_CREATE || how == DSN_DB_PART)
        dsn_db_run(db, "PRAGMA page_size = 8192");
    if (how == DSN_DB_READ)
        return;
    enter_wal(db);
    dsn_db_run(db, "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8192; PRAGMA journal_size_limit = 0;"
                   "PRAGMA cache_size = -65536");
}

static int open_file(struct sqlite *db, const char *name, int flags)
{
    sqlite3_close(db->handle);
    db->handle = NULL;
    return sqlite3_open_v2(name, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL);
}

/* Whether a file exists beside the database, optionally a nonempty one. */
static int is_beside(const char *name, const char *suffix, int with_contents)
{
    char *beside = NULL;
    struct stat st = { 0 };
    const int is = asprintf(&beside, "%s%s", name, suffix) >= 0 && (stat(beside, &st) == 0 || errno != ENOENT) &&
                   (!with_contents || st.st_size > 0);

    free(beside);
    return is;
}

char *dsn_sqlite_frozen_name(const char *name)
{
    char *uri = NULL;
    size_t size;
    FILE *to = open_memstream(&uri, &size);

    if (!to)
        return NULL;
    fputs("file:", to);
    for (; *name != '\0'; name++)
        fprintf(to, strchr("%?#", *name) ? "%%%02x" : "%c", (unsigned char)*name);
    fputs("?immutable=1", to);
    return fclose(to) == 0 ? uri : NULL;
}

/* While nobody writes there is the file alone. A reader takes no lock then, which could keep others from writing, and makes
 * no file beside it: it reads as if nobody wrote (immutable), and checks after each result whether somebody did. */
static int open_to_read(struct sqlite *db, const char *name)
{
    char *uri;
    int rc;

    if (is_beside(name, "-journal", 1)) /* only one who may write can take back what a killed writer left half done */
        return open_file(db, name, SQLITE_OPEN_READWRITE);
    if (is_beside(name, "-shm", 0) || is_beside(name, "-wal", 1))
        return open_file(db, name, SQLITE_OPEN_READONLY);
    uri = stat(name, &db->was) == 0 ? dsn_sqlite_frozen_name(name) : NULL;
    rc = uri ? open_file(db, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
             : open_file(db, name, SQLITE_OPEN_READONLY); /* reports why it cannot be opened */
    db->is_frozen = uri != NULL;
    free(uri);
    return rc;
}

struct dsn_db *dsn_sqlite_open(const char *name, enum dsn_db_how how)
{
    struct sqlite *db = calloc(1, sizeof *db);
    int rc;

    if (!db)
        return NULL;
    db->base.backend = &backend;
    db->base.name = strdup(name);
    if (how == DSN_DB_READ)
        rc = open_to_read(db, name);
    else
        rc = open_file(db, name, SQLITE_OPEN_READWRITE | (how == DSN_DB_WRITE ? 0 : SQLITE_OPEN_CREATE));
    if (rc == SQLITE_OK)
        rc = dsn_sqlite_sum(db->handle);
    if (rc != SQLITE_OK) {
        fail(&db->base);
        return &db->base;
    }
    db->writes = how != DSN_DB_READ;
    configure(&db->base, how);
    return &db->base;
}
