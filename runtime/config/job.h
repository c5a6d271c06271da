/* job.h - what the log says of the job as a whole
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_JOB_H
#define DSN_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "config/mounts.h"
#include "darshan-log-format/header.h"

/* The command line, words joined by blanks, into `out`; from argv, or from /proc when argc is 0. One that does not
 * fit ends in "<TRUNCATED>". Line ends become blanks, for the mount table follows after one. */
void dsn__exe_load(int argc, char **argv, char *out, size_t size);

/* The node's name, cut to `size` bytes with their end; empty: it has none. */
void dsn__host_name(char *out, size_t size);

/* The job's number: the first of the variables that the setting names which begins with a number, else the pid. */
int64_t dsn__job_id(void);

/* Job record, command line and mount table as they stand in the log, uncompressed, into `out` (DSN_JOB_REGION_MAX
 * bytes). Returns their length. */
size_t dsn__job_region(const struct dsn_job *job, const char *exe, const struct dsn_mounts *mounts, char *out);

/* Appends "key=value\n" to the job's metadata if it fits whole. */
void dsn__metadata_add(struct dsn_job *job, const char *key, const char *value);

#endif
