/* shape.c - frequent access shapes
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/shared/shape.h"

#include <string.h>

#include "record/arena.h"
#include "record/salvaged.h"

_Static_assert(sizeof(struct dsn_slab) == DSN_SHAPE_WIDTH * sizeof(int64_t), "published as an array");

static struct dsn_shape_entry *entry(const struct dsn_shapes *s, unsigned i)
{
    return i == 0 ? (struct dsn_shape_entry *)&s->first : &s->more[i - 1];
}

void dsn__shapes_add(struct dsn_shapes *s, const struct dsn_slab *shape)
{
    unsigned i = 0;

    while (i < s->n && memcmp(&entry(s, i)->shape, shape, sizeof *shape) != 0)
        i++;
    if (i == DSN_SHAPE_MAX)
        return;
    if (i == 1 && !s->more && !(s->more = dsn__alloc(DSN_SHAPE_MORE * sizeof *s->more)))
        return;
    if (i == s->n) {
        entry(s, i)->shape = *shape;
        s->n++;
    }
    entry(s, i)->count++;
}

void dsn__shapes_publish(const struct dsn_shapes *s, union dsn_val *slots)
{
    for (unsigned i = 0; i < s->n; i++)
        dsn_top_publish(slots, DSN_SHAPE_WIDTH, &entry(s, i)->shape.size, entry(s, i)->count);
}

enum dsn_salvage_result dsn__shapes_salvage(struct dsn_shapes *s, const struct dsn_salvaged *r)
{
    const int had_more = s->more != NULL;
    const unsigned most = had_more ? DSN_SHAPE_MAX : 1;

    s->more = dsn__salvaged_claim(r, s->more, DSN_SHAPE_MORE * sizeof *s->more);
    s->n = s->n < most ? s->n : most;
    if (s->more || !had_more)
        return DSN_WHOLE;
    s->n = 0;
    return DSN_IN_PART;
}
