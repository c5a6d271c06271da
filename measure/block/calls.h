/* calls.h - I/O requested by a job's programs, from its log, for comparison with that of devices
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to measure/block and its command. */
#ifndef DSN_BLOCK_CALLS_H
#define DSN_BLOCK_CALLS_H

#include "extents.h"
#include "util/lib/log.h"

#define DSN_BLOCK_CALLERS 3

/* Reads or writes of a file in a phase, from the log's traces. */
struct dsn_block_caller {
    char *path; /* NULL: the log has no name for it */
    int is_write;
    struct dsn_block_sums sums; /* calls */
};

/* What the log contains for the time of the recording. */
struct dsn_block_calls {
    double bytes[2];                    /* of the whole job */
    int has_series;                     /* both clocks and the times of calls are known: */
    double series[2][DSN_BLOCK_SERIES]; /* bytes, over struct dsn_block's series */
    struct dsn_block_caller callers[DSN_BLOCK_SERIES][DSN_BLOCK_CALLERS]; /* per phase, descending by bytes */
    size_t ncallers[DSN_BLOCK_SERIES];
};

/* Reads the log at `path`; adds to `files` what it has of them. Returns DSN_ERR_OK or MEMORY. Free it in any case. */
int dsn_block_calls_read(struct darshan_reader *log, const char *path, const struct dsn_block *b,
                         struct dsn_block_file *files, size_t nfiles, struct dsn_block_calls *out);
void dsn_block_calls_free(struct dsn_block_calls *c);

#endif
