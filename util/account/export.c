/* export.c - exports every table as a CSV file
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "accounting.h"
#include "months.h"
#include "query.h"
#include "util/command/common.h"
#include "util/command/save.h"
#include "util/trace/zstd.h"

static int cannot(const char *path, int error)
{
    dsn_warn(DSN_ACCOUNTING, path, "cannot be written: %s", strerror(error));
    return 0;
}

/* Ordered by the key columns `key`. */
static int export_to(struct dsn_accounting *a, const char *path, const char *table, const char *key)
{
    struct dsn_text out;
    struct dsn_stmt *s;
    char sql[400];
    struct dsn_new_file file;
    int error = dsn_file_begin(&file, path);

    if (error != 0)
        return cannot(path, error);
    snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"%s%s", table, key[0] ? " ORDER BY " : "", key);
    s = dsn_db_prepare(a->db, sql);
    if (!dsn_text_init(&out, file.fd)) {
        dsn_stmt_free(s);
        return cannot(path, dsn_file_end(&file, ENOMEM));
    }
    if (s)
        dsn_print_csv(&out, s, DSN_CSV_RAW); /* to be imported again */
    dsn_stmt_free(s);
    dsn_text_flush(&out);
    error = out.error;
    dsn_text_free(&out);
    error = dsn_file_end(&file, error);
    return error == 0 || cannot(path, error);
}

static int export_table(struct dsn_accounting *a, const char *directory, const char *table, const char *key)
{
    char *path = NULL;
    int ok;

    if (asprintf(&path, "%s/%s.csv", directory, table) < 0)
        return cannot(directory, ENOMEM);
    ok = export_to(a, path, table, key);
    free(path);
    return ok;
}

static int export_files(struct dsn_accounting *a)
{
    const char *directory = a->arguments[0];
    struct dsn_stmt *s;
    int ok = 1;

    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        cannot(directory, errno);
        return 1;
    }
    dsn_db_begin_reading(a->db);
    s = dsn_db_catalog(a->db, DSN_TABLES);
    while (ok && dsn_stmt_step(s))
        ok = export_table(a, directory, dsn_column_text(s, 0), dsn_column_text(s, 1));
    dsn_stmt_free(s);
    dsn_db_commit(a->db);
    return dsn_db_error(a->db) ? dsn_db_complain(a) : !ok;
}

int dsn_export(struct dsn_accounting *a)
{
    return a->is_by_month ? dsn_export_months(a) : export_files(a);
}

const char *dsn_export_misuse(const struct dsn_accounting *a)
{
    if (a->is_by_month && !DSN__HAS_ZSTD)
        return "--format csv.zst: this " DSN_ACCOUNTING " was built without libzstd";
    if (!a->is_by_month && a->force)
        return "--force: only with --format csv.zst";
    return NULL;
}
