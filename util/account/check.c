/* check.c - checks the integrity and consistency of the database
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounting.h"
#include "schema.h"
#include "util/command/common.h"

/* A log's bytes are the sums of its parts (r, w), without what is damage (DSN_MOST_COUNT): sums that have it are not
 * checked. sum() is exact and does not fail. */
#define DIFFERS                                                                                                        \
    "(bytes_read <> coalesce(r, 0) AND coalesce(r, 0) BETWEEN 0 AND 36028797018963967) OR "                            \
    "(bytes_written <> coalesce(w, 0) AND coalesce(w, 0) BETWEEN 0 AND 36028797018963967)"

#define INGEST "`" DSN_ACCOUNTING " ingest` with their files takes them again"
#define FORGET "forget them (`" DSN_ACCOUNTING " forget PATH...`) and ingest them again"

/* Each query counts violations, with one of the logs concerned. */
static const struct {
    const char *what, *sql, *remedy;
} conditions[] = {
    { "sources of missing logs",
      "SELECT count(*), NULL FROM source AS s WHERE NOT EXISTS (SELECT 1 FROM log WHERE log.log_id = s.log_id)",
      INGEST },
    { "logs without a source",
      "SELECT count(*), min(log_id) FROM log AS l WHERE NOT EXISTS (SELECT 1 FROM source WHERE source.log_id = "
      "l.log_id)",
      "`" DSN_ACCOUNTING " forget` removes them" },
    { "files that are both ingested and in quarantine",
      "SELECT count(*), min(log_id) FROM quarantine JOIN source USING (path, bytes, changed_ns)", FORGET },
    { "uses of missing logs",
      "SELECT count(*), NULL FROM log_use AS u WHERE NOT EXISTS (SELECT 1 FROM log WHERE log.log_id = u.log_id)",
      "they count nowhere" },
    { "logs whose bytes differ from those of their uses",
      "SELECT count(*), min(log_id) FROM log LEFT JOIN (SELECT log_id, sum(bytes_read) AS r, sum(bytes_written) AS w "
      "FROM log_use "
      "GROUP BY log_id) AS s USING (log_id) WHERE " DIFFERS,
      FORGET },
    { "logs whose bytes differ from those of their modules",
      "SELECT count(*), min(log_id) FROM log LEFT JOIN (SELECT log_id, sum(r) AS r, sum(w) AS w FROM ("
      "SELECT log_id, POSIX_BYTES_READ AS r, POSIX_BYTES_WRITTEN AS w FROM posix_total UNION ALL "
      "SELECT log_id, STDIO_BYTES_READ, STDIO_BYTES_WRITTEN FROM stdio_total UNION ALL "
      "SELECT log_id, DFS_BYTES_READ, DFS_BYTES_WRITTEN FROM dfs_total UNION ALL "
      "SELECT log_id, DAOS_BYTES_READ, DAOS_BYTES_WRITTEN FROM daos_total "
      "WHERE log_id NOT IN (SELECT log_id FROM dfs_total)) AS m GROUP BY log_id) AS s USING (log_id) WHERE " DIFFERS,
      FORGET },
};

/* Rows of a query: a number, and a log or NULL. */
static int report(const struct dsn_accounting *a, const char *what, const char *sql, const char *remedy)
{
    struct dsn_stmt *s = dsn_db_prepare(a->db, sql), *path = NULL;
    const int64_t n = dsn_stmt_step(s) ? dsn_column_i64(s, 0) : 0;

    if (n > 0 && dsn_column_type(s, 1) != DSN_IS_NULL) {
        path = dsn_db_prepare(a->db, "SELECT path FROM log_path WHERE log_id = ?1");
        dsn_bind_i64(path, 1, dsn_column_i64(s, 1));
    }
    if (n > 0 && dsn_stmt_step(path))
        dsn_warn(DSN_ACCOUNTING, dsn_db_name(a->db), "%" PRId64 " %s, such as %s; %s", n, what,
                 dsn_column_text(path, 0), remedy);
    else if (n > 0)
        dsn_warn(DSN_ACCOUNTING, dsn_db_name(a->db), "%" PRId64 " %s; %s", n, what, remedy);
    dsn_stmt_free(path);
    dsn_stmt_free(s);
    return n > 0;
}

/* "SELECT <each> FROM <prefix>_<suffix> ..." for every module. The caller frees it; NULL: no memory. */
static char *for_modules(const char *before, const char *each, const char *between, const char *after)
{
    char *sql = NULL;
    size_t size;
    FILE *to = open_memstream(&sql, &size);
    int any = 0;

    if (!to)
        return NULL;
    fputs(before, to);
    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++) {
        char prefix[32];

        if (!dsn_module_taken(id))
            continue;
        dsn_table_prefix(dsn_table(id), prefix);
        fputs(any++ ? between : "", to);
        for (const char *at = each; *at; at++)
            fputs(*at == '@' ? prefix : (const char[]){ *at, '\0' }, to);
    }
    fputs(after, to);
    return fclose(to) == 0 ? sql : NULL;
}

static int check_modules(const struct dsn_accounting *a, const char *what, const char *each, const char *after)
{
    char *sql = for_modules("SELECT count(*), min(log_id) FROM log LEFT JOIN (SELECT log_id, sum(n) AS n FROM (", each,
                            " UNION ALL ", after);
    const int bad = sql ? report(a, what, sql, FORGET) : 0;

    if (!sql)
        dsn_db_fail(a->db, "out of memory");
    free(sql);
    return bad;
}

int dsn_check(struct dsn_accounting *a)
{
    struct dsn_stmt *s = dsn_db_catalog(a->db, DSN_WHOLE);
    int bad = 0;

    if (dsn_stmt_step(s) && strcmp(dsn_column_text(s, 0), "ok") != 0)
        dsn_db_fail(a->db, "%s", dsn_column_text(s, 0));
    dsn_stmt_free(s);
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++)
        bad |= report(a, conditions[i].what, conditions[i].sql, conditions[i].remedy);
    bad |= check_modules(a, "logs whose number of records differs from that of their modules",
                         "SELECT log_id, records AS n FROM @_total",
                         ") AS m GROUP BY log_id) AS s USING (log_id) WHERE records <> coalesce(n, 0)");
    bad |= check_modules(a, "logs with missing records", "SELECT log_id, count(*) AS n FROM @_record GROUP BY log_id",
                         ") AS m GROUP BY log_id) AS s USING (log_id) WHERE records_kept <> coalesce(n, 0)");
    if (dsn_db_error(a->db))
        return dsn_db_complain(a);
    if (!bad)
        printf("%" PRId64 " logs, all in order\n", dsn_db_number(a->db, "SELECT count(*) FROM log"));
    return bad;
}
