/* access.c - frequent values
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/shared/access.h"

#include <stdbool.h>
#include <string.h>

#include "record/arena.h"
#include "record/salvaged.h"

/* ------------------------------------------------------------------ frequent values */

/* The value's slot, or the free one where it would go. There always is one. */
static uint8_t *slot_of(struct dsn_common_table *t, int64_t value)
{
    unsigned at = (unsigned)((uint64_t)value * 0x9e3779b97f4a7c15 >> 57);

    while (t->place[at] && t->entry[t->place[at] - 1].value != value)
        at = (at + 1) % DSN_COMMON_PLACES;
    return &t->place[at];
}

_Static_assert(DSN_COMMON_PLACES == 128, "slot_of takes the upper 7 bits");

/* Switches from the first few entries to a hash table. */
static void make_table(struct dsn_common *c)
{
    c->table = dsn__alloc(sizeof *c->table);
    if (!c->table)
        return;
    memcpy(c->table->entry, c->first, DSN_COMMON_FIRST * sizeof *c->first);
    for (unsigned i = 0; i < c->n; i++)
        *slot_of(c->table, c->first[i].value) = (uint8_t)(i + 1);
}

static struct dsn_value_count *entry(const struct dsn_common *c, unsigned i)
{
    return (struct dsn_value_count *)(c->table ? &c->table->entry[i] : &c->first[i]);
}

static struct dsn_value_count *find(struct dsn_common *c, int64_t value)
{
    const uint8_t *slot;

    if (c->table) {
        slot = slot_of(c->table, value);
        return *slot ? &c->table->entry[*slot - 1] : NULL;
    }
    for (unsigned i = 0; i < c->n; i++)
        if (c->first[i].value == value)
            return &c->first[i];
    return NULL;
}

static struct dsn_value_count *find_or_make(struct dsn_common *c, int64_t value)
{
    struct dsn_value_count *e = find(c, value);

    if (e)
        return e;
    if (c->n == DSN_COMMON_FIRST && !c->table)
        make_table(c);
    if (c->n == (c->table ? DSN_COMMON_MAX : DSN_COMMON_FIRST))
        return NULL;
    e = entry(c, c->n++);
    e->value = value;
    if (c->table)
        *slot_of(c->table, value) = (uint8_t)c->n;
    return e;
}

static void flush(struct dsn_recent *r)
{
    if (r->entry)
        r->entry->count += r->more;
    r->more = 0;
}

void dsn__common_flush(struct dsn_recent *r)
{
    if (!r->entry)
        return;
    if (r->reached == 0)
        r->reached = r->entry->count + r->more;
    atomic_signal_fence(memory_order_seq_cst);
    r->entry->count = r->reached;
    atomic_signal_fence(memory_order_seq_cst);
    r->more = 0;
    atomic_signal_fence(memory_order_seq_cst);
    r->reached = 0;
}

void dsn__common_change(struct dsn_common *c, struct dsn_recent *r, int64_t value)
{
    flush(r);
    r->value = value;
    r->entry = find_or_make(c, value);
    if (r->entry)
        r->entry->count++;
}

_Static_assert(DSN_COMMON_FIRST * sizeof(struct dsn_value_count) == 8 * sizeof(union dsn_val), "4 values and counts");

void dsn__common_begin(struct dsn_common *c, union dsn_val *slots)
{
    c->first = (struct dsn_value_count *)slots;
}

void dsn__common_publish(struct dsn_common *c, struct dsn_recent *r)
{
    struct dsn_value_count e[DSN_COMMON_MAX];
    union dsn_val *slots = (union dsn_val *)c->first;

    flush(r);
    for (unsigned i = 0; i < c->n; i++)
        e[i] = *entry(c, i);
    memset(c->first, 0, DSN_COMMON_FIRST * sizeof *c->first);
    for (unsigned i = 0; i < c->n; i++)
        dsn_top_publish(slots, 1, &e[i].value, e[i].count);
}

unsigned dsn__common_values(const struct dsn_common *c, struct dsn_value_count out[DSN_VALUES_MAX])
{
    if (!c->table)
        return 0;
    memcpy(out, c->table->entry, c->n * sizeof out[0]);
    return c->n;
}

static bool is_entry(const struct dsn_common *c, const struct dsn_value_count *e)
{
    for (unsigned i = 0; i < c->n; i++)
        if (entry(c, i) == e)
            return true;
    return false;
}

enum dsn_salvage_result dsn__common_salvage(struct dsn_common *c, struct dsn_recent *r, union dsn_val *slots,
                                            const struct dsn_salvaged *salvaged)
{
    const int had_table = c->table != NULL;
    const unsigned most = had_table ? DSN_COMMON_MAX : DSN_COMMON_FIRST;

    dsn__common_begin(c, slots);
    c->table = dsn__salvaged_claim(salvaged, c->table, sizeof *c->table);
    c->n = c->n < most ? c->n : most;
    r->entry = dsn__salvaged_address(salvaged, r->entry, sizeof *r->entry);
    if (!is_entry(c, r->entry))
        r->entry = NULL;
    if (c->table || !had_table)
        return DSN_WHOLE;
    c->n = 0;
    r->entry = NULL;
    return DSN_IN_PART;
}
