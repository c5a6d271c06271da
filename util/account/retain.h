/* retain.h - how long every detail is kept
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Totals of a log are kept for ever, records of its files as many days as the setting "keep_days" says (0: for ever,
 * too), counted from the job's end. */
#ifndef DSN_RETAIN_H
#define DSN_RETAIN_H

#include "db.h"

/* Changes the setting. Returns 1, or 0 (dsn_db_error()). */
int dsn_keep_days(struct dsn_db *db, int64_t days);

/* Logs of jobs that ended before this time (seconds since 1970) leave no records of files; INT64_MIN: all do. */
int64_t dsn_keep_since(struct dsn_db *db);

/* Deletes the records of files that are older. Returns 1, or 0 (dsn_db_error()). */
int dsn_roll_up(struct dsn_db *db);

#endif
