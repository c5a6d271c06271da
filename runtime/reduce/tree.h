/* tree.h - sweeps over all ranks, towards rank 0 and away from it, as a binomial tree of sends and receives
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Our own, over the two point-to-point calls of the shim: they can be given a time limit, which collectives of MPI
 * cannot, and they run unchanged over a simulated network. The subtree of a rank is a range of ranks that begins with
 * it, so what is joined in the order of arrival is in rank order.
 *
 * The first error or time-out ends all communication: `failed` is set, every later call returns -1 at once, and what
 * was handed to the shim until then must stay where it is, for a message may still be under way.
 *
 * A rank that cannot go on (out of memory, say) must not leave the others waiting: it calls dsn__rank_tree_give_up(), takes
 * part in what follows with empty messages, and whoever receives one gives up, too. So the news reaches rank 0 with the
 * next sweep up, and all ranks with the next one down. The same where a rank is dead: those who wait for it give up,
 * and their messages, of one byte, say why. */
#ifndef DSN_REDUCE_TREE_H
#define DSN_REDUCE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mpi.h"

struct dsn_rank_tree {
    const struct dsn_mpi *mpi;
    int rank, size;
    int every;        /* 0 or 1: all ranks; else rank and size count every n-th rank of MPI_COMM_WORLD */
    int64_t deadline; /* of dsn__now(); 0: none */
    int failed;       /* no more communication is possible */
    int given_up;     /* there will be no result, but the others must be notified */
    int lost;         /* because a rank is dead; buffers passed to the shim until then must stay */
};

/* This rank cannot go on: see above. */
static inline void dsn__rank_tree_give_up(struct dsn_rank_tree *t)
{
    t->given_up = 1;
}

/* The ranks with which this one communicates. Returns how many. */
#define DSN_NEIGHBOURS_MAX 32
int dsn__rank_tree_neighbours(const struct dsn_rank_tree *t, int ranks[DSN_NEIGHBOURS_MAX]);

/* After a broadcast that has not come: the parent, which may arrive yet, need not wait for this rank. */
void dsn__rank_tree_leave(struct dsn_rank_tree *t, int64_t deadline);

/* Broadcasts rank 0's bytes, at least two, to all. On other ranks *data is malloced for the caller. Returns 0 or -1. */
int dsn__rank_tree_bcast(struct dsn_rank_tree *t, void **data, size_t *size);

/* Callbacks of a sweep up. take() merges data received from a subtree, whose ranks follow those merged already; if it
 * keeps the malloced message, it sets it to NULL. give() returns the result for the parent, at least two bytes; it is
 * not called on rank 0. false or NULL: failure. */
struct dsn_cargo {
    bool (*take)(void *context, void **theirs, size_t size);
    const void *(*give)(void *context, size_t *size);
};

/* Gathers towards rank 0, which then has the data of all ranks. Returns 0 or -1. */
int dsn__rank_tree_up(struct dsn_rank_tree *t, const struct dsn_cargo *cargo, void *context);

/* An exclusive prefix sum of `n` lengths per rank, up and down the tree. On rank 0, `place` turns the sums into
 * offsets. Initially zero except for `own`; NULL: this rank has no memory for it. Returns 0 or -1. */
#define DSN_SCAN_MAX 16
struct dsn_scan {
    uint64_t own[DSN_SCAN_MAX];   /* lengths; afterwards offsets */
    uint64_t sum[DSN_SCAN_MAX];   /* of this rank's subtree; on rank 0 of all ranks */
    uint64_t first[DSN_SCAN_MAX]; /* offsets of this rank */
    uint64_t child[32][DSN_SCAN_MAX], begin[32][DSN_SCAN_MAX];
};
int dsn__rank_tree_scan(struct dsn_rank_tree *t, struct dsn_scan *s, unsigned n,
                        void (*place)(void *context, const uint64_t *sums, uint64_t *begins), void *context);

#endif
