/* sqlite-sum.h - sums without integer overflow
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SQLITE_SUM_H
#define DSN_SQLITE_SUM_H

#include <sqlite3.h>

/* Replaces sum() of this connection, also as a window function. Like SQLite's, but integers whose sum exceeds 64 bits
 * result in a real number instead of the error "integer overflow": otherwise a single log that claims 2^62 bytes would
 * make every query fail. Returns SQLite's result code. */
int dsn_sqlite_sum(sqlite3 *handle);

#endif
