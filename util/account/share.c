/* share.c - ingest by several processes: parts, and merging them
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "accounting.h"
#include "db-backend.h"
#include "darshan-log-format/hash.h"
#include "retain.h"
#include "schema.h"
#include "util/command/common.h"
#include "command-line/options.h"

#define STEP_MS      50
#define PATIENCE_MS  60000 /* for a rank that has not started yet */
#define LAST_WORD_MS 5000  /* for a renamed part to become visible on other nodes after the rank's process has ended */

/* ------------------------------------------------------------------ the launcher */

static int number_in(const char *name, int *out)
{
    const char *text = getenv(name);
    int64_t v;

    if (!text || !dsn_number(text, 0, &v) || v > 1 << 20)
        return 0;
    *out = (int)v;
    return 1;
}

void dsn_share_find(struct dsn_usage_share *s)
{
    static const char *const ranks[][2] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
                                            { "PMI_RANK", "PMI_SIZE" },
                                            { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" } };
    static const char *const runs[] = { "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID",
                                        "SLURM_JOB_ID",   "SLURM_STEP_ID",           "PBS_JOBID", "LSB_JOBID" };
    uint64_t run = 0;
    int found = 0;

    for (size_t i = 0; !found && i < sizeof ranks / sizeof ranks[0]; i++)
        found = number_in(ranks[i][0], &s->rank) && number_in(ranks[i][1], &s->size) && s->rank < s->size;
    if (!found) {
        s->rank = 0;
        s->size = 1;
    }
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        const char *text = getenv(runs[i]);

        run = text ? dsn_hash(text, strlen(text), run + i) : run;
    }
    snprintf(s->run, sizeof s->run, "%016" PRIx64, run);
}

int dsn_share_has(const struct dsn_usage_share *s, const char *path)
{
    return s->size <= 1 || dsn_hash(path, strlen(path), 0) % (uint64_t)s->size == (uint64_t)s->rank;
}

/* ------------------------------------------------------------------ files beside the database */

/* File names end in ".go", ".part" (in progress, or abandoned) and ".done". NULL: no memory. */
static char *go_file(const struct dsn_accounting *a)
{
    char *name;

    return asprintf(&name, "%s.share-%s.go", a->file, a->share.run) < 0 ? NULL : name;
}

static char *part_file(const struct dsn_accounting *a, int rank, const char *end)
{
    char *name;

    return asprintf(&name, "%s.share-%s-%d-of-%d.%s", a->file, a->share.run, rank, a->share.size, end) < 0 ? NULL
                                                                                                           : name;
}

/* Whether a process on any node has the database open: SQLite then holds a lock (on these bytes: see its file format).
 * Not for a database that this process has open: closing the file would release its own locks. */
static int is_open_somewhere(const char *file)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512 };
    const int fd = open(file, O_RDWR | O_CLOEXEC);
    int held = 0;

    if (fd < 0)
        return 0;
    held = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(fd);
    return held;
}

static void wait_a_step(void)
{
    nanosleep(&(struct timespec){ 0, STEP_MS * 1000000L }, NULL);
}

static int no_memory(const struct dsn_accounting *a)
{
    dsn_warn(DSN_ACCOUNTING, a->file, "out of memory");
    return 0;
}

/* ------------------------------------------------------------------ the beginning */

int dsn_share_enter(const struct dsn_accounting *a)
{
    char *go = go_file(a);
    int waited = 0, there = 0;

    if (!go)
        return no_memory(a);
    if (a->share.rank == 0)
        unlink(go);
    /* while rank 0 has the database open, it may take any time: it is merging the parts of earlier runs */
    while (a->share.rank > 0 && !there && waited < PATIENCE_MS) {
        const int open = is_open_somewhere(a->file);

        there = open && access(go, F_OK) == 0;
        waited = open ? 0 : waited + STEP_MS;
        if (!there)
            wait_a_step();
    }
    free(go);
    if (a->share.rank == 0 || there)
        return 1;
    dsn_warn(DSN_ACCOUNTING, a->file, "rank 0 of this run has not opened it for a minute; rank %d gives up",
             a->share.rank);
    return 0;
}

