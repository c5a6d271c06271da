/* months.c - tables as compressed CSV by month
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "months.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "query.h"
#include "schema.h"
#include "util/command/common.h"
#include "util/trace/zstd.h"

/* A directory that has it may be replaced. Programs that load data skip names with _. */
#define MANIFEST   "_manifest.csv"
#define VIEWS      "_duckdb.sql"
#define NO_MONTH   "__HIVE_DEFAULT_PARTITION__"
#define FIRST_TIME INT64_C(-62135596800) /* of the year 1 */
#define END_TIME   INT64_C(253402300800) /* of the year 9999 */

/* Where the time of a table's rows is. */
static const struct time_of {
    const char *table; /* NULL: of the tables of logs, which have... */
    const char *key;   /* ...this first in their key */
    const char *owner, *time;
    const char *on, *owner_key; /* how a row finds its owner; NULL: it is itself */
} times_of[] = {
    { "log", NULL, "log", "start_time", NULL, NULL },
    { "job", NULL, "job", "start_time", NULL, NULL },
    { "device_sample", NULL, "device_sample", "time", NULL, NULL },
    { "process", NULL, "process", "start_time", NULL, NULL },
    { "snapshot", NULL, "snapshot", "time", NULL, NULL },
    { "snapshot_bin", NULL, "snapshot", "time", "t.snapshot_id = o.snapshot_id", "snapshot_id" },
    { "snapshot_owner", NULL, "snapshot", "time", "t.snapshot_id = o.snapshot_id", "snapshot_id" },
    { "snapshot_group", NULL, "snapshot", "time", "t.snapshot_id = o.snapshot_id", "snapshot_id" },
    { "snapshot_largest", NULL, "snapshot", "time", "t.snapshot_id = o.snapshot_id", "snapshot_id" },
    { "maintenance", NULL, "maintenance", "since", NULL, NULL },
    { NULL, "log_id", "log", "start_time", "t.log_id = o.log_id", "log_id" },
    /* see DSN_RECORDS_A_LOG */
    { NULL, "record_id", "log", "start_time",
      "t.record_id >= o.log_id * 16777216 AND t.record_id < (o.log_id + 1) * 16777216", "log_id" },
};
_Static_assert(DSN_RECORDS_A_LOG == 16777216, "the number in the condition above");

struct exporting {
    struct dsn_accounting *a;
    char *directory; /* where all is written, beside the one that was named */
    FILE *manifest, *views;
    int files; /* of the present table */
    char table[64], key[200];
    const struct time_of *of; /* NULL: the table has no times */
};

/* A file while it is written. */
struct part {
    char *path;
    int fd;
    struct dsn__zstd_writer *zstd;
    struct dsn_text out;
    int64_t rows;
};

static int cannot(const char *path, int error)
{
    dsn_warn(DSN_ACCOUNTING, path, "cannot be written: %s", strerror(error));
    return 0;
}

/* ------------------------------------------------------------------ a file */

static int compress(void *context, const char *bytes, size_t n)
{
    return dsn__zstd_write(context, bytes, n, 0);
}

/* The table's directory and, if it is parted, the month's. */
static int make_directories(const struct exporting *x, const char *month, struct part *p)
{
    char *of_table = NULL, *of_month = NULL;
    int ok = asprintf(&of_table, "%s/%s", x->directory, x->table) >= 0 &&
             asprintf(&of_month, month ? "%s/month=%s" : "%s%s", of_table, month ? month : "") >= 0 &&
             asprintf(&p->path, "%s/part.csv.zst", of_month) >= 0;

    if (!ok)
        cannot(x->directory, ENOMEM);
    else if ((mkdir(of_table, 0777) != 0 && errno != EEXIST) || (mkdir(of_month, 0777) != 0 && errno != EEXIST))
        ok = cannot(of_month, errno);
    free(of_table);
    free(of_month);
    return ok;
}

