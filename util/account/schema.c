/* schema.c - the schema: migrations, and tables generated from the descriptions of counters
 * SPDX-License-Identifier: BSD-3-Clause */
#include "schema.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/hash.h"

/* Migration i + 1; released ones are never changed. */
static const char *const migrations[] = { dsn_sql_first, dsn_sql_second,  dsn_sql_third,  dsn_sql_fourth, dsn_sql_fifth,
                                          dsn_sql_sixth, dsn_sql_seventh, dsn_sql_eighth, dsn_sql_ninth };
#define NMIGRATIONS ((int64_t)(sizeof migrations / sizeof migrations[0]))

static const struct {
    const char *name, *type, *meaning;
} log_columns[] = {
#define INTEGER                       "INTEGER"
#define REAL                          "REAL"
#define TEXT                          "TEXT"
#define OPTIONAL                      "INTEGER"
#define REAL_OPTIONAL                 "REAL"
#define L(name, type, value, meaning) { #name, type, meaning },
#include "log.def"
#undef L
#undef INTEGER
#undef REAL
#undef TEXT
#undef OPTIONAL
#undef REAL_OPTIONAL
};
#define NLOG_COLUMNS (sizeof log_columns / sizeof log_columns[0])

/* Of tables that are made of rows, and others of tables that migrations have made. */
static const char *const indexes[] = {
    "CREATE UNIQUE INDEX IF NOT EXISTS log_identity ON log (hash, machine)",
    "CREATE INDEX IF NOT EXISTS log_jobid ON log (jobid)",
    "CREATE INDEX IF NOT EXISTS log_start ON log (start_time)",
    "CREATE INDEX IF NOT EXISTS log_part ON log (part_of_run) WHERE part_of_run IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS job_start ON job (start_time)",
};
#define NINDEXES (sizeof indexes / sizeof indexes[0])

void dsn_table_prefix(const struct dsn_table *t, char out[32])
{
    unsigned i;

    for (i = 0; i < 31 && t->key[i] != '\0'; i++)
        out[i] = (char)tolower((unsigned char)t->key[i]);
    out[i] = '\0';
}

void dsn_columns_of(const struct dsn_table *t, struct dsn_columns *out)
{
    out->n = 0;
    for (unsigned at = 0; at < t->nvalues; at++) {
        const struct dsn_row *row = dsn_table_row(t, at);

        if (row->kind == DSN_RAW)
            continue;
        out->at[out->n] = (uint16_t)at;
        out->kind[out->n++] = row->kind;
    }
}

static const char *unit_of(const struct dsn_row *row)
{
    static const char *const name[] = { [DSN_OPS] = "operations",
                                        [DSN_COUNT] = "count",
                                        [DSN_BYTES] = "bytes",
                                        [DSN_SECONDS] = "seconds",
                                        [DSN_TIMESTAMP] = "seconds since the start",
                                        [DSN_RANK] = "rank",
                                        [DSN_RECID] = "record id",
                                        [DSN_BITS] = "bits",
                                        [DSN_SECONDS2] = "seconds^2",
                                        [DSN_BYTES2] = "bytes^2" };

    return name[row->unit];
}

/* ------------------------------------------------------------------ tables that are made of rows */

struct column {
    const char *name, *type, *unit, *meaning;
};

/* Column names of a table as " a b c "; " " if it does not exist. The caller frees it; NULL: no memory. */
static char *present_columns(struct dsn_db *db, const char *table)
{
    struct dsn_stmt *s = dsn_db_catalog(db, DSN_COLUMNS);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return NULL;
    dsn_bind_text(s, 1, table);
    fputs(" ", to);
    while (dsn_stmt_step(s))
        fprintf(to, "%s ", dsn_column_text(s, 0));
    dsn_stmt_free(s);
    return fclose(to) == 0 ? text : NULL;
}

static int has_column(const char *present, const char *column)
{
    char name[80];
    size_t n = 0;

    name[n++] = ' ';
    for (; *column && n < sizeof name - 2; column++)
        name[n++] = (char)tolower((unsigned char)*column);
    name[n++] = ' ';
    name[n] = '\0';
    return strstr(present, name) != NULL;
}

