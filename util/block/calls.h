/* calls.h - what the programs of a job asked for, by its log, beside what reached devices
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/block and its command. */
#ifndef DSN_BLOCK_CALLS_H
#define DSN_BLOCK_CALLS_H

#include "extents.h"
#include "util/lib/log.h"

#define DSN_BLOCK_CALLERS 3

/* Reads or writes of a file in a phase, by the log's traces. */
struct dsn_block_caller {
    char *path; /* NULL: the log has no name for it */
    int is_write;
    struct dsn_block_sums sums; /* calls */
};

/* What the log tells of the time of the recording. */
struct dsn_block_calls {
    double bytes[2];                    /* of the whole job */
    int has_series;                     /* both clocks are known, and when calls were made: */
    double series[2][DSN_BLOCK_SERIES]; /* bytes, along struct dsn_block's series */
    struct dsn_block_caller callers[DSN_BLOCK_SERIES][DSN_BLOCK_CALLERS]; /* of each phase, most bytes first */
    size_t ncallers[DSN_BLOCK_SERIES];
};

/* Reads the log, whose file is `path`; what it has of `files` is noted there. Returns DSN_ERR_OK or MEMORY. To be freed in any case. */
int dsn_block_calls_read(struct darshan_reader *log, const char *path, const struct dsn_block *b,
                         struct dsn_block_file *files, size_t nfiles, struct dsn_block_calls *out);
void dsn_block_calls_free(struct dsn_block_calls *c);

#endif
