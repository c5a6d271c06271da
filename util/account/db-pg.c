/* db-pg.c - the back end for PostgreSQL
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Statements without results are sent without waiting for earlier ones (libpq's pipeline mode); rows of dsn_db_append()
 * are collected and sent by COPY. Result rows are read one by one, so that a result may exceed memory; if another
 * statement is executed in between, the rest is read into memory. */
#include <config.h>

#include <inttypes.h>
#include <libpq-fe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounting.h"
#include "db-backend.h"
#include "db.h"
#include "schema.h"
#include "sql-pg.h"
#include "util/lib/grow.h"

#define WAIT_MS    60000             /* for another writer */
#define MAX_QUEUED 200               /* statements: their results must fit into the socket buffers */
#define MAX_COPY   ((size_t)4 << 20) /* bytes of collected rows per table */
#define NUMBER     32                /* length of a number as text */

enum { INT8 = 20, INT2 = 21, INT4 = 23, TEXT = 25, FLOAT4 = 700, FLOAT8 = 701, NUMERIC = 1700 }; /* OIDs of types */

struct stmt;

struct pg {
    struct dsn_db base;
    PGconn *connection;
    int queued; /* statements sent whose result was not read */
    int in_transaction;
    unsigned names;         /* assigned to statements */
    struct stmt *streaming; /* statement whose rows are being read */
};

struct parameter {
    struct dsn_value value;
    char *copy;          /* copy of its text */
    char number[NUMBER]; /* as text */
    Oid type;            /* parameter type with which the statement was prepared */
    char *name;
};

struct stmt {
    struct dsn_stmt base;
    char *sql; /* for COPY: the command */
    struct parameter *parameters;
    int n, runs;
    char prepared[16]; /* name on the server, or "" */
    PGresult **results;
    int nresults, result, row; /* the current one; row -1: before the first */
    int begun;
    char **decoded; /* decoded texts of the current row */
    size_t ndecoded;
    int is_copy;
    unsigned char *rows; /* collected rows */
    size_t used, room;
};

static struct pg *pg_of(struct dsn_db *db)
{
    return (struct pg *)db;
}

/* ------------------------------------------------------------------ errors */

static const char *advice(const char *state)
{
    static const struct {
        const char *state, *what; /* prefix of the SQLSTATE */
    } advices[] = {
        { "08", "; check that the server is running, and run the command again" },
        { "57P", "; run the command again when the server is running" },
        { "0A000", "; ingest logs as the role darshan_ingest or as the owner of the tables" },
        { "42501", "; use a role with that privilege (share/darshan/sql/roles.sql), or have the owner run "
                   "darshan-accounting init" },
        { "42P01", "; have the owner run darshan-accounting init" },
        { "42703", "; have the owner run darshan-accounting init" },
        { "53", "; make room on the server" },
        { "55P03", "; another command is writing: run this one again when that has ended" },
    };

    for (size_t i = 0; state && i < sizeof advices / sizeof advices[0]; i++)
        if (strncmp(state, advices[i].state, strlen(advices[i].state)) == 0)
            return advices[i].what;
    return "";
}

/* Records the error of a result, or of the connection. Returns 0. */
static int fail(struct pg *pg, const PGresult *r)
{
    const char *text = r ? PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    const char *state = r ? PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
    char line[300];

    if (!text)
        text = PQerrorMessage(pg->connection);
    if (PQstatus(pg->connection) == CONNECTION_BAD && !state)
        state = "08";
    snprintf(line, sizeof line, "%s", text[0] ? text : "the server does not respond");
    line[strcspn(line, "\n")] = '\0';
    dsn_db_fail(&pg->base, "%s%s", line, advice(state));
    return 0;
}

static int is_good(const PGresult *r)
{
    const ExecStatusType status = PQresultStatus(r);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_SINGLE_TUPLE ||
           status == PGRES_COPY_IN || status == PGRES_PIPELINE_SYNC || status == PGRES_EMPTY_QUERY;
}

/* Frees a result after recording its error. Returns whether it succeeded. A statement skipped because of an earlier
 * error adds nothing. */
