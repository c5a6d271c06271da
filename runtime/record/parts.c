/* parts.c - joins the parts of a record
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/parts.h"

#include <stdbool.h>
#include <string.h>

#include "record/names.h"
#include "record/record.h"
#include "record/recording.h"
#include "record/salvaged.h"

/* Rows that are the whole's: they are the same in all its parts, or only the whole has them. */
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

static void add_part(enum dsn_module_index module, const struct dsn_rec *whole, const struct dsn_rec *part,
                     struct dsn_rec *joined)
{
    const struct dsn_table *t = dsn__counted_table(module);

    dsn_rec_reduce(t, part, 1, joined, 1, DSN_TOP_MERGE);
    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].at >= 0 && is_of_whole(t->rows, &t->rows[i], dsn__modules[module]->times_add_up))
            joined->v[t->rows[i].at] = whole->v[t->rows[i].at];
}

static void join_parts(enum dsn_module_index module, struct dsn_record_state *whole)
{
    struct dsn_parts *parts = whole->parts;

    memcpy(&parts->joined, whole->rec, dsn__record_size(module));
    for (const struct dsn_record_state *state = whole->next; state; state = state->next)
        if (state->name == whole->name)
            add_part(module, whole->rec, state->rec, &parts->joined);
    atomic_store(&parts->is_joined, 1);
}

/* Parts follow their whole in the list. */
void dsn__parts_join(const struct dsn_recording *r)
{
    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++) {
        struct dsn_record_state **link = &r->names->first_state[module];

        while (*link) {
            struct dsn_record_state *const state = *link, *const whole = dsn__name_record(state->name, module);

            if (state != whole) {
                dsn__record_drop(r->names, module, link);
                continue;
            }
            if (state->parts) {
                if (!atomic_load(&state->parts->is_joined))
                    join_parts(module, state);
                state->rec = &state->parts->joined;
            }
            link = &state->next;
        }
    }
}
