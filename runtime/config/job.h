/* job.h - what the log says about the job as a whole
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_JOB_H
#define DSN_CONFIG_JOB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "config/mounts.h"
#include "darshan-log-format/header.h"

/* Copies the command line to `out`, arguments separated by blanks; from argv, or from /proc if argc is 0. If it does
 * not fit it ends in "<TRUNCATED>". Newlines become blanks, because the mount table follows on the next line. */
void dsn__exe_load(int argc, char **argv, char *out, size_t size);

/* The host name, truncated to `size` bytes including the NUL; empty if unknown. */
void dsn__host_name(char *out, size_t size);

/* The job id: from the first variable listed in the setting whose value begins with a number, else the pid, and
 * *is_pid is 1. */
int64_t dsn__job_id(int *is_pid);

/* The machine, by the setting or by the scheduler; "": unknown. */
const char *dsn__machine_name(void);

/* Writes job record, command line and mount table as stored in the log, uncompressed, to `out` (DSN_JOB_REGION_MAX
 * bytes). Returns their length. */
size_t dsn__job_region(const struct dsn_job *job, const char *exe, const struct dsn_mounts *mounts, char *out);

/* Appends "key=value\n" to the job's metadata; nothing if it does not fit. */
void dsn__metadata_add(struct dsn_job *job, const char *key, const char *value);

/* What the kernel counts for a process: us of CPU time outside of the kernel and in it, page faults that waited for storage,
 * bytes read from storage, bytes of pages made dirty. */
enum { DSN_USED_USER, DSN_USED_SYSTEM, DSN_USED_FAULTS, DSN_USED_READ, DSN_USED_DIRTIED, DSN_NUSED };

/* Timing and identity of this process's run. */
struct dsn_run {
    int64_t start_sec, start_nsec; /* Unix time */
    int64_t began;                 /* ns from time zero, which is the root process's, to the start of this process */
    int64_t ended;                 /* ns from time zero to the end of recording: first of this rank, later of all */
    struct tm start_local;
    int64_t used_before[DSN_NUSED]; /* what the process had used when recording began: before exec */
    pid_t pid;                      /* of the recording process; differs from getpid() in a forked child */
    int rank, nprocs;
    int names_job;     /* this program names the job even if it execs another one: it has done I/O, or has children */
    int64_t took_init; /* ns spent in initialisation */
    char exe[DSN_JOB_REGION_MAX - DSN_JOB_SIZE];
};

/* What this process has used so far, with all its threads. */
void dsn__process_used(int64_t used[DSN_NUSED]);

/* Member of the state that life/state.h composes. */
extern struct dsn_run *const dsn__run __attribute__((visibility("hidden")));

#endif