static int take_result(struct pg *pg, PGresult *r)
{
    const int good = is_good(r);

    if (!good && (PQresultStatus(r) != PGRES_PIPELINE_ABORTED || !pg->base.failed))
        fail(pg, r);
    PQclear(r);
    return good;
}

/* ------------------------------------------------------------------ the queue of statements */

/* Reads a statement's results to the end. After an error nothing more is read, here or elsewhere: further results may
 * never come, and the connection can only be closed. */
static int read_end(struct pg *pg)
{
    PGresult *r;

    while (!pg->base.failed && (r = PQgetResult(pg->connection)) != NULL)
        take_result(pg, r);
    return !pg->base.failed;
}

/* Reads the results of the queued statements except the last `but`. */
static int read_queued(struct pg *pg, int but)
{
    for (; pg->queued > but && read_end(pg); pg->queued--)
        if (PQstatus(pg->connection) == CONNECTION_BAD)
            fail(pg, NULL);
    return !pg->base.failed;
}

/* Sends a sync, which makes the server execute everything sent. */
static int sync_queue(struct pg *pg)
{
    return PQpipelineSync(pg->connection) || fail(pg, NULL);
}

static int read_sync(struct pg *pg)
{
    PGresult *r = PQgetResult(pg->connection);

    return r ? take_result(pg, r) : fail(pg, NULL);
}

static void set_aside(struct stmt *s);

/* Waits until everything sent has been executed. */
static int drain(struct pg *pg)
{
    if (pg->streaming)
        set_aside(pg->streaming);
    return !pg->base.failed && (pg->queued == 0 || (sync_queue(pg) && read_queued(pg, 0) && read_sync(pg)));
}

/* Executes a statement that cannot be queued. */
static int run_alone(struct pg *pg, const char *sql, ExecStatusType wanted)
{
    PGresult *r;
    int good;

    if (!drain(pg))
        return 0;
    if (PQpipelineStatus(pg->connection) != PQ_PIPELINE_OFF && !PQexitPipelineMode(pg->connection))
        return fail(pg, NULL);
    r = PQexec(pg->connection, sql);
    good = is_good(r) && (wanted == PGRES_EMPTY_QUERY || PQresultStatus(r) == wanted);
    if (!good)
        fail(pg, r);
    PQclear(r);
    return good;
}

static int run(struct dsn_db *db, const char *sql)
{
    char *names[DSN_PG_PARAMETERS], *text;
    int n, ok;

    text = dsn_pg_sql(sql, names, &n);
    if (!text)
        return dsn_db_no_memory(db);
    for (int i = 0; i < n; i++)
        free(names[i]);
    ok = run_alone(pg_of(db), text, PGRES_EMPTY_QUERY);
    free(text);
    return ok;
}

/* ------------------------------------------------------------------ rows by COPY */

static void forget_rows(struct dsn_db *db)
{
    for (struct dsn_stmt *s = db->first; s; s = s->next)
        ((struct stmt *)s)->used = 0;
}

static int copy_rows(struct pg *pg, struct stmt *s)
{
    static const char head[19] = "PGCOPY\n\377\r\n", tail[2] = { '\377', '\377' };
    const size_t used = s->used;
    int ok = 1;

    s->used = 0;
    if (used == 0)
        return 1;
    if (!run_alone(pg, s->sql, PGRES_COPY_IN))
        return 0;
    if (PQputCopyData(pg->connection, head, sizeof head) != 1 ||
        PQputCopyData(pg->connection, (const char *)s->rows, (int)used) != 1 ||
        PQputCopyData(pg->connection, tail, sizeof tail) != 1 || PQputCopyEnd(pg->connection, NULL) != 1)
        ok = fail(pg, NULL);
    return ok && read_end(pg);
}

static int copy_all(struct pg *pg)
{
    for (struct dsn_stmt *s = pg->base.first; s && !pg->base.failed; s = s->next)
        if (((struct stmt *)s)->is_copy)
            copy_rows(pg, (struct stmt *)s);
    return !pg->base.failed;
}

