/* record.h - samples as lines of JSON, to continue an interrupted sweep
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     {"format": "darshan-sweep-record", "version": 1, "directory": "/scratch", "type": "ext4", ...settings}
 *     {"sweep": "file-read", "x": 4194304, "request": 65536, "bytes": 4194304, "seconds": 0.0011, "resident": 1.0, "ahead": 0}
 *
 *     {"host": "n1", "file_system": "lustre", "processes": 2}
 *     {"sweep": "nodes-one-read", "host": "n1", ...}
 *
 * Nodes come before the samples of all of them, and the share of each node before the sample of which it is a share.
 * Each line is written as soon as its sample has been measured. An incomplete last line is ignored, and overwritten.
 * Private to measure/sweep. */
#ifndef DSN_SWEEP_RECORD_H
#define DSN_SWEEP_RECORD_H

#include "sweep.h"

struct dsn_sweep_record {
    int fd; /* -1: do not write one */
    char directory[4097], type[32];
    struct dsn_sweep_settings settings; /* without directory and mpi */
    int has_mpi;
    int64_t begun;    /* seconds since 1970 */
    int64_t complete; /* bytes of complete lines */
};

/* Reads the lines from a descriptor. Returns 0 with `error` (of `room` bytes) if it is not a record, or damaged. For an
 * empty file: 1, and r->complete is 0. */
int dsn_record_read(int fd, struct dsn_sweep_record *r, struct dsn_samples *out, char *error, size_t room);

/* Writes the first line. 0: errno. */
int dsn_record_begin(const struct dsn_sweep_record *r);
/* `host`: the name of the one whose share it is, or NULL. */
int dsn_record_put(const struct dsn_sweep_record *r, const struct dsn_sample *one, const char *host);
int dsn_record_put_host(const struct dsn_sweep_record *r, const struct dsn_sweep_host *host);

/* Checks that a record's samples are of a sweep with these settings; otherwise returns the name of the first
 * difference. */
const char *dsn_record_differs(const struct dsn_sweep_record *r, const struct dsn_sweep_settings *s);

#endif
