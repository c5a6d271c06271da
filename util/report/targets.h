/* targets.h - what each storage target of Lustre (OST) holds of a job's files, and what the job moved to and from it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An estimate: a log does not say where in a file bytes were moved, so that they are taken to be spread evenly from its start to the
 * highest offset that was read or written. How much of that lies on each target follows from the file's stripes. */
#ifndef DSN_TARGETS_H
#define DSN_TARGETS_H

#include "report.h"

#define DSN_TARGETS_MOST 65536 /* different ones; stripes on more are left out */

struct dsn_target {
    int mount; /* index into report.mounts: two file systems both have a target 0 */
    int64_t ost, files;
    double bytes_read, bytes_written;
};

struct dsn_targets {
    struct dsn_target *list; /* those with most bytes first */
    size_t n;
    int64_t files; /* whose bytes are in the list */
    int64_t
        there; /* targets that there are, at least: of each file system the highest number in any layout, plus one */
    int64_t
        undivided; /* files with data and a layout, but no stripes or no known size: their data may be on a metadata target */
    double undivided_bytes;
};

/* Returns DSN_ERR_OK or MEMORY; the list is to be freed in any case. */
int dsn_targets_make(const struct dsn_report *r, struct dsn_targets *out);

static inline double dsn_target_bytes(const struct dsn_target *t)
{
    return t->bytes_read + t->bytes_written;
}

#endif