static unsigned char *put_big_endian(unsigned char *to, uint64_t v, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        *to++ = (unsigned char)(v >> (8 * i));
    return to;
}

/* Writes its length and its bytes in network byte order; text is already encoded. */
static unsigned char *put_value(unsigned char *to, const struct dsn_value *v, const char *text)
{
    uint64_t bits;
    size_t n;

    switch (v->type) {
    case DSN_IS_INTEGER:
        return put_big_endian(put_big_endian(to, 8, 4), (uint64_t)v->i, 8);
    case DSN_IS_REAL:
        memcpy(&bits, &v->f, sizeof bits);
        return put_big_endian(put_big_endian(to, 8, 4), bits, 8);
    case DSN_IS_TEXT:
        n = strlen(text);
        return (unsigned char *)memcpy(put_big_endian(to, n, 4), text, n) + n;
    default:
        return put_big_endian(to, UINT32_MAX, 4);
    }
}

static int add_row(struct pg *pg, struct stmt *s)
{
    size_t need = 2;
    unsigned char *to;

    for (int i = 0; i < s->n; i++)
        need += 12 + (s->parameters[i].value.type == DSN_IS_TEXT ? strlen(s->parameters[i].value.text) : 0);
    if (!dsn_grow(&s->rows, &s->room, 1, s->used + need - 1))
        return dsn_db_no_memory(&pg->base);
    to = put_big_endian(s->rows + s->used, (uint64_t)s->n, 2);
    for (int i = 0; i < s->n; i++)
        to = put_value(to, &s->parameters[i].value, s->parameters[i].value.text);
    s->used = (size_t)(to - s->rows);
    return (s->used < MAX_COPY && pg->in_transaction) || copy_rows(pg, s);
}

/* ------------------------------------------------------------------ transactions */

static int begin_transaction(struct dsn_db *db)
{
    struct pg *pg = pg_of(db);

    /* One writer at a time: a second one waits here. Before there are tables, waits for whoever creates them. */
    pg->in_transaction = run_alone(pg,
                                   "BEGIN; DO 'BEGIN IF to_regclass(''setting'') IS NULL THEN PERFORM "
                                   "pg_advisory_xact_lock(1145393736); ELSE LOCK TABLE setting IN EXCLUSIVE MODE; "
                                   "END IF; END'",
                                   PGRES_EMPTY_QUERY);
    return pg->in_transaction;
}

static int begin_reading(struct dsn_db *db)
{
    return run_alone(pg_of(db), "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", PGRES_COMMAND_OK);
}

static int commit(struct dsn_db *db)
{
    struct pg *pg = pg_of(db);

    if (!copy_all(pg) || !run_alone(pg, "COMMIT", PGRES_COMMAND_OK))
        return 0;
    pg->in_transaction = 0;
    return 1;
}

static void rollback(struct dsn_db *db)
{
    struct pg *pg = pg_of(db);

    forget_rows(db);
    pg->in_transaction = 0;
    if (!db->failed) /* otherwise the server rolls back when the connection, which is unusable, is closed */
        run_alone(pg, "ROLLBACK", PGRES_COMMAND_OK);
}

/* ------------------------------------------------------------------ sending statements */

/* Chooses the types of the parameters; returns whether they differ from the last time. NULL may have any type; an
 * integer may be passed for a floating-point parameter. */
static int choose_types(struct stmt *s, Oid *types)
{
    static const Oid type_of[] = {
        [DSN_IS_NULL] = 0, [DSN_IS_INTEGER] = INT8, [DSN_IS_REAL] = FLOAT8, [DSN_IS_TEXT] = TEXT
    };
    int others = 0;

    for (int i = 0; i < s->n; i++) {
        struct parameter *p = &s->parameters[i];
        const Oid type = type_of[p->value.type];

        if (type != 0 && type != p->type && !(type == INT8 && p->type == FLOAT8)) {
            p->type = type;
            others = 1;
        }
        types[i] = p->type;
    }
    return others;
}

