/* pairmap.h - numbers 0, 1, 2, ... for pairs of 64-bit keys, such as the files of processes, in the order they come
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open addressing with a seed of its own for every table, so that a trace cannot be made whose keys all collide. Private
 * to util/trace. */
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
    uint32_t *slots;         /* numbers by hash; `size` of them, a power of two or 0 */
    size_t size, used, room;
    uint64_t seed, other_seed;
};

#define DSN__PAIR_NONE UINT32_MAX

/* An empty table; allocates nothing. */
void dsn__pairmap_init(struct dsn__pairmap *m);
void dsn__pairmap_free(struct dsn__pairmap *m);

/* A hash of one number. */
uint64_t dsn__pair_hash(uint64_t seed, uint64_t key);

/* The number of a pair, or DSN__PAIR_NONE. */
uint32_t dsn__pairmap_get(const struct dsn__pairmap *m, uint64_t a, uint64_t b, uint32_t which);

/* The same, and one that is not there gets the next number. DSN__PAIR_NONE: no memory. */
uint32_t dsn__pairmap_add(struct dsn__pairmap *m, uint64_t a, uint64_t b, uint32_t which);

/* Takes pair n out. The last one gets its number: what goes along with the numbers is to be moved likewise. */
void dsn__pairmap_remove(struct dsn__pairmap *m, uint32_t n);

/* Makes room in an array that goes along with the numbers: elements of `size` bytes, `*room` of them, for number `i`. New
 * ones are zeros. Returns 0 if there is no memory. */
int dsn__grow(void **array, size_t *room, size_t size, size_t i);

#endif
