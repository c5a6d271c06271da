/* sqlite-sum.h - sums that no log can stop
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SQLITE_SUM_H
#define DSN_SQLITE_SUM_H

#include <sqlite3.h>

/* sum() of this connection, also as a window function. As SQLite's own, but integers whose sum is beyond 64 bits give a
 * number with a fraction instead of the error "integer overflow": one log that claims 2^62 bytes would end every query of
 * all. Returns what SQLite says. */
int dsn_sqlite_sum(sqlite3 *handle);

#endif
