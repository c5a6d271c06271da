/* sqlite-sum.c - sums without integer overflow
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sqlite-sum.h"

#include <stddef.h>
#include <stdint.h>

/* SQLite's memory is aligned for 64 bits only. */
typedef __int128 wide __attribute__((aligned(8)));

/* Zeroed by SQLite. 128 bits are sufficient for any possible number of rows. */
struct sum {
    wide integers;
    double all; /* sum including integers: the result if any value is real */
    int64_t n, nreals;
};

static void change(sqlite3_context *context, sqlite3_value *value, int sign)
{
    struct sum *s = sqlite3_aggregate_context(context, sizeof *s);
    const int type = sqlite3_value_numeric_type(value);

    if (!s || type == SQLITE_NULL)
        return;
    s->n += sign;
    s->all += sign * sqlite3_value_double(value);
    if (type == SQLITE_INTEGER)
        s->integers += sign * (__int128)sqlite3_value_int64(value);
    else
        s->nreals += sign;
}

static void step(sqlite3_context *context, int n, sqlite3_value **value)
{
    (void)n;
    change(context, value[0], 1);
}

static void inverse(sqlite3_context *context, int n, sqlite3_value **value)
{
    (void)n;
    change(context, value[0], -1);
}

static void result(sqlite3_context *context)
{
    const struct sum *s = sqlite3_aggregate_context(context, 0);

    if (!s || s->n == 0)
        sqlite3_result_null(context);
    else if (s->nreals > 0)
        sqlite3_result_double(context, s->all);
    else if (s->integers < INT64_MIN || s->integers > INT64_MAX)
        sqlite3_result_double(context, (double)s->integers);
    else
        sqlite3_result_int64(context, (int64_t)s->integers);
}

int dsn_sqlite_sum(sqlite3 *handle)
{
    return sqlite3_create_window_function(handle, "sum", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
                                          step, result, result, inverse, NULL);
}
