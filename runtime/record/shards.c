/* shards.c - makes the shards of a record, and joins them
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/shards.h"

#include <stdbool.h>
#include <string.h>

#include "record/arena.h"
#include "record/names.h"
#include "record/record.h"
#include "record/recording.h"
#include "record/salvaged.h"
#include "record/span.h"
#include "record/times.h"

/* ------------------------------------------------------------------ making */

/* A thread that has to wait for a lock: is true every so often, for then this is a contended one. */
static bool count_wait(void)
{
    const unsigned some = 16;

    return ++dsn__thread.waits % some == 0;
}

/* Up to an eighth of what the arena may use. */
static bool reserve_for_shards(size_t size)
{
    size_t *const used = &dsn__names->in_shards;

    if (*used + size > atomic_load(&dsn__arena->limit) / 8)
        return false;
    *used += size;
    return true;
}

/* Whoever holds the lock of the whole while it has no shards moves positions and sizes without atomic operations: so it
 * gets shards only under that lock. The caller holds the lock of the names. */
static struct dsn_shards *begin_shards(enum dsn_module_index module, struct dsn_record_state *whole)
{
    const size_t size = sizeof(struct dsn_shards) + dsn__record_size(module);
    struct dsn_shards *shards = reserve_for_shards(size) ? dsn__alloc_file(size) : NULL;

    if (shards && dsn__lock(whole)) {
        atomic_store_explicit(&whole->shards, shards, memory_order_release);
        dsn__unlock(whole);
    }
    dsn__thread.held = &dsn__names->lock;
    return whole->shards;
}

/* The caller holds the lock of the names. */
static struct dsn_record_state *make_shard(enum dsn_module_index module, struct dsn_record_state *whole, unsigned index)
{
    const struct dsn_module_info *info = dsn__modules[module];
    const size_t each = info->state_size + info->need_size + dsn__record_size(module);
    struct dsn_shards *shards = whole->shards;
    struct dsn_record_state *shard = shards ? atomic_load(&shards->of[index]) : NULL;

    if (shard)
        return shard;
    if (!shards)
        shards = begin_shards(module, whole);
    if (shards && reserve_for_shards(each))
        shard = dsn__record_make_state(dsn__names, module, whole->name, dsn__alloc_file, 1);
    if (shard)
        atomic_store_explicit(&shards->of[index], shard, memory_order_release);
    else if (shards)
        atomic_store_explicit(&shards->is_full, 1, memory_order_relaxed);
    return shard;
}

/* A thread that has no shard, because memory is short, counts in the whole. */
struct dsn_record_state *dsn__lock_shard(enum dsn_module_index module, struct dsn_record_state *whole)
{
    const unsigned index = dsn__thread_index();
    struct dsn_shards *shards = atomic_load_explicit(&whole->shards, memory_order_acquire);
    struct dsn_record_state *shard = shards ? atomic_load_explicit(&shards->of[index], memory_order_acquire) : NULL;

    if (!shards && dsn__lock_if_free(&whole->lock)) {
        if (dsn__is_on())
            return whole;
        dsn__unlock(whole);
        return NULL;
    }
    if (!shard && (shards ? !atomic_load_explicit(&shards->is_full, memory_order_relaxed) : count_wait()) &&
        dsn__lock_names()) {
        shard = make_shard(module, whole, index);
        dsn__unlock_names();
    }
    if (!shard)
        shard = whole;
    return dsn__lock(shard) ? shard : NULL;
}

/* ------------------------------------------------------------------ joining */

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
