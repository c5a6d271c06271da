/* finding-rows.c - the rows of findings.def
 * SPDX-License-Identifier: BSD-3-Clause */
#include "conditions.h"
#include "finding.h"

const struct dsn_finding_row *dsn_finding_row(enum dsn_finding_id id)
{
#define ADVICE(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define COVERS(symbol)       (UINT64_C(1) << DSN_FINDING_##symbol)
#define FINDING(symbol, ...) [DSN_FINDING_##symbol] = { __VA_ARGS__ },
    static const struct dsn_finding_row rows[DSN_NFINDINGS] = {
#include "findings.def"
    };
#undef FINDING
#undef COVERS
#undef ADVICE

    return &rows[id];
}
