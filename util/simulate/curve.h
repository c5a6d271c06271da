/* curve.h - misses of an LRU cache of every size, in one pass
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: Mattson et al. (1970): a block is in a cache of n blocks if fewer than n others were used since it was used
 * last. How many that is, a tree of counts over the order of last uses tells (Bennett, Kruskal, IBM Journal 19, 1975;
 * Olken, LBL-12370, 1981), here bits and counts of 64 of them, of which the last is kept by itself until it is
 * complete: some 16 steps for a million blocks. Memory: some 20 bytes a different block of files that are used as a
 * whole, 120 of blocks far from others.
 *
 * Of very many uses only those of some blocks, chosen by a hash, are looked at, and sizes scaled up (Waldspurger et
 * al., "Efficient MRC construction with SHARDS", FAST '15). The blocks fall into eight groups, each of which gives a
 * curve: the result is their mean, with its standard error. Private to util/simulate. */
#ifndef DSN_SIMULATE_CURVE_H
#define DSN_SIMULATE_CURVE_H

#include "blocks.h"

#define DSN_CURVE_GROUPS 8
#define DSN_CURVE_EXACT  100000000u /* so many uses are all looked at */
#define DSN_CURVE_SAMPLE 8000000u   /* of more, about so many */

struct dsn_distances {
    struct dsn_blocks blocks;  /* of each, the place of its last use, plus 1 */
    size_t n;                  /* blocks */
    uint64_t *bits;            /* places that are a last use */
    uint32_t *tree;            /* Fenwick's, of the counts of 64 bits */
    size_t room, block_room;   /* places; blocks */
    size_t now;                /* the next place */
    uint32_t *reads, *writes;  /* how many uses had that many others between; block_room of each */
    uint64_t cold[2], uses[2]; /* uses of blocks that were not used before; all uses */
};

struct dsn_curve {
    struct dsn_distances group[DSN_CURVE_GROUPS];
    int ngroups;   /* 1: exact */
    uint64_t most; /* of 2^32 hashes, those below this are looked at */
};

/* Begins a curve of about so many uses. */
void dsn_curve_init(struct dsn_curve *c, uint64_t uses);
void dsn_curve_free(struct dsn_curve *c);

/* A block is used. Returns 0 if there is no memory. */
int dsn_curve_use(struct dsn_curve *c, uint64_t key, int is_write);

/* When all were: sums up, after which misses can be asked. */
void dsn_curve_end(struct dsn_curve *c);

/* The share of reads (of all uses if `all`) that miss with `size` blocks, and in *error its standard error: 0 of an
 * exact curve. No uses: 0. */
double dsn_curve_misses(const struct dsn_curve *c, uint64_t size, int all, double *error);

/* From this size on it misses only what is used for the first time. */
uint64_t dsn_curve_largest(const struct dsn_curve *c);

#endif
