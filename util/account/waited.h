/* waited.h - how long a log's ranks waited for their I/O, and who moved the data: as the job's report has it
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WAITED_H
#define DSN_WAITED_H

#include "util/lib/figures.h"

struct dsn_waited {
    double time, wait, meta;          /* seconds at the highest layer called, summed over ranks; of it in collective
                                           * calls and in none below; in calls about files */
    double slowest_at_least, slowest; /* of the slowest rank: no less, no more */
    int64_t busiest_bytes;            /* that one rank is known to have moved */
    int64_t ranks_with_bytes;         /* about; -1: not known */
};

/* Reads them, and the figures, which have damage of the log. Returns DSN_ERR_OK or MEMORY. */
int dsn_waited_read(struct darshan_reader *log, struct dsn_figures *figures, struct dsn_waited *out);

#endif
