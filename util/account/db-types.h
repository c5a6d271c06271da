/* db-types.h - kinds of access, columns and catalogs, for the database and its back ends
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_DB_TYPES_H
#define DSN_DB_TYPES_H

struct dsn_db;
struct dsn_stmt;

/* PART: like CREATE, for a file used by this command only. */
enum dsn_db_how { DSN_DB_READ, DSN_DB_WRITE, DSN_DB_CREATE, DSN_DB_PART };

enum dsn_column_type { DSN_IS_NULL, DSN_IS_INTEGER, DSN_IS_REAL, DSN_IS_TEXT };

/* Lists returned by dsn_db_catalog(). */
enum dsn_catalog {
    DSN_TABLES,   /* readable tables by name: name, key columns "a, b" */
    DSN_VIEWS,    /* name; views that use others first */
    DSN_COLUMNS,  /* of the table given by parameter 1, in order: name in lower case; INTEGER, REAL or TEXT */
    DSN_MIGRATED, /* the number stored by dsn_db_set_migrated(), otherwise 0 */
    DSN_OBJECTS,  /* number of tables and views */
    DSN_WHOLE,    /* "ok", or what the integrity check found */
    DSN_NCATALOG
};

#endif