static int open_part(const struct exporting *x, const char *month, struct part *p)
{
    *p = (struct part){ .fd = -1 };
    if (!make_directories(x, month, p))
        return 0;
    p->fd = open(p->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (p->fd < 0)
        return cannot(p->path, errno);
    p->zstd = dsn__zstd_writer_new(p->fd);
    if (!p->zstd || !dsn_text_init(&p->out, -1))
        return cannot(p->path, ENOMEM);
    p->out.put = compress;
    p->out.context = p->zstd;
    return 1;
}

static int close_part(struct exporting *x, const char *month, struct part *p, int ok)
{
    int error = 0;

    if (p->out.buffer) {
        dsn_text_flush(&p->out);
        error = p->out.error ? p->out.error : dsn__zstd_write(p->zstd, "", 0, 1);
        dsn_text_free(&p->out);
    }
    dsn__zstd_writer_free(p->zstd);
    if (p->fd >= 0 && close(p->fd) != 0 && error == 0)
        error = errno;
    if (ok && error != 0)
        ok = cannot(p->path, error);
    x->files += ok;
    if (ok)
        fprintf(x->manifest, "%s,%s,%" PRId64 "\n", x->table, month ? month : "", p->rows);
    free(p->path);
    return ok;
}

/* All rows of a statement; no file if there are none. */
static int write_part(struct exporting *x, struct dsn_stmt *s, const char *month)
{
    struct part p = { .fd = -1 };
    int ok;

    if (!dsn_stmt_step(s))
        return !dsn_db_error(x->a->db);
    ok = open_part(x, month, &p);
    if (ok)
        dsn_print_csv_names(&p.out, s);
    while (ok) {
        dsn_print_csv_row(&p.out, s, DSN_CSV_UTF8);
        p.rows++;
        if (p.out.error || !dsn_stmt_step(s))
            break;
    }
    return close_part(x, month, &p, ok) && !dsn_db_error(x->a->db);
}

/* ------------------------------------------------------------------ months */

/* The UTC month of `at`: its name, and the time at which the next one begins. */
static int64_t month_of(int64_t at, char name[16])
{
    const time_t t = (time_t)at;
    struct tm tm;

    gmtime_r(&t, &tm);
    snprintf(name, 16, "%04d-%02d", (tm.tm_year + 1900) % 10000, tm.tm_mon % 12 + 1);
    tm = (struct tm){ .tm_year = tm.tm_year + (tm.tm_mon == 11), .tm_mon = (tm.tm_mon + 1) % 12, .tm_mday = 1 };
    return timegm(&tm);
}

/* " ORDER BY t.a, t.b" of a key "a, b", behind `first`; "" if there is nothing to order by. */
static void print_order(FILE *to, const char *first, const char *key)
{
    const char *before = " ORDER BY ";

    if (first[0])
        fprintf(to, "%s%s", before, first), before = ", ";
    while (*key) {
        const int n = (int)strcspn(key, ",");

        fprintf(to, "%st.%.*s", before, n, key);
        before = ", ";
        key += n;
        key += strspn(key, ", ");
    }
}

/* Which rows are there: those of ?1 <= time < ?2 or, with `outside`, all others. */
static void print_range(FILE *to, const struct time_of *of, int outside)
{
    const char who = of->on ? 'o' : 't', *time = of->time;

    fprintf(to, outside ? "(%c.%s IS NULL OR " : "", who, time);
    fprintf(to, outside ? "%c.%s < ?1 OR %c.%s >= ?2)" : "%c.%s >= ?1 AND %c.%s < ?2", who, time, who, time);
}

/* In the order of their times, which the indexes give without sorting. */
static void print_select(FILE *to, const struct exporting *x, int outside)
{
    const struct time_of *of = x->of;
    char first[100] = "";

    fprintf(to, "SELECT t.* FROM ");
    if (of && of->on)
        fprintf(to, "%s AS o CROSS JOIN ", of->owner); /* CROSS: the owner's loop is the outer one */
    fprintf(to, "\"%s\" AS t", x->table);
    if (of) {
        fprintf(to, of->on ? " WHERE %s AND " : " WHERE ", of->on);
        print_range(to, of, outside);
        snprintf(first, sizeof first, of->on ? "o.%s, o.%s" : "t.%s", of->time, of->owner_key);
    }
    print_order(to, first, x->key);
}

static struct dsn_stmt *rows_of(const struct exporting *x, int64_t from, int64_t to, int outside)
{
    struct dsn_stmt *s = NULL;
    char *sql = NULL;
    size_t size;
    FILE *text = open_memstream(&sql, &size);

    if (text)
        print_select(text, x, outside);
    if (text && fclose(text) == 0 && sql)
        s = dsn_db_prepare(x->a->db, sql);
    else
        dsn_db_fail(x->a->db, "out of memory");
    free(sql);
    if (x->of) {
        dsn_bind_i64(s, 1, from);
        dsn_bind_i64(s, 2, to);
    }
    return s;
}

static int write_rows(struct exporting *x, int64_t from, int64_t to, int outside, const char *month)
{
    struct dsn_stmt *s = rows_of(x, from, to, outside);
    const int ok = write_part(x, s, month);

    dsn_stmt_free(s);
    return ok;
}

/* The first time of the table's owner in from <= time < to; 0: there is none. */
static int first_time(const struct exporting *x, int64_t from, int64_t to, int64_t *out)
{
    struct dsn_stmt *s;
    char sql[200];
    int found;

    snprintf(sql, sizeof sql, "SELECT min(%s) FROM %s WHERE %s >= ?1 AND %s < ?2", x->of->time, x->of->owner,
             x->of->time, x->of->time);
    s = dsn_db_prepare(x->a->db, sql);
    dsn_bind_i64(s, 1, from);
    dsn_bind_i64(s, 2, to);
    found = dsn_stmt_step(s) && dsn_column_type(s, 0) != DSN_IS_NULL;
    if (found)
        *out = (int64_t)floor(dsn_column_f64(s, 0));
    dsn_stmt_free(s);
    return found;
}

static int write_months(struct exporting *x)
{
    const int all = x->a->from == 0 && x->a->to == INT64_MAX; /* nothing else was asked for */
    const int64_t end = x->a->to < END_TIME ? x->a->to : END_TIME;
    int64_t at = all ? FIRST_TIME : x->a->from, first;
    int ok = 1;

    while (ok && first_time(x, at, end, &first)) {
        char month[16];
        const int64_t next = month_of(first, month);

        ok = write_rows(x, at, next < end ? next : end, 0, month);
        at = next;
    }
    if (ok && all)
        ok = write_rows(x, FIRST_TIME, END_TIME, 1, NO_MONTH);
    return ok && !dsn_db_error(x->a->db);
}

/* ------------------------------------------------------------------ tables */

static const struct time_of *find_times(const char *table, const char *key)
{
    const size_t n = strcspn(key, ",");

    for (size_t i = 0; i < sizeof times_of / sizeof times_of[0]; i++) {
        const struct time_of *of = &times_of[i];

        if (of->table ? strcmp(of->table, table) == 0 : strlen(of->key) == n && strncmp(of->key, key, n) == 0)
            return of;
    }
    return NULL;
}

/* DuckDB would guess types from the first rows. */
static void print_view(struct exporting *x)
{
    struct dsn_stmt *s = dsn_db_catalog(x->a->db, DSN_COLUMNS);
    const char *between = "";

    fprintf(x->views,
            "CREATE VIEW \"%s\" AS SELECT * FROM read_csv('%s/%spart.csv.zst', auto_detect = false, header = true, "
            "delim = ',', quote = '\"', escape = '\"', %scolumns = {",
            x->table, x->table, x->of ? "month=*/" : "",
            x->of ? "hive_partitioning = true, hive_types = {'month': VARCHAR}, " : "");
    dsn_bind_text(s, 1, x->table);
    for (; dsn_stmt_step(s); between = ", ") {
        const char *type = dsn_column_text(s, 1);

        fprintf(x->views, "%s'%s': '%s'", between, dsn_column_text(s, 0),
                strcmp(type, "INTEGER") == 0 ? "BIGINT"
                : strcmp(type, "REAL") == 0  ? "DOUBLE"
                                             : "VARCHAR");
    }
    dsn_stmt_free(s);
    fprintf(x->views, "});\n");
}

static int write_table(struct exporting *x)
{
    char sql[200];
    int ok;

    snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT 1 FROM \"%s\" LIMIT 1) AS one", x->table);
    if (dsn_db_number(x->a->db, sql) == 0)
        return !dsn_db_error(x->a->db);
    x->of = find_times(x->table, x->key);
    x->files = 0;
    ok = x->of ? write_months(x) : write_rows(x, 0, 0, 0, NULL);
    if (ok && x->files > 0)
        print_view(x);
    return ok;
}