/* Creates a table, or adds its missing columns. */
static void make_or_widen(struct dsn_db *db, const char *table, const char *keys, const struct column *column,
                          unsigned n)
{
    char *present = present_columns(db, table), *sql = NULL;
    const int is_new = present && strcmp(present, " ") == 0;
    size_t size;
    FILE *to = present ? open_memstream(&sql, &size) : NULL;

    if (to && is_new)
        fprintf(to, "CREATE TABLE %s (%s", table, keys);
    for (unsigned i = 0; to && i < n; i++)
        if (is_new)
            fprintf(to, ", %s %s", column[i].name, column[i].type);
        else if (!has_column(present, column[i].name))
            fprintf(to, "ALTER TABLE %s ADD COLUMN %s %s;", table, column[i].name, column[i].type);
    if (to && is_new)
        fputs(")", to);
    if (to && fclose(to) == 0 && sql)
        dsn_db_run(db, sql);
    else
        dsn_db_fail(db, "out of memory");
    free(present);
    free(sql);
}

static void make_table(struct dsn_db *db, const char *table, const char *keys, const struct column *column, unsigned n)
{
    struct dsn_stmt *s;

    make_or_widen(db, table, keys, column, n);
    s = dsn_db_put(db, "meaning", "table_name, column_name", "unit, meaning", NULL);
    for (unsigned i = 0; i < n; i++) {
        dsn_bind_text(s, 1, table);
        dsn_bind_text(s, 2, column[i].name);
        dsn_bind_text(s, 3, column[i].unit);
        dsn_bind_text(s, 4, column[i].meaning);
        dsn_stmt_run(s);
    }
    dsn_stmt_free(s);
}

static void make_module_tables(struct dsn_db *db, const struct dsn_table *t)
{
    struct column column[DSN_MAX_VALUES];
    struct dsn_columns columns;
    char prefix[32], table[48];

    dsn_columns_of(t, &columns);
    for (unsigned i = 0; i < columns.n; i++) {
        const struct dsn_row *row = dsn_table_row(t, columns.at[i]);

        column[i] = (struct column){ row->name, row->kind == DSN_F64 ? "REAL" : "INTEGER", unit_of(row), row->doc };
    }
    dsn_table_prefix(t, prefix);
    snprintf(table, sizeof table, "%s_total", prefix);
    make_table(db, table, "log_id INTEGER PRIMARY KEY, records INTEGER NOT NULL", column, columns.n);
    snprintf(table, sizeof table, "%s_record", prefix);
    make_table(db, table,
               "record_id INTEGER PRIMARY KEY, log_id INTEGER NOT NULL, file_id INTEGER NOT NULL, "
               "rank INTEGER NOT NULL, name TEXT, mount TEXT, file_system TEXT",
               column, columns.n);
}

static void make_tables(struct dsn_db *db)
{
    struct column column[NLOG_COLUMNS];

    for (size_t i = 0; i < NLOG_COLUMNS; i++)
        column[i] = (struct column){ log_columns[i].name, log_columns[i].type, "", log_columns[i].meaning };
    make_table(db, "log", "log_id INTEGER PRIMARY KEY", column, NLOG_COLUMNS);
    dsn_db_run(db, "UPDATE log SET machine = '', is_tree = 0, width = nprocs, process_seconds = run_time * nprocs "
                   "WHERE machine IS NULL"); /* of releases that did not have them */
    for (size_t i = 0; i < NINDEXES; i++)
        dsn_db_run(db, indexes[i]);
    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++)
        if (dsn_module_taken(id))
            make_module_tables(db, dsn_table(id));
}

/* ------------------------------------------------------------------ the view over all modules' records */

/* Prints the sum of a role's columns: "a + b AS name", with -1 as 0. */
static void print_role(FILE *to, const struct dsn_table *t, enum dsn_role role, const char *name)
{
    uint16_t at[8];
    const unsigned n = dsn_role_rows(t, role, at, 8);

    fprintf(to, ", ");
    for (unsigned i = 0; i < n && i < 8; i++)
        fprintf(to, "%sCASE WHEN %s > 0 THEN %s ELSE 0 END", i ? " + " : "", dsn_table_row(t, at[i])->name,
                dsn_table_row(t, at[i])->name);
    fprintf(to, "%s AS %s", n ? "" : "0", name);
}

