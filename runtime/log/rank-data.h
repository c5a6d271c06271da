/* rank-data.h - what a rank adds to the log: its rank summary, names and records
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_RANK_DATA_H
#define DSN_LOG_RANK_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/record-source.h"
#include "log/region.h"
#include "record/module.h"
#include "reduce/plan.h"
#include "reduce/reduce.h"

/* A row of the table of ranks: a record of dsn_rank_table. */
struct dsn_rank_row {
    uint64_t id;
    int64_t rank;
    union dsn_val v[RANK_NVALUES];
    union dsn_val lbio[LBIO_NVALUES]; /* of the part "lbio" */
};

/* Makes the summary for the plan, of a source with a recording, and its row except for the node's number; before shared
 * records are reduced. `with_ids`: it includes the ids of its records. NULL if there is no memory. */
struct dsn_rank_summary *dsn__rank_summary_make(const struct dsn_record_source *s, int participates, bool with_ids,
                                                struct dsn_rank_row *row);

/* A copy of a summary without ids, with those of the source's records if `with_ids`; NULL if there is no memory. */
struct dsn_rank_summary *dsn__rank_summary_copy(const struct dsn_record_source *s,
                                                const struct dsn_rank_summary *summary, bool with_ids);

/* The record of a source (`context`), for dsn__block_add. */
const struct dsn_rec *dsn__source_record(void *context, enum dsn_module_index module, uint64_t id);

/* Its frequent values, likewise. */
unsigned dsn__source_values(void *context, enum dsn_module_index module, uint64_t id, int at,
                            struct dsn_value_count out[DSN_VALUES_MAX]);

/* Fills empty regions with names, records and row of a source. `shared`: the block of shared records as written, for
 * the leading source (NULL: there was no reduction, or this is another one). Returns false if there is no memory. */
bool dsn__rank_data_fill(struct dsn_regions *r, const struct dsn_record_source *s, const struct dsn_plan *plan,
                         const struct dsn_shared_block *shared, struct dsn_rank_row *row);

#endif
