/* aggregated.h - estimates the settings that would have avoided aggregation
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file without a record of its own cannot be remembered, and is looked up again at each open. A small table of
 * recently seen hashes keeps it from being counted twice; a file that returns after many others is counted again, so
 * the suggested setting may be larger than needed. */
#ifndef DSN_RECORD_AGGREGATED_H
#define DSN_RECORD_AGGREGATED_H

#include <stdint.h>

#define DSN_AGGREGATED_LATEST 256

struct dsn_aggregated {
    int64_t bytes;   /* bytes of records and names of the files for which there was no memory */
    int64_t limited; /* opens that failed because of a module's MAX_RECORDS */
    int64_t beyond;  /* files among these */
    int64_t limit;   /* the largest MAX_RECORDS that was reached */
    uint64_t latest[DSN_AGGREGATED_LATEST];
};

/* Whether a file, given as a 64-bit hash, has not been seen recently; adds it. */
int dsn__aggregated_is_new(struct dsn_aggregated *f, uint64_t hash);

/* The values of DARSHAN_MODMEM (bytes, `present` is today's) and MAX_RECORDS that would have been enough. Rather too
 * high than too low; 0: the present one is enough. */
int64_t dsn__aggregated_memory(const struct dsn_aggregated *f, int64_t present);
int64_t dsn__aggregated_records(const struct dsn_aggregated *f);

#endif