static void print_file_records(FILE *to)
{
    static const struct {
        enum dsn_role role;
        const char *name;
    } column[] = { { DSN_OPENS, "opens" },        { DSN_R_OPS, "reads" },           { DSN_W_OPS, "writes" },
                   { DSN_R_BYTES, "bytes_read" }, { DSN_W_BYTES, "bytes_written" }, { DSN_R_TIME, "read_time" },
                   { DSN_W_TIME, "write_time" },  { DSN_M_TIME, "meta_time" } };
    const char *between = "";

    fprintf(to, "CREATE VIEW file_record AS ");
    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++) {
        char prefix[32];

        if (!dsn_module_taken(id))
            continue;
        dsn_table_prefix(dsn_table(id), prefix);
        fprintf(to, "%sSELECT record_id, log_id, '%s' AS module, file_id, rank, name, mount, file_system", between,
                dsn_table(id)->name);
        for (size_t i = 0; i < sizeof column / sizeof column[0]; i++)
            print_role(to, dsn_table(id), column[i].role, column[i].name);
        fprintf(to, " FROM %s_record", prefix);
        between = " UNION ALL ";
    }
    fprintf(to, ";");
}

/* The SQL of all views. The caller frees it; NULL: no memory. */
static char *views(void)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return NULL;
    print_file_records(to);
    fprintf(to, "%s", dsn_sql_views);
    return fclose(to) == 0 ? text : NULL;
}

static void drop_views(struct dsn_db *db)
{
    struct dsn_stmt *s = dsn_db_catalog(db, DSN_VIEWS);
    char *sql = NULL;
    size_t size;
    FILE *to = open_memstream(&sql, &size);

    while (to && dsn_stmt_step(s))
        fprintf(to, "DROP VIEW \"%s\";", dsn_column_text(s, 0));
    dsn_stmt_free(s);
    if (to && fclose(to) == 0 && sql)
        dsn_db_run(db, sql);
    else
        dsn_db_fail(db, "out of memory");
    free(sql);
}

/* ------------------------------------------------------------------ present or not */

/* Hash of everything the schema depends on. */
static int64_t stamp(const struct dsn_db *db, const char *all_views)
{
    uint64_t h = dsn_hash(all_views, strlen(all_views), (uint64_t)NMIGRATIONS);

    h = dsn_hash(dsn_db_functions(db), strlen(dsn_db_functions(db)), h);
    for (size_t i = 0; i < NINDEXES; i++)
        h = dsn_hash(indexes[i], strlen(indexes[i]), h);
    for (size_t i = 0; i < NLOG_COLUMNS; i++)
        h = dsn_hash(log_columns[i].name, strlen(log_columns[i].name), h);
    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++)
        for (unsigned at = 0; dsn_module_taken(id) && at < dsn_table(id)->nvalues; at++)
            h = dsn_hash(dsn_table_row(dsn_table(id), at)->name, strlen(dsn_table_row(dsn_table(id), at)->name), h);
    return (int64_t)(h >> 1);
}

static int64_t number_in_catalog(struct dsn_db *db, enum dsn_catalog what)
{
    struct dsn_stmt *s = dsn_db_catalog(db, what);
    const int64_t v = dsn_stmt_step(s) ? dsn_column_i64(s, 0) : 0;

    dsn_stmt_free(s);
    return v;
}

/* Number of the last migration; fails if the database is not ours or of a newer release. */
static int64_t migrated(struct dsn_db *db)
{
    const int64_t last = number_in_catalog(db, DSN_MIGRATED);

    if (last > NMIGRATIONS)
        dsn_db_fail(db, "was changed by a newer release; use that one");
    if (last == 0 && number_in_catalog(db, DSN_OBJECTS) > 0)
        dsn_db_fail(db, "is a database of another program; use another name");
    return last;
}

