/* participants.h - the processes whose records one process writes to a log: itself, and those that it collects
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What there is of a process, from its memory to the log:
 *
 *     struct dsn_recording       its state, in memory or salvaged from a survival file (record/recording.h)
 *     struct dsn_exit_record     the same as bytes in a file, read again; struct dsn_who says whose
 *     struct dsn_record_source   its records, whichever of these they come from (log/record-source.h)
 *     struct dsn_participant     a rank of the log: one source, into which those of the same rank are merged
 *     struct dsn_process_row     a line of the part "processes": which participant a process became
 */
#ifndef DSN_LOG_PARTICIPANTS_H
#define DSN_LOG_PARTICIPANTS_H

#include <stdbool.h>

#include "base/pages.h"
#include "config/who.h"
#include "log/rank-data.h"
#include "log/record-source.h"

/* An exit record (survive/exit-record.h) that has been read. */
struct dsn_exit_record {
    struct dsn_exit_record *next;
    uint64_t order;          /* order of reading */
    int is_of_survival_file; /* made from a survival file, which still exists */
    const struct dsn_who *who;
    struct dsn_rank_summary *summary; /* without ids */
    struct dsn_rank_row row;
    struct dsn_record_source source;
};

/* One rank of the log. */
struct dsn_participant {
    struct dsn_participant *next;
    int64_t rank;
    struct dsn_record_source *source; /* empty for an absent rank */
    struct dsn_rank_summary *summary; /* without ids */
    uint64_t node;                    /* hash of the node's name */
    struct dsn_rank_row *row;
};

/* A process, for the extension section. */
struct dsn_process_row {
    struct dsn_process_row *next;
    const struct dsn_who *who;
    const struct dsn_participant *participant;
    int executed; /* it exec'ed another program afterwards */
};

/* A survival file whose records have been added. */
struct dsn_leftover_file {
    struct dsn_leftover_file *next;
    int64_t pid; /* in the process tree */
    char path[];
};

struct dsn_participants {
    struct dsn_participant *first, *last;             /* ascending ranks */
    struct dsn_process_row *processes, *last_process; /* by start time, except that this process comes first */
    int64_t nranks;                                   /* of the log */
    int64_t nabsent;                                  /* ranks without data */
    int64_t nkilled;                                  /* processes that were killed */
    int64_t nrunning;                                 /* running processes: the log is a snapshot */
    int is_recovered;                     /* the log is made by darshan-recover, or on behalf of all of them */
    struct dsn_exit_record *exit_records; /* left by other processes, by start time */
    bool are_unread;                      /* there are more, in a file that could not be read */
    struct dsn_leftover_file *survival_files;
    struct dsn_process_row **last_rows;
    size_t room; /* a power of two */
    struct dsn_bump memory;
};

/* Gives each process its rank in the log. `own`, with summary and row, is this process (or NULL). What a process
 * was before and after an exec is one rank; so are processes with the same rank. With `is_rank`, all others become
 * part of `own`. Records that were adopted are not freed: another thread may still look at them. False if there is no
 * memory. */
bool dsn__participants_assign_ranks(struct dsn_participants *participants, struct dsn_participant *own,
                                    const struct dsn_who *who, int is_rank);

#endif