static int write_tables(struct exporting *x)
{
    struct dsn_stmt *s;
    int ok = 1;

    dsn_db_begin_reading(x->a->db);
    s = dsn_db_catalog(x->a->db, DSN_TABLES);
    while (ok && dsn_stmt_step(s)) {
        snprintf(x->table, sizeof x->table, "%s", dsn_column_text(s, 0));
        snprintf(x->key, sizeof x->key, "%s", dsn_column_text(s, 1));
        ok = write_table(x);
    }
    dsn_stmt_free(s);
    dsn_db_commit(x->a->db);
    return ok && !dsn_db_error(x->a->db);
}

/* ------------------------------------------------------------------ the directory */

static int take_away(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

static void remove_directory(const char *path)
{
    if (nftw(path, take_away, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) != 0)
        dsn_warn(DSN_ACCOUNTING, path, "cannot be removed: %s", strerror(errno));
}

/* Whether an export may go to `name`. */
static int may_replace(const struct dsn_accounting *a, const char *name)
{
    struct stat st;
    char *manifest = NULL;
    int ok = lstat(name, &st) != 0 && errno == ENOENT;

    if (ok)
        return 1;
    if (asprintf(&manifest, "%s/" MANIFEST, name) < 0)
        return cannot(name, ENOMEM);
    ok = a->force && S_ISDIR(st.st_mode) && access(manifest, F_OK) == 0;
    if (!ok)
        dsn_warn(DSN_ACCOUNTING, name,
                 a->force ? "is not the directory of an export, and is not replaced; give another name"
                          : "exists; give another name, or --force to replace an export");
    free(manifest);
    return ok;
}

/* Gives the new directory its name, in one step where the file system can do that. The name may be in use by now: rename
 * takes over an empty directory only, and what is exchanged, and then removed, has to be an export still. */
static int put_in_place(const struct dsn_accounting *a, char *made, const char *name)
{
    struct stat st;

    if (lstat(name, &st) != 0)
        return rename(made, name) == 0 || cannot(name, errno);
    if (!may_replace(a, name))
        return 0;
    if (renameat2(AT_FDCWD, made, AT_FDCWD, name, RENAME_EXCHANGE) != 0) {
        char *aside = NULL;
        int ok = asprintf(&aside, "%s.old", made) >= 0;

        ok = (ok && rename(name, aside) == 0 && rename(made, name) == 0 && rename(aside, made) == 0) ||
             cannot(name, errno);
        free(aside);
        if (!ok)
            return 0;
    }
    remove_directory(made);
    return 1;
}

static FILE *open_text(const struct exporting *x, const char *name)
{
    char *path = NULL;
    FILE *f;

    if (asprintf(&path, "%s/%s", x->directory, name) < 0) {
        cannot(x->directory, ENOMEM);
        return NULL;
    }
    f = fopen(path, "wxe");
    if (!f)
        cannot(path, errno);
    free(path);
    return f;
}

/* NULL is allowed. Returns 0 or an errno. */
static int close_text(FILE *f)
{
    const int failed = f && ferror(f);

    return f && fclose(f) != 0 ? errno : failed ? EIO : 0;
}

/* Waits until all that was written is on the disk. */
static int sync_directory(const struct exporting *x)
{
    const int fd = open(x->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int ok = fd >= 0 && syncfs(fd) == 0;

    if (!ok)
        cannot(x->directory, errno);
    if (fd >= 0)
        close(fd);
    return ok;
}

static int write_all(struct exporting *x)
{
    int ok, error;

    x->manifest = open_text(x, MANIFEST);
    x->views = x->manifest ? open_text(x, VIEWS) : NULL;
    ok = x->views != NULL;
    if (ok) {
        fputs("table,month,rows\n", x->manifest);
        fputs("-- in this directory: duckdb -init _duckdb.sql\n", x->views);
        ok = write_tables(x);
    }
    error = close_text(x->manifest);
    if (error == 0)
        error = close_text(x->views);
    else
        close_text(x->views);
    return ok && (error == 0 || cannot(x->directory, error)) && sync_directory(x);
}

static int export_into(struct exporting *x, const char *name)
{
    const mode_t mask = umask(0);
    int ok;

    umask(mask);
    ok = write_all(x);
    if (ok && chmod(x->directory, 0777 & ~mask) != 0)
        ok = cannot(x->directory, errno);
    return ok && put_in_place(x->a, x->directory, name);
}

int dsn_export_months(struct dsn_accounting *a)
{
    struct exporting x = { .a = a };
    char *name = a->arguments[0];
    int ok;

    for (size_t n = strlen(name); n > 1 && name[n - 1] == '/'; n--)
        name[n - 1] = '\0';
    if (!may_replace(a, name))
        return 1;
    if (asprintf(&x.directory, "%s.XXXXXX", name) < 0)
        return !cannot(name, ENOMEM);
    if (!mkdtemp(x.directory)) {
        cannot(name, errno);
        free(x.directory);
        return 1;
    }
    ok = export_into(&x, name);
    if (!ok && access(x.directory, F_OK) == 0)
        remove_directory(x.directory);
    free(x.directory);
    return dsn_db_error(a->db) ? dsn_db_complain(a) : !ok;
}