static int is_present(struct dsn_db *db, const char *all_views)
{
    struct dsn_stmt *s;
    int present;

    if (migrated(db) < NMIGRATIONS)
        return 0;
    s = dsn_db_prepare(db, "SELECT value FROM setting WHERE name = 'schema'");
    present = dsn_stmt_step(s) && dsn_column_i64(s, 0) == stamp(db, all_views);
    dsn_stmt_free(s);
    return present;
}

static void upgrade(struct dsn_db *db, const char *all_views)
{
    struct dsn_stmt *s;

    const int64_t first = migrated(db);

    drop_views(db); /* they would keep tables from being replaced */
    for (int64_t i = first; i < NMIGRATIONS; i++)
        dsn_db_run(db, migrations[i]);
    dsn_db_set_migrated(db, NMIGRATIONS);
    make_tables(db);
    dsn_db_run(db, dsn_db_functions(db));
    dsn_db_run(db, all_views);
    s = dsn_db_put(db, "setting", "name", "value", NULL);
    dsn_bind_text(s, 1, "schema");
    dsn_bind_i64(s, 2, stamp(db, all_views));
    dsn_stmt_run(s);
    dsn_stmt_free(s);
}

int dsn_schema_upgrade(struct dsn_db *db, int make)
{
    char *all_views = views();

    if (!all_views) {
        dsn_db_fail(db, "out of memory");
        return 0;
    }
    if (!make && migrated(db) == 0)
        dsn_db_fail(db, "is empty; create its tables with `darshan-accounting --db DATABASE init`");
    if (!is_present(db, all_views) && dsn_db_begin(db)) {
        upgrade(db, all_views);
        if (!dsn_db_commit(db))
            dsn_db_rollback(db);
    }
    free(all_views);
    return !dsn_db_error(db);
}

int dsn_schema_verify(struct dsn_db *db)
{
    char *all_views = views();

    if (!all_views)
        dsn_db_fail(db, "out of memory");
    else if (!is_present(db, all_views))
        dsn_db_fail(
            db, "does not have the tables of this release; create them with `darshan-accounting --db DATABASE init`");
    free(all_views);
    return !dsn_db_error(db);
}

/* ------------------------------------------------------------------ deleting */

void dsn_delete_rows(struct dsn_db *db, const char *table, const char *suffix, int64_t log_id)
{
    char sql[200];

    snprintf(sql, sizeof sql, "DELETE FROM %s%s WHERE record_id >= %lld AND record_id < %lld", table, suffix,
             (long long)log_id * DSN_RECORDS_A_LOG, (long long)(log_id + 1) * DSN_RECORDS_A_LOG);
    dsn_db_run(db, sql);
}

static void delete_totals(struct dsn_db *db, const char *table, const char *suffix, int64_t log_id)
{
    char sql[200];

    snprintf(sql, sizeof sql, "DELETE FROM %s%s WHERE log_id = %lld", table, suffix, (long long)log_id);
    dsn_db_run(db, sql);
}

void dsn_delete_log(struct dsn_db *db, int64_t log_id)
{
    char prefix[32];

    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++) {
        if (!dsn_module_taken(id))
            continue;
        dsn_table_prefix(dsn_table(id), prefix);
        dsn_delete_rows(db, prefix, "_record", log_id);
        delete_totals(db, prefix, "_total", log_id);
    }
    for (int i = 0; i < DSN_NDETAILS; i++)
        dsn_delete_rows(db, dsn_detail_tables[i].name, "", log_id);
    delete_totals(db, "log_use", "", log_id);
    delete_totals(db, "log", "", log_id);
}

void dsn_delete_unfound(struct dsn_db *db)
{
    int64_t logs[256];
    int n = 256;

    while (n == 256) {
        struct dsn_stmt *s = dsn_db_prepare(db, "SELECT log_id FROM log WHERE NOT EXISTS (SELECT 1 FROM source "
                                                "WHERE source.log_id = log.log_id) ORDER BY log_id LIMIT 256");

        for (n = 0; dsn_stmt_step(s); n++)
            logs[n] = dsn_column_i64(s, 0);
        dsn_stmt_free(s);
        for (int i = 0; i < n; i++)
            dsn_delete_log(db, logs[i]);
    }
}

/* ------------------------------------------------------------------ inserting */

