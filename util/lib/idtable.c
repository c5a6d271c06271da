/* idtable.c - an array of elements, indexed by an idmap
 * SPDX-License-Identifier: BSD-3-Clause */
#include "idtable.h"
#include "grow.h"

#include <stdlib.h>
#include <string.h>

void dsn__idtable_init(struct dsn__idtable *t, size_t size)
{
    dsn__idmap_init(&t->index);
    t->elements = NULL;
    t->n = t->room = 0;
    t->size = size;
}

void dsn__idtable_free(struct dsn__idtable *t)
{
    dsn__idmap_free(&t->index);
    free(t->elements);
    t->elements = NULL;
    t->n = t->room = 0;
}

void *dsn__idtable_element(struct dsn__idtable *t, uint64_t key, int *fresh)
{
    uint32_t at;

    if (!dsn_grow(&t->elements, &t->room, t->size, t->n))
        return NULL;
    at = dsn__idmap_add(&t->index, key, (uint32_t)t->n);
    if (at == DSN_IDMAP_NONE)
        return NULL;
    *fresh = at == t->n;
    if (*fresh)
        memset((char *)t->elements + t->n++ * t->size, 0, t->size);
    return (char *)t->elements + at * t->size;
}

void *dsn__idtable_find(const struct dsn__idtable *t, uint64_t key)
{
    const uint32_t at = dsn__idmap_get(&t->index, key);

    return at == DSN_IDMAP_NONE ? NULL : (char *)t->elements + at * t->size;
}
