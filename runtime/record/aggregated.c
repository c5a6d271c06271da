/* aggregated.c - estimates the settings that would have avoided aggregation
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/aggregated.h"

int dsn__aggregated_is_new(struct dsn_aggregated *f, uint64_t hash)
{
    uint64_t *latest = &f->latest[hash % DSN_AGGREGATED_LATEST];
    const int is_new = *latest != hash;

    *latest = hash;
    return is_new;
}

/* A sixteenth of the arena is reserved for aggregated records, the table of names takes up to a thirty-second, and
 * alignment leaves gaps. */
int64_t dsn__aggregated_memory(const struct dsn_aggregated *f, int64_t present)
{
    return f->bytes > 0 ? present + f->bytes + f->bytes / 5 : 0;
}

int64_t dsn__aggregated_records(const struct dsn_aggregated *f)
{
    return f->beyond > 0 ? f->limit + f->beyond : 0;
}
