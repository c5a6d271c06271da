/* forget.c - removes logs by the names of their files
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accounting.h"
#include "anonym.h"
#include "schema.h"
#include "util/command/common.h"

/* The name under which a file was ingested: absolute, without links if the file is still there. The caller frees it;
 * NULL: no memory. */
static char *name_of_file(const char *argument)
{
    char *path = realpath(argument, NULL), *here, *joined = NULL;

    if (path || argument[0] == '/')
        return path ? path : strdup(argument);
    here = getcwd(NULL, 0);
    if (here && asprintf(&joined, "%s/%s", here, argument) < 0)
        joined = NULL;
    free(here);
    return joined;
}

/* Deletes the rows of a table that are about the file, or about files below the directory, of that name. */
static void delete_of(struct dsn_db *db, const char *table, const char *path)
{
    char sql[200];
    struct dsn_stmt *s;

    snprintf(sql, sizeof sql, "DELETE FROM %s WHERE path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0')", table);
    s = dsn_db_prepare(db, sql);
    dsn_bind_text(s, 1, path);
    dsn_stmt_run(s);
    dsn_stmt_free(s);
}

int dsn_forget(struct dsn_accounting *a)
{
    struct dsn_db *db = a->db;
    int64_t before, sources;

    dsn_db_begin(db);
    before = dsn_db_number(db, "SELECT count(*) FROM log");
    sources = dsn_db_number(db, "SELECT count(*) FROM source");
    for (int i = 0; i < a->narguments; i++) {
        char *path = name_of_file(a->arguments[i]), pseudonym[DSN_PSEUDONYM];

        if (!path)
            dsn_db_fail(db, "out of memory");
        else if (a->anonym)
            dsn_anonym_text(a->anonym, path, pseudonym);
        delete_of(db, "source", a->anonym ? pseudonym : path ? path : "");
        delete_of(db, "quarantine", a->anonym ? pseudonym : path ? path : "");
        free(path);
    }
    dsn_delete_unfound(db);
    sources -= dsn_db_number(db, "SELECT count(*) FROM source");
    before -= dsn_db_number(db, "SELECT count(*) FROM log");
    if (!dsn_db_commit(db)) {
        dsn_db_rollback(db);
        return dsn_db_complain(a);
    }
    printf("%" PRId64 " files forgotten, with %" PRId64 " logs\n", sources, before);
    return 0;
}