static const char *text_of(struct parameter *p)
{
    switch (p->value.type) {
    case DSN_IS_INTEGER:
        snprintf(p->number, sizeof p->number, "%" PRId64, p->value.i);
        return p->number;
    case DSN_IS_REAL:
        snprintf(p->number, sizeof p->number, "%.17g", p->value.f);
        return p->number;
    case DSN_IS_TEXT:
        return p->value.text;
    default:
        return NULL;
    }
}

static int send_now(struct pg *pg, const char *sql)
{
    if (PQpipelineStatus(pg->connection) == PQ_PIPELINE_OFF && !PQenterPipelineMode(pg->connection))
        return fail(pg, NULL);
    if (!PQsendQueryParams(pg->connection, sql, 0, NULL, NULL, NULL, NULL, 0))
        return fail(pg, NULL);
    pg->queued++;
    return 1;
}

static int forget_prepared(struct pg *pg, struct stmt *s)
{
    char sql[40];

    if (s->prepared[0] == '\0')
        return 1;
    snprintf(sql, sizeof sql, "DEALLOCATE %s", s->prepared);
    s->prepared[0] = '\0';
    return send_now(pg, sql);
}

/* Queues a statement. Statements that are executed repeatedly are prepared on the server. */
static int send_stmt(struct pg *pg, struct stmt *s)
{
    const char *values[DSN_PG_PARAMETERS];
    Oid types[DSN_PG_PARAMETERS];
    const int others = choose_types(s, types);
    int sent;

    for (int i = 0; i < s->n; i++)
        values[i] = text_of(&s->parameters[i]);
    if (PQpipelineStatus(pg->connection) == PQ_PIPELINE_OFF && !PQenterPipelineMode(pg->connection))
        return fail(pg, NULL);
    if (s->runs++ == 0) {
        sent = PQsendQueryParams(pg->connection, s->sql, s->n, types, values, NULL, NULL, 0);
    } else {
        if (others && !forget_prepared(pg, s))
            return 0;
        if (s->prepared[0] == '\0') {
            snprintf(s->prepared, sizeof s->prepared, "s%u", ++pg->names);
            if (!PQsendPrepare(pg->connection, s->prepared, s->sql, s->n, types))
                return fail(pg, NULL);
            pg->queued++;
        }
        sent = PQsendQueryPrepared(pg->connection, s->prepared, s->n, values, NULL, NULL, 0);
    }
    pg->queued += sent;
    return sent || fail(pg, NULL);
}

static int stmt_run(struct dsn_stmt *base)
{
    struct stmt *s = (struct stmt *)base;
    struct pg *pg = pg_of(base->db);

    if (s->is_copy)
        return add_row(pg, s);
    if (pg->streaming)
        set_aside(pg->streaming);
    if (!send_stmt(pg, s))
        return 0;
    return (pg->queued < MAX_QUEUED && pg->in_transaction) || drain(pg);
}

/* ------------------------------------------------------------------ rows that come */

static void forget_results(struct stmt *s)
{
    for (int i = 0; i < s->nresults; i++)
        PQclear(s->results[i]);
    s->nresults = s->result = 0;
    s->row = -1;
    s->begun = 0;
    for (size_t i = 0; i < s->ndecoded; i++) {
        free(s->decoded[i]);
        s->decoded[i] = NULL;
    }
}

static int keep_result(struct stmt *s, PGresult *r)
{
    if (!dsn_resize(&s->results, (size_t)s->nresults + 1, sizeof *s->results)) {
        PQclear(r);
        return dsn_db_no_memory(s->base.db);
    }
    s->results[s->nresults++] = r;
    return 1;
}

/* Reads the next result of the current statement, with a row; at the end, one without. */
static int fetch(struct stmt *s)
{
    struct pg *pg = pg_of(s->base.db);
    PGresult *r = PQgetResult(pg->connection);

    if (r && PQresultStatus(r) == PGRES_SINGLE_TUPLE)
        return keep_result(s, r);
    pg->streaming = NULL;
    pg->queued = 0;
    if (!r || !is_good(r)) {
        fail(pg, r);
        PQclear(r);
    } else {
        keep_result(s, r);
    }
    return read_end(pg) && read_sync(pg);
}