struct dsn_inserting {
    struct dsn_db *db;
    struct dsn_stmt *log, *find, *find_less, *move_sources, *use, *machine;
    struct dsn_stmt *detail[DSN_NDETAILS];
    struct {
        struct dsn_columns columns;
        struct dsn_stmt *total, *record;
    } module[DSN_MODULE_SLOTS];
};

/* Insert into <module>_<suffix>, with the columns `first` and the counters. */
static struct dsn_stmt *prepare_insert(struct dsn_db *db, const struct dsn_table *t, const struct dsn_columns *columns,
                                       const char *suffix, const char *first)
{
    struct dsn_stmt *s;
    char prefix[32], table[48], *list = NULL;
    size_t size;
    FILE *to = open_memstream(&list, &size);

    if (!to)
        return NULL;
    dsn_table_prefix(t, prefix);
    snprintf(table, sizeof table, "%s_%s", prefix, suffix);
    fputs(first, to);
    for (unsigned i = 0; i < columns->n; i++)
        fprintf(to, ", %s", dsn_table_row(t, columns->at[i])->name);
    s = fclose(to) == 0 && list ? dsn_db_append(db, table, list) : NULL;
    free(list);
    return s;
}

static struct dsn_stmt *prepare_detail(struct dsn_db *db, const struct dsn_detail_table *t)
{
    char columns[300];

    snprintf(columns, sizeof columns, "record_id, log_id, %s", t->columns);
    return dsn_db_append(db, t->name, columns);
}

/* Returns the new log's id, or no row if the log exists. */
static struct dsn_stmt *prepare_log(struct dsn_db *db)
{
    char sql[3200] = "INSERT INTO log (log_id";
    size_t n = strlen(sql);

    for (size_t i = 0; i < NLOG_COLUMNS; i++)
        n += (size_t)snprintf(sql + n, sizeof sql - n, ", %s", log_columns[i].name);
    n += (size_t)snprintf(sql + n, sizeof sql - n, ") VALUES ((SELECT coalesce(max(log_id), 0) + 1 FROM log)");
    for (size_t i = 0; i < NLOG_COLUMNS; i++)
        n += (size_t)snprintf(sql + n, sizeof sql - n, ", ?%zu", i + 1);
    snprintf(sql + n, sizeof sql - n, ") ON CONFLICT (hash, machine) DO NOTHING RETURNING log_id");
    return dsn_db_prepare(db, sql);
}

struct dsn_inserting *dsn_inserting_begin(struct dsn_db *db)
{
    struct dsn_inserting *in = calloc(1, sizeof *in);

    if (!in)
        return NULL;
    in->db = db;
    in->log = prepare_log(db);
    in->find = dsn_db_prepare(db, "SELECT log_id FROM log WHERE hash = ?1 AND machine = ?2");
    in->machine = dsn_db_prepare(db, "INSERT INTO machine VALUES (?1) ON CONFLICT (machine) DO NOTHING");
    in->find_less = dsn_db_prepare(db, "SELECT log_id FROM log WHERE hash = ?1 AND machine = ?3 AND "
                                       "coalesce(taken_by, 0) < ?2");
    in->move_sources = dsn_db_prepare(db, "UPDATE source SET log_id = ?2 WHERE log_id = ?1");
    in->use =
        dsn_db_append(db, "log_use", "log_id, interface, sharing, files, files_written, bytes_read, bytes_written");
    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++) {
        const struct dsn_table *t = dsn_table(id);

        if (!dsn_module_taken(id))
            continue;
        dsn_columns_of(t, &in->module[id].columns);
        in->module[id].total = prepare_insert(db, t, &in->module[id].columns, "total", "log_id, records");
        in->module[id].record = prepare_insert(db, t, &in->module[id].columns, "record",
                                               "record_id, log_id, file_id, rank, name, mount, file_system");
    }
    for (int i = 0; i < DSN_NDETAILS; i++)
        in->detail[i] = prepare_detail(db, &dsn_detail_tables[i]);
    if (!dsn_db_error(db))
        return in;
    dsn_inserting_end(in);
    return NULL;
}

