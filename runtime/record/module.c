/* module.c - sizes of records, and the records of a name
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/module.h"

#include "darshan-log-format/extension.h"
#include "darshan-log-format/varying.h"

/* The table of what is no module of the log, but a part of its extension section; else NULL. */
static const struct dsn_table *part_of(enum dsn_module_index module)
{
    switch (module) {
    case DSN_INDEX_PHASE:
        return &dsn_phases_table;
    case DSN_INDEX_MAPPED:
        return &dsn_mapped_table;
    case DSN_INDEX_SITE:
        return &dsn_sites_table;
    case DSN_INDEX_CUFILE:
        return &dsn_cufile_table;
    default:
        return NULL;
    }
}

const struct dsn_table *dsn__counted_table(enum dsn_module_index module)
{
    const struct dsn_table *part = part_of(module);

    return part ? part : dsn_counted_table(dsn__modules[module]->id);
}

static size_t size_of(const struct dsn_table *t)
{
    return t ? dsn_rec_size(t) : sizeof(struct dsn_dxt_head);
}

void dsn__name_add_record(struct dsn_name *name, enum dsn_module_index module, struct dsn_record_state *state)
{
    _Atomic(struct dsn_record_state *) *link = &name->records;
    struct dsn_record_state *record;

    while ((record = atomic_load_explicit(link, memory_order_relaxed)))
        link = &record->next_of_name;
    state->module = module;
    atomic_store_explicit(&state->next_of_name, NULL, memory_order_relaxed);
    atomic_store_explicit(link, state, memory_order_release);
}

void dsn__name_drop_record(struct dsn_name *name, const struct dsn_record_state *state)
{
    _Atomic(struct dsn_record_state *) *link = &name->records;
    struct dsn_record_state *record;

    while ((record = atomic_load(link)) && record != state)
        link = &record->next_of_name;
    atomic_store(link, atomic_load(&state->next_of_name));
}

size_t dsn__record_size(enum dsn_module_index module)
{
    return size_of(dsn__counted_table(module));
}

size_t dsn__logged_size(enum dsn_module_index module)
{
    const struct dsn_table *part = part_of(module);

    return size_of(part ? part : dsn_table(dsn__modules[module]->id));
}