static void set_aside(struct stmt *s)
{
    while (pg_of(s->base.db)->streaming == s && !s->base.db->failed)
        fetch(s);
}

/* Sends the statement and reads its first result. */
static int start(struct stmt *s)
{
    struct pg *pg = pg_of(s->base.db);

    forget_results(s);
    if (pg->streaming)
        set_aside(pg->streaming);
    if (!send_stmt(pg, s) || !sync_queue(pg) || !read_queued(pg, 1))
        return 0;
    s->begun = 1;
    pg->streaming = s;
    PQsetSingleRowMode(pg->connection);
    return fetch(s);
}

static PGresult *present(const struct stmt *s)
{
    return s->nresults > 0 ? s->results[s->result] : NULL;
}

/* Frees rows that were read. */
static void drop_past(struct stmt *s)
{
    if (s->nresults == 1) {
        PQclear(s->results[0]);
        s->nresults = 0;
        s->result = 0;
    } else {
        s->result++;
    }
    s->row = -1;
}

static int step(struct dsn_stmt *base)
{
    struct stmt *s = (struct stmt *)base;

    if (!s->begun && !start(s))
        return 0;
    for (size_t i = 0; i < s->ndecoded; i++) {
        free(s->decoded[i]);
        s->decoded[i] = NULL;
    }
    while (!base->db->failed) {
        if (++s->row < PQntuples(present(s)))
            return 1;
        if (pg_of(base->db)->streaming != s && s->result + 1 >= s->nresults)
            break;
        drop_past(s);
        if (s->nresults == 0)
            fetch(s);
    }
    s->begun = 0;
    return 0;
}

static void reset(struct dsn_stmt *base)
{
    struct stmt *s = (struct stmt *)base;

    for (; pg_of(base->db)->streaming == s && !base->db->failed; fetch(s))
        forget_results(s);
    forget_results(s);
}

/* ------------------------------------------------------------------ making statements */

static struct stmt *new_stmt(struct dsn_db *db, char *sql, int n)
{
    struct stmt *s = calloc(1, sizeof *s);

    if (s && n > 0)
        s->parameters = calloc((size_t)n, sizeof *s->parameters);
    if (!s || !sql || (n > 0 && !s->parameters)) {
        free(s ? s->parameters : NULL);
        free(s);
        free(sql);
        dsn_db_no_memory(db);
        return NULL;
    }
    s->sql = sql;
    s->n = n;
    s->row = -1;
    return s;
}

static struct dsn_stmt *prepare(struct dsn_db *db, const char *sql)
{
    char *names[DSN_PG_PARAMETERS];
    int n = 0;
    char *text = dsn_pg_sql(sql, names, &n);
    struct stmt *s = new_stmt(db, text, n);

    for (int i = 0; i < n; i++)
        if (s)
            s->parameters[i].name = names[i];
        else
            free(names[i]);
    return s ? &s->base : NULL;
}

static struct dsn_stmt *append(struct dsn_db *db, const char *table, const char *columns)
{
    char *sql = NULL;
    struct stmt *s;
    int n = 1;

    for (const char *at = columns; *at; at++)
        n += *at == ',';
    if (asprintf(&sql, "COPY %s (%s) FROM STDIN (FORMAT binary)", table, columns) < 0)
        sql = NULL;
    s = new_stmt(db, sql, n);
    if (s)
        s->is_copy = 1;
    return s ? &s->base : NULL;
}

static void free_stmt(struct dsn_stmt *base)
{
    struct stmt *s = (struct stmt *)base;
    struct pg *pg = pg_of(base->db);

    reset(base);
    if (!pg->base.failed)
        forget_prepared(pg, s);
    for (int i = 0; i < s->n; i++) {
        free(s->parameters[i].copy);
        free(s->parameters[i].name);
    }
    free(s->parameters);
    free(s->results);
    free(s->decoded);
    free(s->rows);
    free(s->sql);
    free(s);
}

