/* columns.c - formats columns of results by their names
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "columns.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "util/report/units.h"

static const struct {
    const char *pattern;
    enum dsn_column_kind kind;
} kinds[] = {
    { "*jobid", DSN_COLUMN_ID },
    { "*log_id", DSN_COLUMN_ID },
    { "*_log", DSN_COLUMN_ID },
    { "*_id", DSN_COLUMN_ID },
    { "owner", DSN_COLUMN_ID },
    { "uid", DSN_COLUMN_ID },
    { "pid", DSN_COLUMN_ID },
    { "k", DSN_COLUMN_ID },
    { "bin", DSN_COLUMN_ID },
    { "ost", DSN_COLUMN_ID },
    { "rank", DSN_COLUMN_ID },
    { "time", DSN_COLUMN_TIME },
    { "since", DSN_COLUMN_TIME },
    { "until", DSN_COLUMN_TIME },
    { "start_time", DSN_COLUMN_TIME },
    { "end_time", DSN_COLUMN_TIME },
    { "share_of_*", DSN_COLUMN_SHARE },
    { "lead", DSN_COLUMN_SHARE },
    { "*percent*", DSN_COLUMN_PERCENT },
    { "*megabytes*", DSN_COLUMN_NUMBER },
    { "times_bytes", DSN_COLUMN_NUMBER },
    { "finding_saves", DSN_COLUMN_SECONDS },
    { "*bytes*", DSN_COLUMN_BYTES },
    { "*upto", DSN_COLUMN_BYTES },
    { "commonest_size", DSN_COLUMN_BYTES },
    { "shared_*", DSN_COLUMN_SECONDS },
    { "io_slowest*", DSN_COLUMN_SECONDS },
    { "*_time", DSN_COLUMN_SECONDS },
    { "*_seconds", DSN_COLUMN_SECONDS },
    { "*_seconds_before", DSN_COLUMN_SECONDS },
    { "*", DSN_COLUMN_NUMBER },
};

enum dsn_column_kind dsn_column_kind(const char *name)
{
    size_t i = 0;

    while (fnmatch(kinds[i].pattern, name, 0) != 0)
        i++;
    return kinds[i].kind;
}

const char *dsn_column_kind_name(enum dsn_column_kind kind)
{
    static const char *const names[] = {
        [DSN_COLUMN_NUMBER] = "number",   [DSN_COLUMN_ID] = "id",           [DSN_COLUMN_TIME] = "time",
        [DSN_COLUMN_SHARE] = "share",     [DSN_COLUMN_PERCENT] = "percent", [DSN_COLUMN_BYTES] = "bytes",
        [DSN_COLUMN_SECONDS] = "seconds",
    };

    return names[kind];
}

/* Groups digits: "-1234567" as "-1,234,567". */
static void group(char to[DSN_VALUE_TEXT], const char *digits)
{
    size_t n = strlen(digits), at = 0;

    for (size_t i = 0; i < n && at + 2 < DSN_VALUE_TEXT; i++) {
        to[at++] = digits[i];
        if (digits[i] != '-' && i + 1 < n && (n - i - 1) % 3 == 0)
            to[at++] = ',';
    }
    to[at] = '\0';
}

static void show_integer(char to[DSN_VALUE_TEXT], int64_t v)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%" PRId64, v);
    group(to, digits);
}

/* Three significant digits, and all digits before the point. Very small and very large numbers have an exponent. */
static void show_real(char to[DSN_VALUE_TEXT], double v)
{
    const double size = fabs(v);
    char digits[32];

    if (!isfinite(v) || size >= 1e18 || (v != 0 && size < 1e-6)) {
        snprintf(to, DSN_VALUE_TEXT, "%.3g", v);
    } else if (size >= 999.5 || v == floor(v)) {
        snprintf(digits, sizeof digits, "%.0f", v);
        group(to, digits);
    } else {
        const int before = (int)floor(log10(size)) + 1; /* digits before the point */

        snprintf(to, DSN_VALUE_TEXT, "%.*f",
                 before >= 3    ? 0
                 : before >= 1  ? 3 - before
                 : size >= 0.01 ? 2
                                : 1 - before,
                 v);
    }
}

static void show_time(char to[DSN_VALUE_TEXT], double v)
{
    const time_t t = v > -1e17 && v < 1e17 ? (time_t)floor(v) : 0;
    struct tm tm;

    if (!localtime_r(&t, &tm) || strftime(to, DSN_VALUE_TEXT, "%Y-%m-%d %H:%M:%S", &tm) == 0)
        show_real(to, v);
}

static void show_number(char to[DSN_VALUE_TEXT], double v, enum dsn_column_kind kind)
{
    if (kind == DSN_COLUMN_TIME)
        show_time(to, v);
    else if (kind == DSN_COLUMN_BYTES && v < 0)
        snprintf(to, DSN_VALUE_TEXT, "-%s", dsn_bytes_text(-v).s);
    else if (kind == DSN_COLUMN_BYTES)
        snprintf(to, DSN_VALUE_TEXT, "%s", dsn_bytes_text(v).s);
    else if (kind == DSN_COLUMN_SECONDS && v >= 0)
        snprintf(to, DSN_VALUE_TEXT, "%s", dsn_seconds_text(v).s);
    else if (kind == DSN_COLUMN_SHARE)
        snprintf(to, DSN_VALUE_TEXT, "%s%s", v < 0 ? "-" : "", dsn_share_text(fabs(v)).s);
    else
        show_real(to, v);
}

const char *dsn_column_shown(const struct dsn_stmt *s, int at, enum dsn_column_kind kind, char to[DSN_VALUE_TEXT])
{
    switch (dsn_column_type(s, at)) {
    case DSN_IS_NULL:
        return "";
    case DSN_IS_INTEGER:
        if (kind == DSN_COLUMN_ID)
            snprintf(to, DSN_VALUE_TEXT, "%" PRId64, dsn_column_i64(s, at));
        else if (kind == DSN_COLUMN_NUMBER)
            show_integer(to, dsn_column_i64(s, at));
        else
            show_number(to, (double)dsn_column_i64(s, at), kind);
        return to;
    case DSN_IS_REAL:
        show_number(to, dsn_column_f64(s, at), kind);
        return to;
    default:
        return NULL;
    }
}
