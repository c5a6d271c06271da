/* schema.h - tables, views and queries of the database
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables have three sources. first.sql etc.: numbered migrations, the last of which is stored in the database. log.def:
 * the columns of `log`. The descriptions of counters: <module>_total has a row per log, <module>_record a row per
 * record. Columns added in a newer release are added to existing databases; views are recreated. */
#ifndef DSN_SCHEMA_H
#define DSN_SCHEMA_H

#include "db.h"
#include "taken.h"

/* contents of the *.sql files */
extern const char dsn_sql_first[], dsn_sql_second[], dsn_sql_third[], dsn_sql_fourth[], dsn_sql_fifth[],
    dsn_sql_sixth[], dsn_sql_seventh[], dsn_sql_eighth[], dsn_sql_ninth[], dsn_sql_views[], dsn_sql_queries[],
    dsn_sql_postgresql[];

/* Upgrades a database to the current schema; creates it in an empty one if `make`. Returns 1, or 0 (dsn_db_error()),
 * also if the database is of a newer release. */
int dsn_schema_upgrade(struct dsn_db *db, int make);

/* Checks that a database has the current schema, for readers. Returns likewise. */
int dsn_schema_verify(struct dsn_db *db);

/* Indexes of a module's values that are columns, in column order. */
struct dsn_columns {
    unsigned n;
    uint16_t at[DSN_MAX_VALUES];
    uint8_t kind[DSN_MAX_VALUES];
};
void dsn_columns_of(const struct dsn_table *t, struct dsn_columns *out);

/* "posix" for "POSIX_OPENS": the prefix of a module's tables. */
void dsn_table_prefix(const struct dsn_table *t, char out[32]);

/* A record's key is log_id * DSN_RECORDS_A_LOG + its index in the log. */
#define DSN_RECORDS_A_LOG 16777216

/* Deletes a log and all its rows except its sources; the rows of <table><suffix> that belong to a log and have a
 * record_id. In the caller's transaction. */
void dsn_delete_log(struct dsn_db *db, int64_t log_id);

/* Deletes the logs that have no source any more. */
void dsn_delete_unfound(struct dsn_db *db);
void dsn_delete_rows(struct dsn_db *db, const char *table, const char *suffix, int64_t log_id);

/* Inserts logs. `log_id`: the log's id, also if one with the same content exists, for which nothing else is inserted.
 * One ingested by an older release with fewer data is replaced; its sources are kept. All in the caller's
 * transaction. */
enum dsn_insertion { DSN_WAS_THERE, DSN_IS_NEW, DSN_REPLACED };
struct dsn_inserting;
struct dsn_inserting *dsn_inserting_begin(struct dsn_db *db); /* NULL: no memory, or dsn_db_error() */
int dsn_insert_log(struct dsn_inserting *in, const struct dsn_taken *t, int64_t *log_id, enum dsn_insertion *how);
void dsn_inserting_end(struct dsn_inserting *in);

#endif