static void bind(struct dsn_stmt *base, int at, const struct dsn_value *v)
{
    struct stmt *s = (struct stmt *)base;
    struct parameter *p = &s->parameters[at - 1];

    if (at > s->n) {
        dsn_db_fail(base->db, "there is no parameter %d", at);
        return;
    }
    free(p->copy);
    p->copy = NULL;
    p->value = *v;
    if (v->type != DSN_IS_TEXT)
        return;
    p->value.text = dsn_pg_encode(v->text);
    if (p->value.text == v->text)
        p->value.text = strdup(v->text);
    p->copy = (char *)p->value.text;
    if (!p->copy) {
        p->value.type = DSN_IS_NULL;
        dsn_db_no_memory(base->db);
    }
}

static const char *bind_name(const struct dsn_stmt *base, int at)
{
    const struct stmt *s = (const struct stmt *)base;

    return at <= s->n ? s->parameters[at - 1].name : NULL;
}

/* ------------------------------------------------------------------ columns */

/* Column names may be asked for before the first row. */
static PGresult *described(const struct dsn_stmt *base)
{
    struct stmt *s = (struct stmt *)base;

    if (s->nresults == 0 && !s->begun && !base->db->failed)
        start(s);
    return present(s);
}

static int column_count(const struct dsn_stmt *base)
{
    return PQnfields(described(base));
}

static const char *column_name(const struct dsn_stmt *base, int at)
{
    const char *name = PQfname(described(base), at);

    return name ? name : "";
}

static const char *value(const struct dsn_stmt *base, int at)
{
    const struct stmt *s = (const struct stmt *)base;

    return PQgetisnull(present(s), s->row, at) ? NULL : PQgetvalue(present(s), s->row, at);
}

/* Sums of integers have the type numeric: treated as integers if they fit. */
static enum dsn_column_type type_of_numeric(const char *text)
{
    return strchr(text, '.') || strchr(text, 'N') || strlen(text) > 18 ? DSN_IS_REAL : DSN_IS_INTEGER;
}

static enum dsn_column_type column_type(const struct dsn_stmt *base, int at)
{
    const char *text = value(base, at);

    if (!text)
        return DSN_IS_NULL;
    switch (PQftype(present((const struct stmt *)base), at)) {
    case INT2:
    case INT4:
    case INT8:
        return DSN_IS_INTEGER;
    case FLOAT4:
    case FLOAT8:
        return DSN_IS_REAL;
    case NUMERIC:
        return type_of_numeric(text);
    default:
        return DSN_IS_TEXT;
    }
}

static int64_t column_i64(const struct dsn_stmt *base, int at)
{
    const char *text = value(base, at);

    return text ? strtoll(text, NULL, 10) : 0;
}

static double column_f64(const struct dsn_stmt *base, int at)
{
    const char *text = value(base, at);

    return text ? strtod(text, NULL) : 0;
}

static char **place_of_decoded(struct stmt *s, int at)
{
    return dsn_grow_zeroed(&s->decoded, &s->ndecoded, sizeof *s->decoded, (size_t)at) ? &s->decoded[at] : NULL;
}

static const char *column_text(const struct dsn_stmt *base, int at)
{
    const char *text = value(base, at);
    char **copy;

    if (!text || !dsn_pg_is_encoded(text))
        return text;
    copy = place_of_decoded((struct stmt *)base, at);
    if (copy && !*copy && (*copy = strdup(text)) != NULL)
        dsn_pg_decode(*copy);
    if (copy && *copy)
        return *copy;
    dsn_db_no_memory(base->db);
    return "";
}

/* ------------------------------------------------------------------ the study */

/* Who may only read may not be allowed to make temporary tables, nor is anybody on a standby: the study takes longer then. */
static int may_make_tables(struct dsn_db *db)
{
    return dsn_db_number(db, "SELECT CAST(has_database_privilege(current_database(), 'TEMP') AND NOT "
                             "pg_is_in_recovery() AS integer)") == 1;
}

