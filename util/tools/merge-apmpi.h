/* merge-apmpi.h - the APMPI header for records of several logs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * APMPI's records are preceded by a header with variances over ranks (spec modules-other.md 8.1). Those of a merged log
 * are recomputed from all records, by the runtime's formula; synchronization times are considered measured if all logs
 * have them. The header of a single log is not changed. */
#ifndef DSN_MERGE_APMPI_H
#define DSN_MERGE_APMPI_H

#include "spread.h"
#include "util/lib/log.h"

struct dsn_apmpi_merge {
    struct dsn_apmpi_header header;
    unsigned nlogs; /* logs with a header */
    struct dsn_rank_spread comm, sync;
};

/* Initially all 0. Adds a log that has APMPI data. Returns an enum dsn_err of reading. */
int dsn_apmpi_merge_add(struct dsn_apmpi_merge *m, struct darshan_reader *log, struct darshan_reader_error *err);

/* The header for all of them; NULL: no log has one. Valid as long as `m`. */
const struct dsn_apmpi_header *dsn_apmpi_merge_header(struct dsn_apmpi_merge *m);

#endif
