/* record.h - samples as lines of JSON, so that an interrupted sweep goes on where it was
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     {"format": "darshan-sweep-record", "version": 1, "directory": "/scratch", "type": "ext4", ...settings}
 *     {"sweep": "file-read", "x": 4194304, "request": 65536, "bytes": 4194304, "seconds": 0.0011, "resident": 1.0, "ahead": 0}
 *
 * Each line is written at once when its sample is there. A last line without an end is one that was interrupted: it is left out,
 * and written over. Private to util/sweep. */
#ifndef DSN_SWEEP_RECORD_H
#define DSN_SWEEP_RECORD_H

#include "sweep.h"

struct dsn_sweep_record {
    int fd; /* -1: none is written */
    char directory[4097], type[32];
    struct dsn_sweep_settings settings; /* without directory and mpi */
    int has_mpi;
    int64_t begun;    /* seconds since 1970 */
    int64_t complete; /* bytes of whole lines */
};

/* Reads the lines of a descriptor. Returns 0 with `error` (of `room` bytes) if it is no record, or a damaged one. Of an empty file:
 * 1, and r->complete is 0. */
int dsn_record_read(int fd, struct dsn_sweep_record *r, struct dsn_samples *out, char *error, size_t room);

/* Writes the first line. 0: errno. */
int dsn_record_begin(const struct dsn_sweep_record *r);
int dsn_record_put(const struct dsn_sweep_record *r, const struct dsn_sample *one);

/* Whether the samples of a record are those of a sweep with these settings; if not, the name of what differs. */
const char *dsn_record_differs(const struct dsn_sweep_record *r, const struct dsn_sweep_settings *s);

#endif