/* SQLite's URI for a file that nobody writes: opened without locks and without creating files beside it, so that other
 * nodes can read it. */
char *dsn_share_frozen(const char *file)
{
    sqlite3_config(SQLITE_CONFIG_URI, 1);
    return dsn_sqlite_frozen_name(file);
}

static int say_go(struct dsn_accounting *a)
{
    char *go = go_file(a);
    int fd;

    if (!go)
        return no_memory(a);
    dsn_db_number(a->db, "PRAGMA wal_checkpoint(TRUNCATE)"); /* others only read the database file */
    fd = open(go, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        dsn_warn(DSN_ACCOUNTING, go, "cannot be created: %s; it signals the start", strerror(errno));
    else
        close(fd);
    free(go);
    return fd >= 0;
}

static void take_go_back(const struct dsn_accounting *a)
{
    char *go = go_file(a);

    if (go)
        unlink(go);
    free(go);
}

/* ------------------------------------------------------------------ putting together */

/* "INSERT INTO <table> (<columns>) SELECT ... FROM part.<table>", with the ids of logs and records shifted. */
static char *moving(struct dsn_db *db, const char *table, int64_t base)
{
    struct dsn_stmt *s = dsn_db_prepare(db, "SELECT name FROM pragma_table_info(?1)");
    char *names = NULL, *values = NULL, *sql = NULL;
    size_t size;
    FILE *to_names = open_memstream(&names, &size), *to_values = open_memstream(&values, &size);
    const char *between = "";

    dsn_bind_text(s, 1, table);
    for (; to_names && to_values && dsn_stmt_step(s); between = ", ") {
        const char *name = dsn_column_text(s, 0);
        const int64_t up = strcmp(name, "log_id") == 0      ? base
                           : strcmp(name, "record_id") == 0 ? base * DSN_RECORDS_A_LOG
                                                            : 0;

        fprintf(to_names, "%s%s", between, name);
        fprintf(to_values, up ? "%s%s + %" PRId64 : "%s%s", between, name, up);
    }
    dsn_stmt_free(s);
    if (to_names && to_values && (fclose(to_names) | fclose(to_values)) == 0)
        if (asprintf(&sql, "INSERT INTO main.%s (%s) SELECT %s FROM part.%s", table, names, values, table) < 0)
            sql = NULL;
    free(names);
    free(values);
    if (!sql)
        dsn_db_fail(db, "out of memory");
    return sql;
}

/* Moves a table's rows of the logs that were moved; for the table of logs, of those not in the database. */
static void move(struct dsn_db *db, const char *table, int64_t base)
{
    const int logs = strcmp(table, "log") == 0;
    char *sql = moving(db, table, base), *all = NULL;

    if (!sql ||
        (logs ? asprintf(&all, "%s WHERE (hash, machine) NOT IN (SELECT hash, machine FROM main.log) ORDER BY log_id",
                         sql)
              : asprintf(&all, "%s WHERE log_id + %" PRId64 " IN (SELECT log_id FROM main.log)", sql, base)) < 0)
        dsn_db_fail(db, "out of memory");
    else
        dsn_db_run(db, all);
    free(sql);
    free(all);
}

/* Sources of logs: those with the same content may have come from another part. */
static void move_sources(struct dsn_db *db)
{
    dsn_db_run(db,
               "INSERT OR REPLACE INTO main.source (path, bytes, changed_ns, log_id) "
               "SELECT s.path, s.bytes, s.changed_ns, there.log_id FROM part.source AS s "
               "JOIN part.log AS taken ON taken.log_id = s.log_id JOIN main.log AS there ON there.hash = taken.hash "
               "AND there.machine = taken.machine");
    dsn_delete_unfound(db); /* files that have been replaced */
    dsn_db_run(db, "INSERT OR IGNORE INTO main.machine SELECT machine FROM part.machine");
    dsn_db_run(db, "INSERT OR REPLACE INTO main.directory SELECT * FROM part.directory");
    dsn_db_run(db, "DELETE FROM main.quarantine WHERE path IN (SELECT path FROM part.source)");
    dsn_db_run(db, "INSERT OR REPLACE INTO main.quarantine (path, bytes, changed_ns, reason) "
                   "SELECT path, bytes, changed_ns, reason FROM part.quarantine");
}

/* Logs that an older release ingested with fewer data are replaced by the part's. */
static void forget_less(struct dsn_db *db)
{
    struct dsn_stmt *s;

    dsn_db_run(db, "CREATE TEMP TABLE replaced AS SELECT l.log_id, l.hash, l.machine FROM main.log AS l "
                   "JOIN part.log AS p USING (hash, machine) WHERE coalesce(l.taken_by, 0) < coalesce(p.taken_by, 0)");
    s = dsn_db_prepare(db, "SELECT log_id FROM replaced");
    while (dsn_stmt_step(s))
        dsn_delete_log(db, dsn_column_i64(s, 0));
    dsn_stmt_free(s);
}

static void move_replaced(struct dsn_db *db)
{
    dsn_db_run(
        db, "UPDATE main.source SET log_id = (SELECT l.log_id FROM replaced JOIN main.log AS l USING (hash, machine) "
            "WHERE replaced.log_id = source.log_id) WHERE log_id IN (SELECT log_id FROM replaced)");
    dsn_db_run(db, "DROP TABLE replaced");
}

static void move_all(struct dsn_db *db)
{
    const int64_t base = dsn_db_number(db, "SELECT coalesce(max(log_id), 0) FROM main.log");
    char prefix[32], table[48];

    forget_less(db);
    move(db, "log", base);
    move(db, "log_use", base);
    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++) {
        if (!dsn_module_taken(id))
            continue;
        dsn_table_prefix(dsn_table(id), prefix);
        snprintf(table, sizeof table, "%s_total", prefix);
        move(db, table, base);
        snprintf(table, sizeof table, "%s_record", prefix);
        move(db, table, base);
    }
    for (int i = 0; i < DSN_NDETAILS; i++)
        move(db, dsn_detail_tables[i].name, base);
    move_replaced(db);
    move_sources(db);
}

