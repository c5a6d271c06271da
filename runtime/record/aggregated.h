/* aggregated.h - how much more would have been needed, so that nothing had been counted together
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file that finds no place for its record is seen again and again, and cannot be remembered. It counts once as long
 * as it is among the latest of these; one that comes again after many others counts again, so that what is said to be
 * enough may be more. */
#ifndef DSN_RECORD_AGGREGATED_H
#define DSN_RECORD_AGGREGATED_H

#include <stdint.h>

#define DSN_AGGREGATED_LATEST 256

struct dsn_aggregated {
    int64_t bytes;   /* that records and names would have taken of files for which there was no memory */
    int64_t limited; /* times that a module's MAX_RECORDS was the reason, */
    int64_t beyond;  /* the files of these, */
    int64_t limit;   /* and the largest MAX_RECORDS that was reached */
    uint64_t latest[DSN_AGGREGATED_LATEST];
};

/* Whether the file of this 64-bit hash is none of the latest, of which it is one from now on. */
int dsn__aggregated_is_new(struct dsn_aggregated *f, uint64_t hash);

/* DARSHAN_MODMEM, in bytes, that would have been enough beside the `present` one; a MAX_RECORDS that would. Both are
 * rather too high than too low; 0: what there was is enough. */
int64_t dsn__aggregated_memory(const struct dsn_aggregated *f, int64_t present);
int64_t dsn__aggregated_records(const struct dsn_aggregated *f);

#endif
