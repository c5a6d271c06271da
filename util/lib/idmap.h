/* idmap.h - a hash table from 64-bit keys (record ids, ranks) to 32-bit numbers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open addressing with a random seed per table, so that no log can be crafted whose ids all collide. Private to util.
 */
#ifndef DSN_IDMAP_H
#define DSN_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct dsn__idmap {
    uint64_t *keys;    /* in insertion order: `used` of them */
    uint32_t *values;  /* likewise */
    uint64_t *slots;   /* hash index: each entry has a key's hash and number; `size` of them, a power of two or 0 */
    size_t size, used; /* not more than 2^32 - 2 */
    uint64_t seed;
};

#define DSN_IDMAP_NONE UINT32_MAX

/* An empty table; allocates nothing. */
void dsn__idmap_init(struct dsn__idmap *m);
void dsn__idmap_free(struct dsn__idmap *m);

/* The number stored under `key`, or DSN_IDMAP_NONE. */
uint32_t dsn__idmap_get(const struct dsn__idmap *m, uint64_t key);

/* The same; if there is none, stores `fresh` (not DSN_IDMAP_NONE) and returns it. DSN_IDMAP_NONE: no memory. */
uint32_t dsn__idmap_add(struct dsn__idmap *m, uint64_t key, uint32_t fresh);

/* Replaces the value of an existing key. */
void dsn__idmap_set(struct dsn__idmap *m, uint64_t key, uint32_t value);

#endif
