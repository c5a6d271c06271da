/* tree.h - broadcast, gather and reduction over ranks, as a binomial tree of sends and receives
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Our own, over the two point-to-point calls of the shim: they can be given a time limit, which collectives of MPI
 * cannot, and they run unchanged over a simulated network. The subtree of a rank is a range of ranks that begins with
 * it, so gathering keeps rank order without sorting.
 *
 * The first error or time-out ends all communication: `failed` is set, every later call returns -1 at once, and what
 * was handed to the shim until then must stay where it is, for a message may still be under way.
 *
 * A rank that cannot go on (out of memory, say) must not leave the others waiting: it calls dsn__tree_give_up(), takes
 * part in what follows with empty messages, and whoever receives one gives up, too. So the news reaches rank 0 with
 * the next gathering or reduction, and all ranks with the next broadcast. */
#ifndef DSN_TREE_H
#define DSN_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "mpi/shim.h"

struct dsn_tree {
    const struct dsn_mpi *mpi;
    int rank, size;
    int64_t deadline; /* of dsn__now(); 0: none */
    int failed;       /* communication is over */
    int given_up;     /* there will be no result, but the others have to be told */
};

/* This rank cannot go on: see above. */
static inline void dsn__tree_give_up(struct dsn_tree *t)
{
    t->given_up = 1;
}

/* Rank 0's bytes to all. On other ranks *data is allocated with malloc for the caller. Returns 0 or -1. */
int dsn__tree_bcast(struct dsn_tree *t, void **data, size_t *size);

/* All ranks' `each` bytes to rank 0, in rank order: `all` has room for size * each bytes there, and for this rank's
 * subtree elsewhere (dsn__tree_span ranks). Returns 0 or -1. */
int dsn__tree_gather(struct dsn_tree *t, const void *mine, size_t each, void *all);

/* Number of ranks in this rank's subtree, itself included. */
int dsn__tree_span(const struct dsn_tree *t);

/* `mine`, of `size` bytes on every rank, becomes on rank 0 the merger of all ranks'. merge(context, theirs, mine)
 * is called for each subtree, the lower rank's bytes being `mine`. Returns 0 or -1. */
typedef void (*dsn_merge)(void *context, const void *theirs, void *mine);
int dsn__tree_reduce(struct dsn_tree *t, void *mine, size_t size, dsn_merge merge, void *context);

#endif
