/* shards.c - joins the shards of a record
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/shards.h"

#include <stdbool.h>
#include <string.h>

#include "record/names.h"
#include "record/record.h"
#include "record/recording.h"
#include "record/salvaged.h"

/* Rows that are the whole's: they are the same in all its shards, or only the whole has them. */
static bool is_of_whole(const struct dsn_row *rows, const struct dsn_row *row, bool times_add_up)
{
    switch (row->red) {
    case DSN_KEEP:
    case DSN_LEAST:
    case DSN_MOST:
    case DSN_SPREAD:
        return true;
    case DSN_FOLLOW:
        for (; rows->at != row->leader; rows++)
            ;
        return rows->red != DSN_MAX;
    default:
        return row->unit == DSN_SECONDS && row->red == DSN_SUM && !times_add_up;
    }
}

static void add_shard(enum dsn_module_index module, const struct dsn_rec *whole, const struct dsn_rec *shard,
                      struct dsn_rec *joined)
{
    const struct dsn_table *t = dsn__counted_table(module);

    dsn_rec_reduce(t, shard, 1, joined, 1, DSN_TOP_MERGE);
    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].at >= 0 && is_of_whole(t->rows, &t->rows[i], dsn__modules[module]->times_add_up))
            joined->v[t->rows[i].at] = whole->v[t->rows[i].at];
}

static void join_shards(enum dsn_module_index module, struct dsn_record_state *whole)
{
    struct dsn_shards *shards = whole->shards;

    memcpy(&shards->joined, whole->rec, dsn__record_size(module));
    for (const struct dsn_record_state *state = whole->next; state; state = state->next)
        if (state->name == whole->name)
            add_shard(module, whole->rec, state->rec, &shards->joined);
    atomic_store(&shards->is_joined, 1);
}

/* Shards follow their whole in the list. */
void dsn__shards_join(const struct dsn_recording *r)
{
    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++) {
        struct dsn_record_state **link = &r->names->first_state[module];

        while (*link) {
            struct dsn_record_state *const state = *link, *const whole = dsn__name_record(state->name, module);

            if (state != whole) {
                dsn__record_drop(r->names, module, link);
                continue;
            }
            if (state->shards) {
                if (!atomic_load(&state->shards->is_joined))
                    join_shards(module, state);
                state->rec = &state->shards->joined;
            }
            link = &state->next;
        }
    }
}