void dsn_inserting_end(struct dsn_inserting *in)
{
    dsn_stmt_free(in->log);
    dsn_stmt_free(in->find);
    dsn_stmt_free(in->find_less);
    dsn_stmt_free(in->move_sources);
    dsn_stmt_free(in->machine);
    dsn_stmt_free(in->use);
    for (int i = 0; i < DSN_NDETAILS; i++)
        dsn_stmt_free(in->detail[i]);
    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++) {
        dsn_stmt_free(in->module[id].total);
        dsn_stmt_free(in->module[id].record);
    }
    free(in);
}

static void bind_optional(struct dsn_stmt *s, int at, int64_t v)
{
    if (v == -1)
        dsn_bind_null(s, at);
    else
        dsn_bind_i64(s, at, v);
}

static void bind_real_optional(struct dsn_stmt *s, int at, double v)
{
    if (v == -1)
        dsn_bind_null(s, at);
    else
        dsn_bind_f64(s, at, v);
}

static void bind_log(struct dsn_stmt *s, const struct dsn_taken *t)
{
    int at = 0;

#define INTEGER                       dsn_bind_i64
#define REAL                          dsn_bind_f64
#define TEXT                          dsn_bind_text
#define OPTIONAL                      bind_optional
#define REAL_OPTIONAL                 bind_real_optional
#define L(name, type, value, meaning) type(s, ++at, value);
#include "log.def"
#undef L
#undef INTEGER
#undef REAL
#undef TEXT
#undef OPTIONAL
#undef REAL_OPTIONAL
}

static void bind_values(struct dsn_stmt *s, int at, const struct dsn_columns *columns, const struct dsn_rec *r)
{
    for (unsigned i = 0; i < columns->n; i++)
        if (columns->kind[i] == DSN_F64)
            dsn_bind_f64(s, at++, r->v[columns->at[i]].f);
        else
            dsn_bind_i64(s, at++, r->v[columns->at[i]].i);
}

static void insert_uses(struct dsn_inserting *in, const struct dsn_taken *t, int64_t log_id)
{
    static const char *const interface[] = {
        [DSN_BY_LIBRARY] = "MPI library", [DSN_BY_STDIO] = "STDIO", [DSN_BY_POSIX] = "POSIX",
        [DSN_BY_DAOS] = "DAOS",           [DSN_BY_DFS] = "DFS",     [DSN_BY_MPIIO] = "MPIIO",
        [DSN_BY_PNETCDF] = "PNETCDF",     [DSN_BY_HDF5] = "HDF5"
    };
    static const char *const sharing[] = {
        [DSN_BY_ONE] = "unique", [DSN_BY_SOME] = "partial", [DSN_BY_ALL] = "shared"
    };

    for (int i = 0; i < DSN_NINTERFACES; i++)
        for (int k = 0; k < DSN_NSHARINGS; k++) {
            const struct dsn_use *use = &t->use[i][k];

            if (!use->present)
                continue;
            dsn_bind_i64(in->use, 1, log_id);
            dsn_bind_text(in->use, 2, interface[i]);
            dsn_bind_text(in->use, 3, sharing[k]);
            dsn_bind_i64(in->use, 4, use->files);
            dsn_bind_i64(in->use, 5, use->files_written);
            dsn_bind_i64(in->use, 6, use->bytes_read);
            dsn_bind_i64(in->use, 7, use->bytes_written);
            dsn_stmt_run(in->use);
        }
}

static const char *text_at(const struct dsn_taken *t, uint32_t at)
{
    return at ? t->text + at : NULL;
}

