/* idtable.h - a hash table from 64-bit keys (record ids, ranks) to elements of fixed size
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements are stored in an array in insertion order of their keys, with 20 more bytes each for the key. Private to
 * util/lib. */
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

/* The element of `key`, valid until the next call; *fresh: it is new, and zeroed. NULL: no memory. */
void *dsn__idtable_element(struct dsn__idtable *t, uint64_t key, int *fresh);

/* The same for an existing key, else NULL. */
void *dsn__idtable_find(const struct dsn__idtable *t, uint64_t key);

#endif
