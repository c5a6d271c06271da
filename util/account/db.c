/* db.c - the database, for both back ends
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db-backend.h"
#include "db.h"

int dsn_db_on_server(const char *name)
{
    static const char *const beginnings[] = { "postgresql://", "postgres://", "host=", "hostaddr=",
                                              "port=",         "dbname=",     "user=", "service=" };

    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return 1;
    return 0;
}

#ifndef HAVE_LIBPQ
struct dsn_db *dsn_pg_open(const char *name, enum dsn_db_how how)
{
    struct dsn_db *db = calloc(1, sizeof *db);

    (void)name, (void)how;
    if (db)
        dsn_db_fail(
            db, "this darshan-accounting was built without libpq; rebuild it with libpq 14 or newer, or use a file");
    return db;
}
#endif

struct dsn_db *dsn_db_open(const char *name, enum dsn_db_how how)
{
    return dsn_db_on_server(name) ? dsn_pg_open(name, how) : dsn_sqlite_open(name, how);
}

void dsn_db_close(struct dsn_db *db)
{
    if (!db)
        return;
    while (db->first)
        dsn_stmt_free(db->first);
    free(db->name);
    db->name = NULL;
    if (db->backend)
        db->backend->close(db);
    else
        free(db);
}

const char *dsn_db_name(const struct dsn_db *db)
{
    return db && db->name ? db->name : "PostgreSQL";
}

/* ------------------------------------------------------------------ errors */

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

int dsn_db_no_memory(struct dsn_db *db)
{
    dsn_db_fail(db, "out of memory");
    return 0;
}

const char *dsn_db_error(const struct dsn_db *db)
{
    return db->failed ? db->error : NULL;
}

/* ------------------------------------------------------------------ transactions */

int dsn_db_run(struct dsn_db *db, const char *sql)
{
    return !db->failed && db->backend->run(db, sql);
}

int dsn_db_begin(struct dsn_db *db)
{
    return !db->failed && db->backend->begin(db);
}

int dsn_db_begin_reading(struct dsn_db *db)
{
    return !db->failed && db->backend->begin_reading(db);
}

int dsn_db_commit(struct dsn_db *db)
{
    return !db->failed && db->backend->commit(db);
}

void dsn_db_rollback(struct dsn_db *db)
{
    if (db->backend)
        db->backend->rollback(db);
}

/* ------------------------------------------------------------------ statements */

static struct dsn_stmt *listed(struct dsn_db *db, struct dsn_stmt *s)
{
    if (!s)
        return NULL;
    s->db = db;
    s->next = db->first;
    s->link = &db->first;
    if (s->next)
        s->next->link = &s->next;
    db->first = s;
    return s;
}

struct dsn_stmt *dsn_db_prepare(struct dsn_db *db, const char *sql)
{
    return db->failed ? NULL : listed(db, db->backend->prepare(db, sql));
}

struct dsn_stmt *dsn_db_append(struct dsn_db *db, const char *table, const char *columns)
{
    return db->failed ? NULL : listed(db, db->backend->append(db, table, columns));
}

/* Prints "a = excluded.a, b = excluded.b" for "a, b". */
static void print_replacements(FILE *to, const char *columns)
{
    const char *before = "";

    while (*columns) {
        const int n = (int)strcspn(columns, ",");

        fprintf(to, "%s%.*s = excluded.%.*s", before, n, columns, n, columns);
        before = ", ";
        columns += n;
        columns += strspn(columns, ", ");
    }
}

static unsigned count_columns(const char *columns)
{
    unsigned n = columns[0] != '\0';

    for (; *columns; columns++)
        n += *columns == ',';
    return n;
}

static void print_parameters(FILE *to, const char *keys, const char *others)
{
    const unsigned n = count_columns(keys) + count_columns(others);

    for (unsigned i = 1; i <= n; i++)
        fprintf(to, "%s?%u", i > 1 ? ", " : "", i);
}

struct dsn_stmt *dsn_db_put(struct dsn_db *db, const char *table, const char *keys, const char *others,
                            const char *values)
{
    struct dsn_stmt *s = NULL;
    char *sql = NULL;
    size_t size;
    FILE *to = open_memstream(&sql, &size);

    if (to) {
        fprintf(to, "INSERT INTO %s (%s%s%s) VALUES (", table, keys, keys[0] ? ", " : "", others);
        if (values)
            fputs(values, to);
        else
            print_parameters(to, keys, others);
        fputs(")", to);
        if (keys[0])
            fprintf(to, " ON CONFLICT (%s) DO UPDATE SET ", keys);
        if (keys[0])
            print_replacements(to, others);
    }
    if (to && fclose(to) == 0 && sql)
        s = dsn_db_prepare(db, sql);
    else
        dsn_db_no_memory(db);
    free(sql);
    return s;
}

void dsn_stmt_free(struct dsn_stmt *s)
{
    if (!s)
        return;
    *s->link = s->next;
    if (s->next)
        s->next->link = s->link;
    s->db->backend->free(s);
}

