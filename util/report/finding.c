/* finding.c - the rows of findings.def, and classes of their values
 * SPDX-License-Identifier: BSD-3-Clause */
#include "finding.h"

const struct dsn_thresholds dsn_thresholds = {
    .idle_share = 0.05,
    .high = 0.1,
    .warning = 0.01,
    .seconds = 0.1,
    .half = 0.5,
    .imbalance = 0.5,
    .one_rank = 0.95,
    .random = 0.2,
    .again = 2,
    .rewritten = 1.9,
    .stdio = 0.1,
    .open_seconds = 0.5,
    .seeks = 0.9,
    .sieving = 0.01,
    .split = 10,
    .reopens = 10,
    .stats = 10,
    .flood = 10,
    .whole = 4,
    .stream_buffer = 4096,
    .least = 0.001,
    .calls = 1000,
    .few_calls = 10,
    .sync_seconds = 0.001,
    .synced = 10,
    .edges = 0.05,
    .movers = 64,
    .slow_target = 1.0 / 3,
    .some_calls = 100,
    .bytes = 1 << 20,
    .small = 100 << 10,
    .bulk = 16 << 20,
    .large = 1 << 20,
    .large_stripe = 1 << 30,
    .many_ranks = 256,
    .assumed_rate = 200 << 20,
    .cache_rate = 2048.0 * (1 << 20),
};

const struct dsn_finding_row *dsn_finding_row(enum dsn_finding_id id)
{
#define ADVICE(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define FINDING(symbol, id, title, condition, needs, advice, reference)                                                \
    [DSN_FINDING_##symbol] = { id, title, condition, needs, advice, reference },
    static const struct dsn_finding_row rows[DSN_NFINDINGS] = {
#include "findings.def"
    };
#undef FINDING
#undef ADVICE

    return &rows[id];
}

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
