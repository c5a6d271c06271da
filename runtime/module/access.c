/* access.c - frequent values
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/access.h"

#include "core/core.h"

static struct dsn_common_entry *entry(const struct dsn_common *c, unsigned i)
{
    return i < DSN_COMMON_FIRST ? (struct dsn_common_entry *)&c->first[i] : &c->more[i - DSN_COMMON_FIRST];
}

static void add_new(struct dsn_common *c, int64_t value)
{
    if (c->n == DSN_COMMON_MAX)
        return;
    if (c->n == DSN_COMMON_FIRST && !c->more)
        c->more = dsn__alloc((DSN_COMMON_MAX - DSN_COMMON_FIRST) * sizeof c->more[0]);
    if (c->n >= DSN_COMMON_FIRST && !c->more)
        return;
    c->last = c->n++;
    *entry(c, c->last) = (struct dsn_common_entry){ value, 1 };
}

void dsn__common_add(struct dsn_common *c, int64_t value)
{
    if (c->n > 0 && entry(c, c->last)->value == value) {
        entry(c, c->last)->count++;
        return;
    }
    for (unsigned i = 0; i < c->n; i++)
        if (entry(c, i)->value == value) {
            entry(c, i)->count++;
            c->last = i;
            return;
        }
    add_new(c, value);
}

void dsn__common_publish(const struct dsn_common *c, union dsn_val *slots)
{
    for (unsigned i = 0; i < c->n; i++)
        dsn_top_publish(slots, 1, &entry(c, i)->value, entry(c, i)->count);
}
