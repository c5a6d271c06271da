/* db-types.h - kinds of access, of columns and of lists that the database and its back ends agree on
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_DB_TYPES_H
#define DSN_DB_TYPES_H

struct dsn_db;
struct dsn_stmt;

/* PART: as CREATE, of a file that nobody but this command knows. */
enum dsn_db_how { DSN_DB_READ, DSN_DB_WRITE, DSN_DB_CREATE, DSN_DB_PART };

enum dsn_column_type { DSN_IS_NULL, DSN_IS_INTEGER, DSN_IS_REAL, DSN_IS_TEXT };

/* What dsn_db_catalog() can list. */
enum dsn_catalog {
    DSN_TABLES,   /* those that may be read: name, "a, b" of its key; by name */
    DSN_VIEWS,    /* name; one that is made of others before these */
    DSN_COLUMNS,  /* name in lower case; of the table that parameter 1 names */
    DSN_MIGRATED, /* the number that dsn_db_set_migrated() left, 0 if there is none */
    DSN_OBJECTS,  /* how many tables and views */
    DSN_WHOLE,    /* "ok", or what is wrong with the database as such */
    DSN_NCATALOG
};

#endif
