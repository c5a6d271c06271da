/* reduce.h - one record out of all ranks' copies
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions over bytes, without communication. Semantics: spec reductions.md 3. */
#ifndef DSN_REDUCE_H
#define DSN_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "mpi/plan.h"

/* The shared records of all modules as one block: int64 number of ranks that it stands for, then per slot ascending,
 * per id ascending, the record. */
struct dsn_block {
    size_t size;
    char *bytes; /* dsn__pages */
};

/* A block of no ranks. 0 if there is no memory. */
int dsn__block_new(const struct dsn_plan *p, struct dsn_block *b);

/* Fills it with this rank's records, ready for reduction: it stands for `rank`. */
typedef const struct dsn_rec *(*dsn_record_of)(void *context, enum dsn_slot slot, uint64_t id);
void dsn__block_fill(const struct dsn_plan *p, struct dsn_block *b, int64_t rank, dsn_record_of record_of,
                     void *context);

/* `theirs`, of the same size, into mine. */
void dsn__block_merge(const struct dsn_plan *p, const void *theirs, void *mine);

/* After the last merger, on rank 0: variances. */
void dsn__block_finish(const struct dsn_plan *p, struct dsn_block *b);

/* Where slot's records begin in the block, and how many there are. */
const char *dsn__block_slot(const struct dsn_plan *p, const struct dsn_block *b, enum dsn_slot slot, size_t *n);

#endif