static void bind(struct dsn_stmt *s, int at, struct dsn_value v)
{
    if (s)
        s->db->backend->bind(s, at, &v);
}

void dsn_bind_i64(struct dsn_stmt *s, int at, int64_t v)
{
    bind(s, at, (struct dsn_value){ .type = DSN_IS_INTEGER, .i = v });
}

void dsn_bind_f64(struct dsn_stmt *s, int at, double v)
{
    bind(s, at, (struct dsn_value){ .type = isnan(v) ? DSN_IS_NULL : DSN_IS_REAL, .f = v });
}

void dsn_bind_text(struct dsn_stmt *s, int at, const char *v)
{
    bind(s, at, (struct dsn_value){ .type = v ? DSN_IS_TEXT : DSN_IS_NULL, .text = v });
}

void dsn_bind_null(struct dsn_stmt *s, int at)
{
    bind(s, at, (struct dsn_value){ .type = DSN_IS_NULL });
}

const char *dsn_bind_name(const struct dsn_stmt *s, int at)
{
    return s ? s->db->backend->bind_name(s, at) : NULL;
}

int dsn_stmt_run(struct dsn_stmt *s)
{
    return s && !s->db->failed && s->db->backend->stmt_run(s);
}

int dsn_stmt_step(struct dsn_stmt *s)
{
    const int more = s && !s->db->failed && s->db->backend->step(s);

    if (more)
        s->rows++;
    return more;
}

int64_t dsn_stmt_rows(const struct dsn_stmt *s)
{
    return s->rows;
}

void dsn_stmt_reset(struct dsn_stmt *s)
{
    if (s)
        s->db->backend->reset(s);
}

/* ------------------------------------------------------------------ rows */

int dsn_column_count(const struct dsn_stmt *s)
{
    return s ? s->db->backend->column_count(s) : 0;
}

const char *dsn_column_name(const struct dsn_stmt *s, int at)
{
    return s->db->backend->column_name(s, at);
}

enum dsn_column_type dsn_column_type(const struct dsn_stmt *s, int at)
{
    return s->db->backend->column_type(s, at);
}

int64_t dsn_column_i64(const struct dsn_stmt *s, int at)
{
    return s->db->backend->column_i64(s, at);
}

double dsn_column_f64(const struct dsn_stmt *s, int at)
{
    return s->db->backend->column_f64(s, at);
}

const char *dsn_column_text(const struct dsn_stmt *s, int at)
{
    const char *text = s->db->backend->column_text(s, at);

    return text ? text : "";
}

int64_t dsn_db_number(struct dsn_db *db, const char *sql)
{
    struct dsn_stmt *s = dsn_db_prepare(db, sql);
    const int64_t v = dsn_stmt_step(s) ? dsn_column_i64(s, 0) : 0;

    dsn_stmt_free(s);
    return v;
}

/* ------------------------------------------------------------------ what is there */

struct dsn_stmt *dsn_db_catalog(struct dsn_db *db, enum dsn_catalog what)
{
    return db->failed ? NULL : dsn_db_prepare(db, db->backend->catalog[what]);
}

int dsn_db_set_migrated(struct dsn_db *db, int64_t number)
{
    char sql[100];

    if (db->failed)
        return 0;
    snprintf(sql, sizeof sql, "%s%lld%s", db->backend->set_migrated[0], (long long)number,
             db->backend->set_migrated[1]);
    return dsn_db_run(db, sql);
}

const char *dsn_db_functions(const struct dsn_db *db)
{
    return db->failed ? "" : db->backend->functions;
}

const struct dsn_computed_once dsn_computed_once[DSN_NCOMPUTED] = {
    { "host_minute", "minute * 60 >= ?1 AND minute * 60 < ?2" },
    { "minute_rate", "?1 <= ?2" },
    { "log_known", "start_time >= ?1 AND start_time < ?2" },
    { "job_logged", "coalesce(start_time, ?1) >= ?1 AND coalesce(start_time, ?1) < ?2" },
    { "log_case", "start_time >= ?1 AND start_time < ?2" },
};

char *dsn_db_compute_once(const struct dsn_computed_once *view, const char *definition, int64_t from, int64_t to)
{
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream(&sql, &size);

    if (!out)
        return NULL;
    fprintf(out, "CREATE TEMP TABLE %s AS SELECT * FROM (%s) AS v WHERE ", view->view, definition);
    for (const char *at = view->of; *at; at++)
        if (*at == '?')
            fprintf(out, "%" PRId64, *++at == '1' ? from : to);
        else
            fputc(*at, out);
    if (fclose(out) == 0)
        return sql;
    free(sql);
    return NULL;
}

int dsn_db_prepare_study(struct dsn_db *db, int64_t from, int64_t to)
{
    return !db->failed && db->backend->prepare_study(db, from, to);
}
