/* schema.h - tables, views and queries of the database
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables come from three places. first.sql and its successors: numbered migrations, of which a database remembers
 * the last. log.def: the columns of `log`. The rows that describe counters: <module>_total with a row a log,
 * <module>_record with a row a record. A column that a newer release has more is added to a database that an older one
 * has made; views are made anew. */
#ifndef DSN_SCHEMA_H
#define DSN_SCHEMA_H

#include "db.h"
#include "taken.h"

/* SQL as text, made of the *.sql files. */
extern const char dsn_sql_first[], dsn_sql_second[], dsn_sql_third[], dsn_sql_fourth[], dsn_sql_views[],
    dsn_sql_queries[], dsn_sql_postgresql[];

/* Brings a database to the present schema; an empty one gets all of it if `make`. Returns 1, or 0 (dsn_db_error()):
 * also if a newer release has changed it. */
int dsn_schema_upgrade(struct dsn_db *db, int make);

/* Looks whether a database has the present schema, for those who only read it. Returns as above. */
int dsn_schema_verify(struct dsn_db *db);

/* Values of a module's records that are columns, in the order of the columns. */
struct dsn_columns {
    unsigned n;
    uint16_t at[DSN_MAX_VALUES];
    uint8_t kind[DSN_MAX_VALUES];
};
void dsn_columns_of(const struct dsn_table *t, struct dsn_columns *out);

/* "posix" of "POSIX_OPENS": what a module's tables begin with. */
void dsn_table_prefix(const struct dsn_table *t, char out[32]);

/* Numbers that a record's key is made of: log_id * DSN_RECORDS_A_LOG + its number in the log. */
#define DSN_RECORDS_A_LOG 16777216

/* Deletes a log and all that is of it but its sources; rows of <table><suffix> that are of a log and have record_id. In the
 * caller's transaction. */
void dsn_delete_log(struct dsn_db *db, int64_t log_id);
void dsn_delete_rows(struct dsn_db *db, const char *table, const char *suffix, int64_t log_id);

/* Inserting of logs. `log_id`: of that log, also if one of the same content is there already, of which nothing else is
 * inserted then. One that an older release took less of is replaced; its sources are those of the new one. All of it
 * belongs into the caller's transaction. */
enum dsn_insertion { DSN_WAS_THERE, DSN_IS_NEW, DSN_REPLACED };
struct dsn_inserting;
struct dsn_inserting *dsn_inserting_begin(struct dsn_db *db); /* NULL: no memory, or dsn_db_error() */
int dsn_insert_log(struct dsn_inserting *in, const struct dsn_taken *t, int64_t *log_id, enum dsn_insertion *how);
void dsn_inserting_end(struct dsn_inserting *in);

#endif