/* Upgrades a part to this release's schema, which also recovers what a killed process left. */
static int make_ready(const char *file, struct dsn_db **out)
{
    struct dsn_db *db = dsn_db_open(file, DSN_DB_PART);
    const int ok = db && !dsn_db_error(db) && dsn_schema_upgrade(db, 1);

    if (!ok)
        dsn_warn(DSN_ACCOUNTING, file, "%s", db && dsn_db_error(db) ? dsn_db_error(db) : "out of memory");
    if (ok && out)
        *out = db;
    else
        dsn_db_close(db);
    return ok;
}

static void attach(struct dsn_db *db, const char *file)
{
    struct dsn_stmt *s = dsn_db_prepare(db, "ATTACH ?1 AS part");

    dsn_bind_text(s, 1, file);
    dsn_stmt_run(s);
    dsn_stmt_free(s);
}

/* Merges a part in one transaction; merging it again adds nothing. */
static int absorb(struct dsn_accounting *a, const char *file)
{
    char *beside;

    if (!make_ready(file, NULL))
        return 0;
    attach(a->db, file);
    dsn_db_begin(a->db);
    move_all(a->db);
    if (!dsn_db_commit(a->db))
        dsn_db_rollback(a->db);
    dsn_db_run(a->db, "DETACH part");
    if (dsn_db_error(a->db))
        return 0;
    unlink(file);
    for (int i = 0; i < 2; i++)
        if (asprintf(&beside, "%s%s", file, i ? "-wal" : "-shm") >= 0) {
            unlink(beside);
            free(beside);
        }
    return 1;
}

