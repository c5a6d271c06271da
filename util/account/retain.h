/* retain.h - retention of file records
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A log's totals are kept forever, its file records for "keep_days" days (0: forever, too) after the end of the job. */
#ifndef DSN_RETAIN_H
#define DSN_RETAIN_H

#include "db.h"

/* Changes the setting. Returns 1, or 0 (dsn_db_error()). */
int dsn_keep_days(struct dsn_db *db, int64_t days);

/* Jobs that ended before this time (seconds since 1970) have no file records; INT64_MIN: all have. */
int64_t dsn_keep_since(struct dsn_db *db);

/* Deletes older file records. Returns 1, or 0 (dsn_db_error()). */
int dsn_roll_up(struct dsn_db *db);

#endif
