/* idtable.h - a hash table from 64-bit keys (record ids, ranks) to elements of one size
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements stand in an array in the order in which their keys came, each with 20 bytes beside it for its key.
 * Private to util/lib. */
#ifndef DSN_IDTABLE_H
#define DSN_IDTABLE_H

#include "idmap.h"

struct dsn__idtable {
    struct dsn__idmap index; /* key number i, index.keys[i], is that of element i */
    void *elements;
    size_t n, room, size;
};

/* An empty table of elements of `size` bytes; allocates nothing. */
void dsn__idtable_init(struct dsn__idtable *t, size_t size);
void dsn__idtable_free(struct dsn__idtable *t);

/* The element of `key`, valid until the next call; *fresh: it is new, and all zeros. NULL: no memory. */
void *dsn__idtable_element(struct dsn__idtable *t, uint64_t key, int *fresh);

/* The same if it is there, else NULL. */
void *dsn__idtable_find(const struct dsn__idtable *t, uint64_t key);

#endif
