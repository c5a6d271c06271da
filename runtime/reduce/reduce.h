/* reduce.h - reduces all ranks' copies of a record to one
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions over bytes, without communication. Semantics: spec reductions.md 3. */
#ifndef DSN_REDUCE_REDUCE_H
#define DSN_REDUCE_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "record/module.h"
#include "reduce/plan.h"

/* The shared records of all modules as one block: int64 number of ranks that it stands for, then per module index
 * ascending, per id ascending, the record. Behind them in the same order, of modules that move data, figures of
 * single ranks: a record of dsn_sharing_table. Behind these, again in the same order, of records that have more frequent
 * values on some rank than a record holds: DSN_VALUES_MAX struct dsn_value_count for each group of them, the unused ones
 * zero. */
struct dsn_shared_block {
    size_t size;
    char *bytes;
};

/* Its size in bytes. A block of zeros contains no ranks. */
size_t dsn__block_bytes(const struct dsn_plan *p);

/* Adds the records of `rank`, which is lower than all ranks in the block, and its frequent values beyond those in
 * records; `at`: start of the group of values in a record. */
typedef const struct dsn_rec *(*dsn_record_of)(void *context, enum dsn_module_index module, uint64_t id);
typedef unsigned (*dsn_values_of)(void *context, enum dsn_module_index module, uint64_t id, int at,
                                  struct dsn_value_count out[DSN_VALUES_MAX]);
void dsn__block_add(const struct dsn_plan *p, void *block, int64_t rank, dsn_record_of record_of,
                    dsn_values_of values_of, void *context);

/* Starts of the groups of frequent values in a module's records that consist of single numbers; returns how many. */
#define DSN_BLOCK_GROUPS 2
unsigned dsn__block_groups(enum dsn_module_index module, uint16_t at[DSN_BLOCK_GROUPS]);

/* Merges `theirs`, of the same size and of higher ranks, into mine. */
void dsn__block_merge(const struct dsn_plan *p, const void *theirs, void *mine);

/* After the last merge, on rank 0: computes variances, and sorts out the most frequent values. */
void dsn__block_finalize(const struct dsn_plan *p, struct dsn_shared_block *b);

/* Start of a module's records in the block, and their number. */
const char *dsn__block_module(const struct dsn_plan *p, const struct dsn_shared_block *b, enum dsn_module_index module,
                              size_t *n);

/* Where the records of dsn_sharing_table are, and how many bytes they have. */
const void *dsn__block_figures(const struct dsn_plan *p, const struct dsn_shared_block *b, size_t *size);

#endif
