/* who.h - identity of a process within a job
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_WHO_H
#define DSN_CONFIG_WHO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "config/origin.h"
#include "darshan-log-format/header.h"

#define DSN_NUMBER_STEP (INT64_C(1) << 22) /* larger than any pid of Linux */

/* The pid in the kernel's terms. */
static inline int64_t dsn__pid_of(int64_t number)
{
    return number % DSN_NUMBER_STEP;
}

/* A process as a member of a process tree; part of its survival file. Numbers are the kernel's pids, but unique in the
 * tree (survive/process-tree.h): dsn__pid_of() a number is the pid. */
struct dsn_member {
    int64_t number, parent;
    int64_t root;         /* number of the root process, which collects this one's records */
    int64_t pid_space;    /* the pid namespace (survive/liveness.h), as far as known */
    int64_t rank, nranks; /* in a job: MPI's, or the launcher's; -1: unknown */
    int is_mpi;
    int by_counter; /* time zero is shared by the process tree; it is the root process's: */
    struct dsn_moment zero;
    int64_t from_utc; /* offset of local time from UTC, in seconds */
};

/* This process. Member of the state that life/state.h composes. */
extern struct dsn_member *const dsn__member __attribute__((visibility("hidden")));

static inline bool dsn__is_root_process(const struct dsn_member *m)
{
    return m->root == m->number;
}

/* The key in the names of a process tree's logs. A process that writes its own log because its root process is dead
 * gets another key. */
uint64_t dsn__process_tree_log_key(const struct dsn_member *member, uint64_t key);

/* A number that all ranks of one run of a parallel program have, on all nodes, and no other run: of MPI, or of a step of a
 * scheduler. 0: it is no such program, or nobody knows. */
uint64_t dsn__run_of(const struct dsn_member *member, const struct dsn_origin *o);

/* What the extension section says about a process (darshan-log-format/extension.h). */
struct dsn_who {
    struct dsn_member member;
    int64_t created;               /* ns of CLOCK_BOOTTIME */
    int64_t start_sec, start_nsec; /* Unix time */
    int64_t local_start[6];        /* local time: year (from 1900), month (from 0), day, hour, minute, second */
    int64_t uid;
    int64_t was_killed;       /* it was recovered from a survival file */
    int64_t runs;             /* it is still running: these are its counts at some moment */
    int64_t executed;         /* the process later exec'ed another program */
    int64_t names_job;        /* and the job is named after this one */
    struct dsn_origin origin; /* strings come last */
    char exe[DSN_JOB_REGION_MAX - DSN_JOB_SIZE];
};

/* How a process ended, if it did. */
enum dsn_ending { DSN_ENDED, DSN_KILLED, DSN_EXECUTES, DSN_RUNS };

/* Whether `a` and `b` are the same process: one that is killed between leaving its exit record and removing its
 * survival file leaves both. */
static inline bool dsn__is_twice(const struct dsn_who *a, const struct dsn_who *b)
{
    return a->created == b->created && a->member.number == b->member.number;
}

#endif
