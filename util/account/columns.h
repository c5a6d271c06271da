/* columns.h - formats columns of results by their names
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COLUMNS_H
#define DSN_COLUMNS_H

#include "db.h"

enum dsn_column_kind {
    DSN_COLUMN_NUMBER,
    DSN_COLUMN_ID,      /* an identifier */
    DSN_COLUMN_TIME,    /* seconds since 1970 */
    DSN_COLUMN_SHARE,   /* fraction of 1 */
    DSN_COLUMN_PERCENT, /* percent */
    DSN_COLUMN_BYTES,
    DSN_COLUMN_SECONDS,
};

/* Names are matched by glob patterns, of which the first match counts. */
enum dsn_column_kind dsn_column_kind(const char *name);

/* The kind's name in the JSON of a page: "id", "time", ... */
const char *dsn_column_kind_name(enum dsn_column_kind kind);

#define DSN_VALUE_TEXT 64

/* A number of a row, formatted: "1,282", "282 GiB", "2016-03-24 20:13:45" (local). NULL if it is text; "" for NULL. */
const char *dsn_column_shown(const struct dsn_stmt *s, int at, enum dsn_column_kind kind, char to[DSN_VALUE_TEXT]);

#endif
