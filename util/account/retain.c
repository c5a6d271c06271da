/* retain.c - deletes old file records; totals are kept
 * SPDX-License-Identifier: BSD-3-Clause */
#include "retain.h"

#include <stdio.h>
#include <time.h>

#include "schema.h"

#define DAY        86400
#define BATCH_LOGS 1000 /* per transaction */

int dsn_keep_days(struct dsn_db *db, int64_t days)
{
    struct dsn_stmt *s = dsn_db_put(db, "setting", "name", "value", NULL);
    int ok;

    dsn_bind_text(s, 1, "keep_days");
    dsn_bind_i64(s, 2, days);
    ok = dsn_stmt_run(s);
    dsn_stmt_free(s);
    return ok;
}

int64_t dsn_keep_since(struct dsn_db *db)
{
    const int64_t days = dsn_db_number(db, "SELECT value FROM setting WHERE name = 'keep_days'");

    return days > 0 ? (int64_t)time(NULL) - days * DAY : INT64_MIN;
}

static void delete_records(struct dsn_db *db, int64_t log_id)
{
    char sql[200], prefix[32];

    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++) {
        if (!dsn_module_taken(id))
            continue;
        dsn_table_prefix(dsn_table(id), prefix);
        dsn_delete_rows(db, prefix, "_record", log_id);
    }
    for (int i = 0; i < DSN_NDETAILS; i++)
        if (!dsn_detail_tables[i].is_total)
            dsn_delete_rows(db, dsn_detail_tables[i].name, "", log_id);
    snprintf(sql, sizeof sql, "UPDATE log SET records_kept = 0 WHERE log_id = %lld", (long long)log_id);
    dsn_db_run(db, sql);
}

/* Deletes those of some logs that ended before `since`, of those behind log *after, which becomes the last one. Returns the
 * number of logs. */
static int roll_up_some(struct dsn_db *db, int64_t since, int64_t *after)
{
    int64_t logs[BATCH_LOGS];
    struct dsn_stmt *s = dsn_db_prepare(db, "SELECT log_id FROM log WHERE records_kept > 0 AND end_time < ?1 AND "
                                            "log_id > ?2 ORDER BY log_id LIMIT ?3");
    int n = 0;

    dsn_bind_i64(s, 1, since);
    dsn_bind_i64(s, 2, *after);
    dsn_bind_i64(s, 3, BATCH_LOGS);
    while (dsn_stmt_step(s))
        logs[n++] = dsn_column_i64(s, 0);
    dsn_stmt_free(s);
    dsn_db_begin(db);
    for (int i = 0; i < n; i++)
        delete_records(db, logs[i]);
    dsn_db_commit(db);
    *after = n > 0 ? logs[n - 1] : *after;
    return n;
}

int dsn_roll_up(struct dsn_db *db)
{
    const int64_t since = dsn_keep_since(db);
    int64_t after = INT64_MIN;

    while (since != INT64_MIN && !dsn_db_error(db) && roll_up_some(db, since, &after) == BATCH_LOGS)
        ;
    return !dsn_db_error(db);
}
