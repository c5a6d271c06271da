/* who.h - what tells one process of a job from another
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_WHO_H
#define DSN_CONFIG_WHO_H

#include <stdint.h>

#include "base/clock.h"
#include "config/origin.h"
#include "darshan-log-format/header.h"

#define DSN_NUMBER_STEP (INT64_C(1) << 22) /* Linux gives no process a number as large */

/* As the kernel calls the process. */
static inline int64_t dsn__pid_of(int64_t number)
{
    return number % DSN_NUMBER_STEP;
}

/* Who a process is; in its survival file. */
struct dsn_process_tree {
    int64_t pid, parent;
    int64_t root;         /* number of the one that collects this one's */
    int64_t pid_space;    /* where its number means something (survive/liveness.h), as far as that was asked */
    int64_t rank, nranks; /* in a job: MPI's, or the launcher's; -1: not known */
    int is_mpi;
    int by_counter; /* time zero of all of the process tree is its root process's: */
    struct dsn_moment zero;
    int64_t from_utc; /* seconds of local time ahead of UTC */
};

/* Part of what life/state.h composes. */
extern struct dsn_process_tree *const dsn__process_tree __attribute__((visibility("hidden")));

/* What the logs of a process tree are named by: its key; of a process that makes one of its own, because its root
 * process is dead, another number, for it is not the process tree's log. */
uint64_t dsn__process_tree_log_key(const struct dsn_process_tree *f, uint64_t key);

/* What the extension section says of a process (darshan-log-format/extension.h). */
struct dsn_who {
    struct dsn_process_tree process_tree;
    int64_t created;               /* ns of CLOCK_BOOTTIME */
    int64_t start_sec, start_nsec; /* Unix time */
    int64_t local_start[6];        /* year (from 1900), month (from 0), day, hour, minute, second: local time */
    int64_t uid;
    int64_t was_killed;       /* it was found in a survival file */
    int64_t runs;             /* it has not ended: this is what it had counted at a moment */
    int64_t goes_on;          /* the process has executed another program since; 2: the job goes by this one's name */
    struct dsn_origin origin; /* texts come last */
    char exe[DSN_JOB_REGION_MAX - DSN_JOB_SIZE];
};

/* How a process came to its end, if it did. */
enum dsn_ending { DSN_ENDED, DSN_KILLED, DSN_EXECUTES, DSN_RUNS };

/* A process that was killed between leaving an exit record and taking its survival file away has left both. */
static inline int dsn__is_twice(const struct dsn_who *a, const struct dsn_who *b)
{
    return a->created == b->created && a->process_tree.pid == b->process_tree.pid;
}

#endif