static void insert_module(struct dsn_inserting *in, unsigned id, const struct dsn_taken *t, int64_t log_id,
                          int64_t *record_id)
{
    const struct dsn_taken_module *m = &t->module[id];
    const struct dsn_columns *columns = &in->module[id].columns;
    struct dsn_stmt *s = in->module[id].total;
    const size_t size = dsn_rec_size(dsn_table(id));

    dsn_bind_i64(s, 1, log_id);
    dsn_bind_i64(s, 2, m->n);
    bind_values(s, 3, columns, m->total);
    dsn_stmt_run(s);
    s = in->module[id].record;
    for (int64_t i = 0; i < m->kept; i++) {
        const struct dsn_rec *r = (const void *)(m->records + (size_t)i * size);

        dsn_bind_i64(s, 1, (*record_id)++);
        dsn_bind_i64(s, 2, log_id);
        dsn_bind_i64(s, 3, (int64_t)r->id);
        dsn_bind_i64(s, 4, r->rank);
        dsn_bind_text(s, 5, text_at(t, m->names[i].name));
        dsn_bind_text(s, 6, text_at(t, m->names[i].mount));
        dsn_bind_text(s, 7, text_at(t, m->names[i].type));
        bind_values(s, 8, columns, r);
        dsn_stmt_run(s);
    }
}

static void insert_details(struct dsn_inserting *in, enum dsn_detail_kind kind, const struct dsn_taken *t,
                           int64_t log_id)
{
    struct dsn_stmt *s = in->detail[kind];
    const char *form = dsn_detail_tables[kind].form;

    for (size_t i = 0; i < t->detail[kind].n; i++) {
        const struct dsn_detail_row *row = &t->detail[kind].row[i];

        dsn_bind_i64(s, 1, log_id * DSN_RECORDS_A_LOG + (int64_t)i);
        dsn_bind_i64(s, 2, log_id);
        for (int k = 0; form[k]; k++)
            if (form[k] == 'p')
                dsn_bind_text(s, 3 + k, text_at(t, row->name));
            else if (form[k] == 't' || form[k] == 'n')
                dsn_bind_text(s, 3 + k, row->text[0] ? row->text : NULL);
            else if (form[k] == 'f')
                dsn_bind_f64(s, 3 + k, row->v[k].f);
            else
                dsn_bind_i64(s, 3 + k, row->v[k].i);
        dsn_stmt_run(s);
    }
}

/* Deletes a log that an older release ingested with fewer data. Returns its id, 0: none. */
static int64_t forget_less(struct dsn_inserting *in, const struct dsn_taken *t)
{
    int64_t old;

    dsn_bind_text(in->find_less, 1, t->hash);
    dsn_bind_i64(in->find_less, 2, DSN_TAKEN_LEVEL);
    dsn_bind_text(in->find_less, 3, t->machine);
    old = dsn_stmt_step(in->find_less) ? dsn_column_i64(in->find_less, 0) : 0;
    dsn_stmt_reset(in->find_less);
    if (old > 0)
        dsn_delete_log(in->db, old);
    return old;
}

int dsn_insert_log(struct dsn_inserting *in, const struct dsn_taken *t, int64_t *log_id, enum dsn_insertion *how)
{
    const int64_t old = forget_less(in, t);
    int64_t record_id;

    bind_log(in->log, t);
    *how = !dsn_stmt_step(in->log) ? DSN_WAS_THERE : old > 0 ? DSN_REPLACED : DSN_IS_NEW;
    if (*how == DSN_WAS_THERE) {
        dsn_bind_text(in->find, 1, t->hash);
        dsn_bind_text(in->find, 2, t->machine);
        *log_id = dsn_stmt_step(in->find) ? dsn_column_i64(in->find, 0) : 0;
        dsn_stmt_reset(in->find);
        return !dsn_db_error(in->db);
    }
    *log_id = dsn_column_i64(in->log, 0);
    dsn_stmt_reset(in->log);
    if (t->machine[0]) {
        dsn_bind_text(in->machine, 1, t->machine);
        dsn_stmt_run(in->machine);
    }
    record_id = *log_id * DSN_RECORDS_A_LOG;
    insert_uses(in, t, *log_id);
    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++)
        if (t->module[id].n > 0)
            insert_module(in, id, t, *log_id, &record_id);
    for (int kind = 0; kind < DSN_NDETAILS; kind++)
        insert_details(in, (enum dsn_detail_kind)kind, t, *log_id);
    if (*how == DSN_REPLACED && old != *log_id) {
        dsn_bind_i64(in->move_sources, 1, old);
        dsn_bind_i64(in->move_sources, 2, *log_id);
        dsn_stmt_run(in->move_sources);
    }
    return !dsn_db_error(in->db);
}
