/* pairmap.h - numbers pairs of 64-bit keys, such as files of processes, as 0, 1, 2, ... in order of insertion
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open addressing with a random seed per table, so that no trace can be crafted whose keys all collide. Private to
 * util/trace. */
#ifndef DSN_TRACE_PAIRMAP_H
#define DSN_TRACE_PAIRMAP_H

#include <stddef.h>
#include <stdint.h>

struct dsn__pair {
    uint64_t a, b;
    uint32_t which; /* a third, small key */
};

struct dsn__pairmap {
    struct dsn__pair *pairs; /* by number: `used` of them */
    uint32_t *slots;         /* hash index of numbers; `size` of them, a power of two or 0 */
    size_t size, used, room;
    uint64_t seed, other_seed;
};

#define DSN__PAIR_NONE UINT32_MAX

/* An empty table; allocates nothing. */
void dsn__pairmap_init(struct dsn__pairmap *m);
void dsn__pairmap_free(struct dsn__pairmap *m);

/* Hashes one number. */
uint64_t dsn__pair_hash(uint64_t seed, uint64_t key);

/* The number of a pair, or DSN__PAIR_NONE. */
uint32_t dsn__pairmap_get(const struct dsn__pairmap *m, uint64_t a, uint64_t b, uint32_t which);

/* The same, and adds a new pair with the next number. DSN__PAIR_NONE: no memory. */
uint32_t dsn__pairmap_add(struct dsn__pairmap *m, uint64_t a, uint64_t b, uint32_t which);

/* Removes pair n. The last one gets its number: arrays indexed by the number must be changed likewise. */
void dsn__pairmap_remove(struct dsn__pairmap *m, uint32_t n);

#endif
