/* merge-apmpi.h - the one header of APMPI's records that come from several logs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In front of all records APMPI has a header with variances over ranks (spec modules-other.md 8.1). Those of a merged
 * log are made anew of all its records, by the formula of the header that the runtime writes; times of waiting count as
 * measured if all of the logs have them. The header of a single log stays as it is. */
#ifndef DSN_MERGE_APMPI_H
#define DSN_MERGE_APMPI_H

#include "spread.h"
#include "util/lib/log.h"

struct dsn_apmpi_merge {
    struct dsn_apmpi_header header;
    unsigned nlogs; /* that have one */
    struct dsn_spread comm, sync;
};

/* All 0 at first. Adds a log that has data of APMPI. Returns an enum dsn_err of reading. */
int dsn_apmpi_merge_add(struct dsn_apmpi_merge *m, struct darshan_reader *log, struct darshan_reader_error *err);

/* The header for all of them; NULL if none has one. Lives as long as `m`. */
const struct dsn_apmpi_header *dsn_apmpi_merge_header(struct dsn_apmpi_merge *m);

#endif
