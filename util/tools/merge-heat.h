/* merge-heat.h - heat maps of several logs on one scale: darshan-merge
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Readers place the heat maps of all ranks in one matrix, so all records of a log have bins of the same width, and the
 * same number of them. */
#ifndef DSN_MERGE_HEAT_H
#define DSN_MERGE_HEAT_H

#include "util/lib/log.h"
#include "util/lib/writer.h"

struct dsn_heat_scale {
    double width; /* seconds of a bin: the widest of all, doubled while there would be too many bins */
    double end;   /* seconds from the start of the job to the end of the last bin */
    int64_t most; /* bins of a record that has the most */
};

/* Initially all 0. Adds a log that began `later` seconds after the job. Returns an enum dsn_err of reading. */
int dsn_heat_look(struct dsn_heat_scale *s, struct darshan_reader *log, double later, struct darshan_reader_error *err);

/* Writes the log's heat maps on that scale, after all logs have been looked at; `ranks_before` is added to ranks. A bin
 * is added as a whole to the one that its middle falls into: sums are kept. */
int dsn_heat_write(struct dsn_heat_scale *s, struct darshan_reader *log, double later, int64_t ranks_before,
                   struct darshan_writer *w, struct darshan_reader_error *err);

#endif
