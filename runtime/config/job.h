/* job.h - what the log says of the job as a whole
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_JOB_H
#define DSN_CONFIG_JOB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

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

/* The run of this process. */
struct dsn_run {
    int64_t start_sec, start_nsec; /* Unix time */
    int64_t began;                 /* ns from the clock's origin, the root process's, to the start of this process */
    int64_t ended;                 /* ns from the origin to the end of the records: first of this rank, then of all */
    struct tm start_local;
    pid_t pid; /* of the process that counts; a forked child differs */
    int rank, nprocs;
    int names_job;     /* before it executes another program: it has done something, or others for it */
    int64_t took_init; /* ns that starting took */
    char exe[DSN_JOB_REGION_MAX - DSN_JOB_SIZE];
};

/* Part of what life/state.h composes. */
extern struct dsn_run *const dsn__run __attribute__((visibility("hidden")));

#endif
