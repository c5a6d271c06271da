/* aggregated.c - counts the files that are aggregated, and estimates the settings that would have avoided it
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/aggregated.h"

#include <stdbool.h>

#include "base/pages.h"

#define MODULES UINT64_C(0xffff) /* bits of an entry */
#define FEWEST  2048

static uint64_t *slot_of(const struct dsn_aggregated_set *set, uint64_t id)
{
    size_t i = (id & ~MODULES) * UINT64_C(0x9e3779b97f4a7c15) >> 40 & (set->n - 1);

    while (set->entry[i] && (set->entry[i] ^ id) & ~MODULES)
        i = (i + 1) & (set->n - 1);
    return &set->entry[i];
}

/* A quarter stays free. False: it is full, or there is no memory. */
static bool has_room(struct dsn_aggregated_set *set)
{
    const struct dsn_aggregated_set old = *set;
    struct dsn_aggregated_set larger = { NULL, set->n ? 2 * set->n : FEWEST, set->used };

    if (set->used < set->n / 4 * 3)
        return true;
    if (set->used >= DSN_AGGREGATED_MOST)
        return false;
    larger.entry = dsn__pages(larger.n * sizeof larger.entry[0]);
    if (!larger.entry)
        return false;
    for (size_t i = 0; i < old.n; i++)
        if (old.entry[i])
            *slot_of(&larger, old.entry[i]) = old.entry[i];
    *set = larger;
    dsn__pages_free(old.entry);
    return true;
}

enum dsn_aggregated_news dsn__aggregated_add(struct dsn_aggregated_set *set, uint64_t id, int module)
{
    const uint64_t bit = UINT64_C(1) << module;
    const int may_add = has_room(set);
    uint64_t *slot = set->n ? slot_of(set, id) : NULL;
    enum dsn_aggregated_news news;

    if (!slot || (*slot == 0 && !may_add))
        return DSN_UNKNOWN;
    news = *slot == 0 ? DSN_NEW_FILE : *slot & bit ? DSN_OLD : DSN_NEW_IN_MODULE;
    set->used += *slot == 0;
    *slot = (id & ~MODULES) | (*slot & MODULES) | bit;
    return news;
}

bool dsn__aggregated_has(const struct dsn_aggregated_set *set, uint64_t id)
{
    return set->n > 0 && *slot_of(set, id) != 0;
}

void dsn__aggregated_free(struct dsn_aggregated_set *set)
{
    dsn__pages_free(set->entry);
    *set = (struct dsn_aggregated_set){ 0 };
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
