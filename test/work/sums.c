/* sums.c - sums by dsn_sqlite_sum() of groups and windows, for a build with -fsanitize=undefined
 * SPDX-License-Identifier: BSD-3-Clause */
#include <sqlite3.h>
#include <stdio.h>

#include "sqlite-sum.h"

static int print(void *unused, int n, char **value, char **name)
{
    (void)unused, (void)name;
    for (int i = 0; i < n; i++)
        printf("%s%s", value[i] ? value[i] : "NULL", i + 1 < n ? " " : "\n");
    return 0;
}

int main(void)
{
    static const char sql[] =
        "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 1), (2, NULL), (1, 3), (3, 9223372036854775807), "
        "(3, 9223372036854775807), (4, 1.5), (4, 2); SELECT a, sum(b) FROM t GROUP BY a; "
        "SELECT sum(b) OVER (ORDER BY rowid ROWS 1 PRECEDING) FROM t WHERE a IN (1, 4);";
    sqlite3 *db;

    return sqlite3_open(":memory:", &db) || dsn_sqlite_sum(db) || sqlite3_exec(db, sql, print, NULL, NULL);
}