/* A glob pattern for the names of all parts, with the database's name escaped. */
static char *pattern_of(const char *file)
{
    char *pattern = malloc(2 * strlen(file) + 20), *to = pattern;

    for (; to && *file != '\0'; *to++ = *file++)
        if (strchr("\\*?[]", *file))
            *to++ = '\\';
    if (to)
        memcpy(to, ".share-*-of-*", sizeof ".share-*-of-*");
    return pattern;
}

static int is_part(const char *name)
{
    const size_t n = strlen(name);

    return n > 5 && (strcmp(name + n - 5, ".part") == 0 || strcmp(name + n - 5, ".done") == 0);
}

int dsn_share_absorb(struct dsn_accounting *a)
{
    char *pattern = pattern_of(a->file);
    glob_t found;
    int ok = 1;

    if (!pattern)
        return no_memory(a);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; ok && i < found.gl_pathc; i++)
            if (is_part(found.gl_pathv[i]) && !is_open_somewhere(found.gl_pathv[i]))
                ok = absorb(a, found.gl_pathv[i]);
        globfree(&found);
    }
    free(pattern);
    return ok;
}

/* ------------------------------------------------------------------ all ranks together */

/* Whether a rank's part was completed. Does not wait for a process that has ended, or never started. */
static int wait_for(const struct dsn_accounting *a, int rank, int (*stopped)(void))
{
    char *part = part_file(a, rank, "part"), *done = part_file(a, rank, "done");
    int idle = 0, there = 0;

    while (part && done && !there && !stopped()) {
        const int begun = access(part, F_OK) == 0;

        there = access(done, F_OK) == 0;
        idle = is_open_somewhere(part) ? 0 : idle + STEP_MS;
        if (!there && idle > (begun ? LAST_WORD_MS : PATIENCE_MS))
            break;
        if (!there)
            wait_a_step();
    }
    free(part);
    free(done);
    if (!there && !stopped())
        dsn_warn(DSN_ACCOUNTING, a->file, "rank %d did not finish; the next ingest completes its part", rank);
    return there;
}

static int put_together(struct dsn_accounting *a, int (*stopped)(void))
{
    const int64_t before = dsn_db_number(a->db, "SELECT count(*) FROM log");
    int all = 1;

    for (int rank = 1; rank < a->share.size; rank++)
        all &= wait_for(a, rank, stopped);
    take_go_back(a);
    if (stopped())
        return 1;
    if (!dsn_share_absorb(a) || !dsn_roll_up(a->db)) {
        if (dsn_db_error(a->db))
            dsn_db_complain(a);
        return 1;
    }
    printf("%" PRId64 " logs merged from %d ranks\n", dsn_db_number(a->db, "SELECT count(*) FROM log") - before,
           a->share.size);
    return !all;
}

/* Ingests this rank's share. */
static int take_part(struct dsn_accounting *a, int (*pass)(struct dsn_accounting *a))
{
    char *part = part_file(a, a->share.rank, "part"), *done = part_file(a, a->share.rank, "done");
    struct dsn_db *whole = a->db;
    int rc = 1;

    if (!part || !done) {
        no_memory(a);
    } else if (make_ready(part, &a->db)) {
        a->whole = whole;
        rc = pass(a);
        a->whole = NULL;
        dsn_db_close(a->db);
        a->db = whole;
        if (rename(part, done) != 0) {
            dsn_warn(DSN_ACCOUNTING, part, "cannot be renamed: %s", strerror(errno));
            rc = 1;
        }
    }
    free(part);
    free(done);
    return rc;
}

int dsn_share_ingest(struct dsn_accounting *a, int (*pass)(struct dsn_accounting *a), int (*stopped)(void))
{
    int rc;

    if (a->share.rank == 0 && (!dsn_share_absorb(a) || !say_go(a))) {
        if (dsn_db_error(a->db))
            dsn_db_complain(a);
        return 1;
    }
    rc = take_part(a, pass);
    return a->share.rank == 0 ? put_together(a, stopped) | rc : rc;
}
