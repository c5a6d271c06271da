/* reduce.h - which records are shared by all ranks, and one record out of all ranks' copies
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pure functions over bytes, and the two exchanges that use them. Semantics: spec reductions.md 1 and 3. */
#ifndef DSN_REDUCE_H
#define DSN_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "mpi/tree.h"

/* A record id and the modules (bit: enum dsn_slot) that have a record of it. */
struct dsn_mask {
    uint64_t id, slots;
};

/* What all ranks have to agree on. */
struct dsn_agreement {
    struct dsn_agreement_head {
        int64_t reduce; /* shared records are to be reduced */
        int64_t ended;  /* ns from the start of a rank to the end of its records, on the rank where that is longest */
        uint64_t n;
    } head;
    struct dsn_mask *mask; /* n of them, by ascending id: dsn__pages */
};

/* Rank 0's candidates (all ids that it knows, masks, sorted) into `a`; other ranks need not call it. 0 if there is no
 * memory. */
int dsn__candidates(struct dsn_agreement *a);

/* Collective, the first half: rank 0's candidates to all, and on the way back to rank 0 the masks lose the bits that
 * are not set on every rank that records (`participates`), and the latest time (`ended`, as in the head) becomes known
 * to it. When rank 0 returns, all ranks have come. Returns 0 or -1. */
int dsn__meet(struct dsn_tree *t, struct dsn_agreement *a, int participates, int64_t ended);

/* Collective, the second half: all ranks get the masks that rank 0 has. Returns 0 or -1; after dsn__tree_give_up() on
 * rank 0 it is -1 for all. */
int dsn__agree(struct dsn_tree *t, struct dsn_agreement *a);

/* The modules in which an id is shared by all ranks; 0 for one that is not. */
uint64_t dsn__shared_slots(const struct dsn_agreement *a, uint64_t id);

/* The shared records of all modules as one block: int64 number of ranks that it stands for, then per slot ascending,
 * per id ascending, the record. */
struct dsn_block {
    size_t size;
    char *bytes; /* dsn__pages */
};

/* This rank's block, ready for reduction; a rank that does not participate stands for 0 ranks. 0 if no memory. */
int dsn__block_make(const struct dsn_agreement *a, int participates, struct dsn_block *b);

/* theirs into mine; context is the agreement. A dsn_merge. */
void dsn__block_merge(void *context, const void *theirs, void *mine);

/* After the last merger, on rank 0: variances. */
void dsn__block_finish(const struct dsn_agreement *a, struct dsn_block *b);

/* Where slot's records begin in the block, and how many there are. */
const char *dsn__block_slot(const struct dsn_agreement *a, const struct dsn_block *b, enum dsn_slot slot, size_t *n);

#endif
