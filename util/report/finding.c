/* finding.c - names of what findings consist of
 * SPDX-License-Identifier: BSD-3-Clause */
#include "finding.h"

const char *dsn_severity_name(enum dsn_severity s)
{
    static const char *const name[] = { "high", "warning", "minor", "note" };

    return name[s];
}

const char *dsn_fact_unit_name(enum dsn_fact_unit u)
{
    static const char *const name[] = { "seconds", "bytes", "count", "share", "bytes/second", "rank" };

    return name[u];
}

const char *dsn_need_text(unsigned bit)
{
    static const char *const text[DSN_NNEEDS] = {
#define NEED(symbol, bit, words) [bit] = words,
#include "needs.def"
#undef NEED
    };

    return text[bit];
}
