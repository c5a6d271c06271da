/* record-source.c - records of one process, and of two that are merged
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/record-source.h"

#include <stdbool.h>
#include <string.h>

#include "base/pages.h"
#include "base/sort.h"
#include "record/arena.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"

void dsn__record_source_of(struct dsn_record_source *s, const struct dsn_recording *r)
{
    *s = (struct dsn_record_source){ .of = r,
                                     .first = r->names->first,
                                     .rank = r->run->rank,
                                     .states = r->arena->base,
                                     .states_end = r->arena->base + r->arena->size,
                                     .must_not_change = 1,
                                     .leads = r->run->rank == 0 };
    for (int module = 0; module < DSN_NMODULES; module++)
        s->first_state[module] = r->names->first_state[module];
}

static int by_id(const void *a, const void *b)
{
    const struct dsn_name *x = *(struct dsn_name *const *)a, *y = *(struct dsn_name *const *)b;

    return x->id < y->id ? -1 : x->id > y->id;
}

bool dsn__record_source_index(struct dsn_record_source *s, struct dsn_bump *memory)
{
    size_t n = 0;

    for (const struct dsn_name *name = s->first; name; name = name->next)
        n++;
    if (n > s->by_id_room || !s->by_id) {
        s->by_id_room = n + n / 2 + 1;
        s->by_id = dsn__bump(memory, s->by_id_room * sizeof s->by_id[0]);
    }
    if (!s->by_id)
        return false;
    s->nby_id = 0;
    for (struct dsn_name *name = s->first; name; name = name->next)
        s->by_id[s->nby_id++] = name;
    dsn__sort(s->by_id, n, sizeof s->by_id[0], by_id);
    return true;
}

struct dsn_name *dsn__record_source_find(const struct dsn_record_source *s, uint64_t id)
{
    size_t low = 0, high = s->nby_id;

    if (!s->by_id)
        return dsn__name_by_id(id);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (s->by_id[middle]->id == id)
            return s->by_id[middle];
        if (s->by_id[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ------------------------------------------------------------------ a copy */

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

static bool copy_names(struct dsn_record_source *s, struct dsn_bump *memory)
{
    struct dsn_name **last = &s->first;

    for (const struct dsn_name *name = s->first; name; name = name->next) {
        const size_t size = sizeof *name + strlen(name->text) + 1;
        struct dsn_name *copy = dsn__bump(memory, size);

        if (!copy)
            return false;
        memcpy(copy->text, name->text, size - sizeof *name);
        copy->id = name->id;
        *last = copy;
        last = &copy->next;
    }
    return true;
}

static size_t size_of_states(const struct dsn_record_source *s)
{
    size_t size = 0;

    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++)
        for (const struct dsn_record_state *state = s->first_state[module]; state; state = state->next)
            size += padded(dsn__modules[module]->state_size) + padded(dsn__record_size(module));
    return size;
}

static char *copy_state(struct dsn_record_source *s, enum dsn_module_index module,
                        const struct dsn_record_state *record, char *to)
{
    struct dsn_record_state *copy = (struct dsn_record_state *)(void *)to;
    const size_t state = padded(dsn__modules[module]->state_size), lock = sizeof(dsn_lock);

    memcpy(to + lock, (const char *)record + lock, dsn__modules[module]->state_size - lock);
    copy->rec = memcpy(to + state, record->rec, dsn__record_size(module));
    copy->name = dsn__record_source_find(s, record->name->id);
    dsn__name_add_record(copy->name, module, copy);
    return to + state + padded(dsn__record_size(module));
}

/* Records added from another process would be found in this one's survival file, too, if it is killed. */
static bool copy_out_of_file(struct dsn_record_source *s, struct dsn_bump *memory)
{
    const size_t size = size_of_states(s);
    char *to = dsn__bump(memory, size + 1);

    if (!to || !copy_names(s, memory) || !dsn__record_source_index(s, memory))
        return false;
    s->must_not_change = 0;
    s->states = to;
    s->states_end = to + size;
    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++) {
        struct dsn_record_state **last = &s->first_state[module];

        for (const struct dsn_record_state *state = *last; state; state = state->next) {
            *last = (struct dsn_record_state *)(void *)to;
            last = &(*last)->next;
            to = copy_state(s, module, state, to);
        }
        *last = NULL;
    }
    return true;
}

/* ------------------------------------------------------------------ adopting */

/* Rows over all ranks do not apply to a single one. */
static void clear_spreads(const struct dsn_table *t, struct dsn_rec *r)
{
    for (unsigned i = 0; i < t->nrows; i++)
        if (t->rows[i].at >= 0 && t->rows[i].red == DSN_SPREAD)
            r->v[t->rows[i].at].i = 0;
}

static void unite(enum dsn_module_index module, struct dsn_record_state *mine, struct dsn_record_state *theirs)
{
    const struct dsn_module_info *info = dsn__modules[module];
    const struct dsn_table *t = dsn__counted_table(module);

    if (info->join) {
        info->join(mine, theirs);
    } else if (t && info->sharing == DSN_REDUCED) {
        dsn_rec_reduce(t, theirs->rec, 1, mine->rec, 1, DSN_TOP_MERGE);
        clear_spreads(t, mine->rec);
    }
}

static void take_record(struct dsn_record_source *s, enum dsn_module_index module, struct dsn_record_state *state,
                        struct dsn_name *name)
{
    struct dsn_record_state *known = dsn__name_record(name, module);

    if (known && known != state) {
        unite(module, known, state);
        return;
    }
    state->name = name;
    state->rec->rank = s->rank;
    state->next = s->first_state[module];
    s->first_state[module] = state;
    if (!known)
        dsn__name_add_record(name, module, state);
}

/* Takes over names that this source does not know; returns their number. */
static size_t take_names(struct dsn_record_source *s, struct dsn_record_source *child)
{
    struct dsn_name **link = &child->first, *name;
    size_t n = 0;

    while ((name = *link)) {
        if (dsn__record_source_find(s, name->id)) {
            link = &name->next;
            continue;
        }
        *link = name->next;
        name->next = s->first;
        s->first = name;
        n++;
    }
    return n;
}

bool dsn__record_source_adopt(struct dsn_record_source *s, struct dsn_record_source *child, struct dsn_bump *memory)
{
    if (s->must_not_change && !copy_out_of_file(s, memory))
        return false;
    if (take_names(s, child) > 0 && !dsn__record_source_index(s, memory))
        return false;
    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++)
        for (struct dsn_record_state *state = child->first_state[module], *next; state; state = next) {
            next = state->next;
            take_record(s, module, state, dsn__record_source_find(s, state->name->id));
        }
    return true;
}