/* Definitions are those of before there is any of the tables: names in them have no schema, and are those of tables later. */
static int prepare_study(struct dsn_db *db, int64_t from, int64_t to)
{
    struct dsn_stmt *view =
        may_make_tables(db) ? dsn_db_prepare(db, "SELECT rtrim(pg_get_viewdef(to_regclass(?1)), ';')") : NULL;
    char *sql[DSN_NCOMPUTED] = { NULL };

    for (size_t i = 0; view && i < DSN_NCOMPUTED && !db->failed; i++) {
        dsn_bind_text(view, 1, dsn_computed_once[i].view);
        if (dsn_stmt_step(view) && dsn_column_type(view, 0) == DSN_IS_TEXT &&
            !(sql[i] = dsn_db_compute_once(&dsn_computed_once[i], dsn_column_text(view, 0), from, to)))
            dsn_db_no_memory(db);
        dsn_stmt_reset(view);
    }
    dsn_stmt_free(view);
    run_alone(pg_of(db), "SET default_transaction_read_only = off", PGRES_COMMAND_OK);
    for (size_t i = 0; i < DSN_NCOMPUTED; i++) {
        char analyze[60];

        snprintf(analyze, sizeof analyze, "ANALYZE %s", dsn_computed_once[i].view);
        if (sql[i] && !db->failed && run_alone(pg_of(db), sql[i], PGRES_COMMAND_OK))
            run_alone(pg_of(db), analyze, PGRES_COMMAND_OK);
        free(sql[i]);
    }
    run_alone(pg_of(db), "SET default_transaction_read_only = on", PGRES_COMMAND_OK);
    return !db->failed;
}

/* ------------------------------------------------------------------ opening */

static void close_connection(struct dsn_db *db)
{
    PQfinish(pg_of(db)->connection);
    free(db);
}

#define HERE "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())"

static const struct dsn_backend backend = {
    .close = close_connection,
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
    .catalog = { [DSN_TABLES] =
                     ("SELECT relname, (SELECT string_agg(quote_ident(attname), ', ' ORDER BY "
                      "array_position(indkey, attnum)) FROM pg_index JOIN pg_attribute ON attrelid = c.oid "
                      "AND attnum = ANY (indkey) WHERE indrelid = c.oid AND indisprimary) FROM pg_class AS c "
                      "WHERE relnamespace = " HERE
                      " AND relkind = 'r' AND has_table_privilege(c.oid, 'SELECT') ORDER BY relname COLLATE \"C\""),
                 [DSN_VIEWS] = ("SELECT relname FROM pg_class WHERE relnamespace = " HERE " AND relkind = 'v' "
                                "ORDER BY oid DESC"),
                 [DSN_COLUMNS] =
                     ("SELECT attname, CASE format_type(atttypid, NULL) WHEN 'bigint' THEN 'INTEGER' "
                      "WHEN 'double precision' THEN 'REAL' ELSE 'TEXT' END "
                      "FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = " HERE
                      " AND relname = ?1 AND attnum > 0 AND NOT attisdropped ORDER BY attnum"),
                 [DSN_MIGRATED] = ("SELECT coalesce(max(CAST(substring(obj_description(oid, 'pg_class') FROM "
                                   "'^migration ([0-9]+)$') AS bigint)), 0) FROM pg_class WHERE relnamespace = " HERE
                                   " AND relname = 'setting'"),
                 [DSN_OBJECTS] = ("SELECT count(*) FROM pg_class WHERE relnamespace = " HERE
                                  " AND relkind IN ('r', 'p', 'v', 'm')"),
                 [DSN_WHOLE] = "SELECT 'ok'" },
    .set_migrated = { "COMMENT ON TABLE setting IS 'migration ", "'" },
    .functions = dsn_sql_postgresql,
    .prepare_study = prepare_study,
};

static void ignore_notice(void *context, const PGresult *r)
{
    (void)context, (void)r;
}

