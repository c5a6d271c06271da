/* curve.h - misses of an LRU cache of every size, in one pass
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: Mattson et al. (1970): a block is in a cache of n blocks if fewer than n others were used since its last use.
 * Their number is found by a tree of counts over the order of last uses (Bennett, Kruskal, IBM Journal 19, 1975; Olken,
 * LBL-12370, 1981), here a bitmap and counts of its 64-bit words, the last of which is kept separately until it is
 * complete: some 16 steps for a million blocks. Memory: some 20 bytes per distinct block for files that are used
 * completely, 120 per isolated block.
 *
 * For very many uses only a sample of blocks is analysed, chosen by a hash, and sizes are scaled (Waldspurger et al.,
 * "Efficient MRC construction with SHARDS", FAST '15). The blocks are divided into eight groups with a curve each: the
 * result is their mean, with its standard error. Private to util/simulate. */
#ifndef DSN_SIMULATE_CURVE_H
#define DSN_SIMULATE_CURVE_H

#include "blocks.h"

#define DSN_CURVE_GROUPS 8
#define DSN_CURVE_EXACT  100000000u /* up to this number all uses are analysed */
#define DSN_CURVE_SAMPLE 8000000u   /* of more, approximately this number */

struct dsn_distances {
    struct dsn_blocks blocks;  /* of each, the place of its last use plus 1 */
    size_t n;                  /* blocks */
    uint64_t *bits;            /* places that are a last use */
    uint32_t *tree;            /* Fenwick tree of the counts of 64 bits */
    size_t room, block_room;   /* places; blocks */
    size_t now;                /* the next place */
    uint32_t *reads, *writes;  /* number of uses by reuse distance; block_room each */
    uint64_t cold[2], uses[2]; /* first uses of blocks; all uses */
};

struct dsn_curve {
    struct dsn_distances group[DSN_CURVE_GROUPS];
    int ngroups;   /* 1: exact */
    uint64_t most; /* hashes (of 2^32) below this are analysed */
};

/* Starts a curve of about this number of uses. */
void dsn_curve_init(struct dsn_curve *c, uint64_t uses);
void dsn_curve_free(struct dsn_curve *c);

/* A block is used. Returns 0 if out of memory. */
int dsn_curve_use(struct dsn_curve *c, uint64_t key, int is_write);

/* Call after the last use, and before asking for misses. */
void dsn_curve_end(struct dsn_curve *c);

/* The share of reads (of all uses if `all`) that miss with `size` blocks; *error is its standard error, 0 for an exact
 * curve. Without uses: 0. */
double dsn_curve_misses(const struct dsn_curve *c, uint64_t size, int all, double *error);

/* From this size on only first uses miss. */
uint64_t dsn_curve_largest(const struct dsn_curve *c);

#endif
