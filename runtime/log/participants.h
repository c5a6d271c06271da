/* participants.h - the processes whose records one process writes: its own, and those that others have left to it
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_PARTICIPANTS_H
#define DSN_LOG_PARTICIPANTS_H

#include "base/pages.h"
#include "config/who.h"
#include "log/record-source.h"
#include "log/part.h"

/* What an ended process has left: an exit record (survive/exit-record.h) that has been read. */
struct dsn_exit_record {
    struct dsn_exit_record *next;
    uint64_t order;          /* in which it was read */
    int is_of_survival_file; /* it is in no file, but of a survival file that is there still */
    const struct dsn_who *who;
    struct dsn_rank_summary *summary; /* without masks */
    struct dsn_rank_row row;
    struct dsn_record_source source;
};

/* What makes one rank of the log. */
struct dsn_participant {
    struct dsn_participant *next;
    int64_t rank;
    struct dsn_record_source *source; /* empty: nothing is known of this rank */
    struct dsn_rank_summary *summary; /* without masks */
    uint64_t node;                    /* by its name's hash */
    struct dsn_rank_row *row;
};

/* A process, for the extension section. */
struct dsn_process_row {
    struct dsn_process_row *next;
    const struct dsn_who *who;
    const struct dsn_participant *participant;
    int goes_on; /* it has executed another program since */
};

/* A survival file of which the exit record is nowhere else than in memory. */
struct dsn_leftover_file {
    struct dsn_leftover_file *next;
    int64_t pid; /* in the process tree */
    char path[];
};

struct dsn_participants {
    struct dsn_participant *first, *last; /* ascending ranks */
    struct dsn_process_row *processes,
        *last_process;                    /* ascending by their starts, but for this one, which is the first */
    int64_t nranks;                       /* of the log */
    int64_t nabsent;                      /* of which nothing is known */
    int64_t nkilled;                      /* processes that were */
    int is_recovered;                     /* none of them was there to make the log */
    struct dsn_exit_record *exit_records; /* what others have left, ascending by their starts */
    struct dsn_leftover_file *survival_files;
    struct dsn_process_row **going_on;
    size_t room; /* a power of two */
    struct dsn_bump memory;
};

/* Gives ranks; records that were adopted stay, for another thread may still come upon them. `own` (with facts and row;
 * or NULL) is this process. A process that was executed again is one with what it was before; one that has the rank of
 * another is counted with it. Where `is_rank`, all others are counted with `own`. 0 if there is no memory. */
int dsn__participants_rank(struct dsn_participants *m, struct dsn_participant *own, const struct dsn_who *who,
                           int is_rank);

#endif