/* The printable part of the options: "postgresql://user@host:port/database". NULL: no memory. */
static char *shown_name(const PQconninfoOption *options)
{
    static const struct {
        const char *keyword, *before, *behind;
    } parts[] = { { "user", "", "@" }, { "host", "", "" }, { "port", ":", "" }, { "dbname", "/", "" } };
    char *name = NULL;
    size_t size;
    FILE *to = open_memstream(&name, &size);

    if (!to)
        return NULL;
    fputs("postgresql://", to);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (const PQconninfoOption *o = options; o->keyword; o++)
            if (strcmp(o->keyword, parts[i].keyword) == 0 && o->val)
                fprintf(to, "%s%s%s", parts[i].before, o->val, parts[i].behind);
    return fclose(to) == 0 ? name : NULL;
}

/* A password containing / or @ shifts the parts of a connection URI. */
static int is_garbled(const char *name, const PQconninfoOption *options)
{
    for (; strstr(name, "://") && options->keyword; options++)
        if (strcmp(options->keyword, "password") != 0 && strcmp(options->keyword, "user") != 0 && options->val &&
            strchr(options->val, '@'))
            return 1;
    return 0;
}

/* Parses the connection string. Neither it nor libpq's messages about it may be printed unchanged: they may contain a
 * password. */
static int read_name(struct pg *pg, const char *name)
{
    PQconninfoOption *options = PQconninfoParse(name, NULL);

    if (options)
        pg->base.name = shown_name(options);
    if (!options || !pg->base.name || is_garbled(name, options)) {
        free(pg->base.name);
        pg->base.name = NULL;
        dsn_db_fail(&pg->base,
                    "the connection string is wrong; write postgresql://USER@HOST/DATABASE, with %%25, %%2F, "
                    "%%3A and %%40 for %%, /, : and @ in names, and leave the password to ~/.pgpass");
    }
    PQconninfoFree(options);
    return !pg->base.failed;
}

static int cannot_connect(struct pg *pg)
{
    const char *text = PQerrorMessage(pg->connection);

    dsn_db_fail(&pg->base, "%.*s; check the connection string, and that the server runs and lets you in",
                (int)strcspn(text, "\n"), text);
    return 0;
}

static int connect_to(struct pg *pg, const char *name, enum dsn_db_how how)
{
    const char *keywords[] = { "connect_timeout", "dbname", "client_encoding", "fallback_application_name", NULL };
    const char *values[] = { "20", name, "UTF8", "darshan-accounting", NULL };
    const char *encoding;
    char sql[300], *zone;

    pg->connection = PQconnectdbParams(keywords, values, 1);
    if (!pg->connection)
        return dsn_db_no_memory(&pg->base);
    if (PQstatus(pg->connection) != CONNECTION_OK)
        return cannot_connect(pg);
    PQsetNoticeReceiver(pg->connection, ignore_notice, NULL);
    encoding = PQparameterStatus(pg->connection, "server_encoding");
    if (!encoding)
        return dsn_db_no_memory(&pg->base);
    if (strcmp(encoding, "UTF8") != 0) {
        dsn_db_fail(&pg->base, "its encoding is %s; make one by CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0",
                    encoding);
        return 0;
    }
    snprintf(sql, sizeof sql,
             "SET lock_timeout = %d; SET timezone = 'UTC'; SET standard_conforming_strings = on; "
             "SET extra_float_digits = 1; SET jit = off; SET default_transaction_read_only = %s",
             WAIT_MS, how == DSN_DB_READ ? "on" : "off");
    if (!run_alone(pg, sql, PGRES_EMPTY_QUERY))
        return 0;
    zone = PQescapeLiteral(pg->connection, dsn_zone(), strlen(dsn_zone()));
    if (zone && snprintf(sql, sizeof sql, "SET timezone = %s", zone) < (int)sizeof sql)
        PQclear(PQexec(pg->connection, sql)); /* a zone that the server does not know: UTC */
    PQfreemem(zone);
    return 1;
}

struct dsn_db *dsn_pg_open(const char *name, enum dsn_db_how how)
{
    struct pg *pg = calloc(1, sizeof *pg);

    if (!pg)
        return NULL;
    pg->base.backend = &backend;
    if (read_name(pg, name))
        connect_to(pg, name, how);
    return &pg->base;
}
