/* mappings.c - where in the process's memory which files are mapped
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/mappings.h"

#include <stdbool.h>

#include "base/pages.h"
#include "record/span.h"

struct dsn_mappings dsn__mappings = { .lowest = UINTPTR_MAX };

static bool put(struct dsn_mappings *t, const struct dsn_mapping *m)
{
    int place = 0;

    if (!t->at)
        t->at = dsn__pages(DSN_MAPPINGS * sizeof t->at[0]);
    while (t->at && place < t->used && t->at[place].begin != t->at[place].end)
        place++;
    if (!t->at || place == DSN_MAPPINGS)
        return false;
    t->at[place] = *m;
    t->used += place == t->used;
    if (m->begin < atomic_load(&t->lowest))
        atomic_store(&t->lowest, m->begin);
    if (m->end > atomic_load(&t->highest))
        atomic_store(&t->highest, m->end);
    return true;
}

bool dsn__mappings_add(const struct dsn_mapping *m)
{
    bool added;

    if (!dsn__spin(&dsn__mappings.lock))
        return false;
    added = put(&dsn__mappings, m);
    dsn__unspin(&dsn__mappings.lock);
    return added;
}

static uintptr_t lesser(uintptr_t a, uintptr_t b)
{
    return a < b ? a : b;
}

/* Cuts [begin, end) out of `m`; the rest behind it becomes a mapping of its own. */
static void cut(struct dsn_mappings *t, struct dsn_mapping *m, uintptr_t begin, uintptr_t end,
                struct dsn_mapping *piece)
{
    struct dsn_mapping behind = *m;

    *piece = *m;
    piece->begin = begin > m->begin ? begin : m->begin;
    piece->end = lesser(end, m->end);
    piece->offset += (int64_t)(piece->begin - m->begin);
    piece->known = lesser(m->known, piece->end);
    piece->known = piece->known > piece->begin ? piece->known : piece->begin;
    behind.begin = piece->end;
    behind.offset += (int64_t)(behind.begin - m->begin);
    behind.known = behind.known > behind.begin ? behind.known : behind.begin;
    m->end = piece->begin;
    m->known = lesser(m->known, m->end);
    if (behind.begin < behind.end)
        put(t, &behind);
    while (t->used > 0 && t->at[t->used - 1].begin == t->at[t->used - 1].end)
        t->used--;
    if (t->used == 0) {
        atomic_store(&t->lowest, UINTPTR_MAX);
        atomic_store(&t->highest, 0);
    }
}

bool dsn__mappings_take(uintptr_t begin, uintptr_t end, struct dsn_mapping *piece)
{
    struct dsn_mappings *t = &dsn__mappings;
    bool found = false;

    if (!dsn__spin(&t->lock))
        return false;
    for (int i = 0; i < t->used && !found; i++) {
        struct dsn_mapping *m = &t->at[i];

        found = m->begin < m->end && m->begin < end && begin < m->end;
        if (found)
            cut(t, m, begin, end, piece);
    }
    dsn__unspin(&t->lock);
    return found;
}

bool dsn__mappings_next(int *next, struct dsn_mapping *m)
{
    struct dsn_mappings *t = &dsn__mappings;
    bool found = false;

    if (!dsn__spin(&t->lock))
        return false;
    for (; *next < t->used && !found; ++*next) {
        found = t->at[*next].begin != t->at[*next].end;
        if (found)
            *m = t->at[*next];
    }
    dsn__unspin(&t->lock);
    return found;
}

void dsn__mappings_give_record(int place, struct dsn_record_state *of)
{
    if (!dsn__spin(&dsn__mappings.lock))
        return;
    if (place < dsn__mappings.used)
        dsn__mappings.at[place].of = of;
    dsn__unspin(&dsn__mappings.lock);
}
