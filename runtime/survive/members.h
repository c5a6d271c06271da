/* members.h - the processes whose records one process writes: its own, and those that others have left to it
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_MEMBERS_H
#define DSN_MEMBERS_H

#include "base/pages.h"
#include "log/part.h"
#include "log/counted.h"
#include "survive/spool.h"

/* What makes one rank of the log. */
struct dsn_member {
    struct dsn_member *next;
    int64_t rank;
    struct dsn_counted *source; /* empty: nothing is known of this rank */
    struct dsn_facts *facts;    /* without masks */
    uint64_t node;              /* by its name's hash */
    struct dsn_rank_row *row;
};

/* A process, for the extension section. */
struct dsn_process_row {
    struct dsn_process_row *next;
    const struct dsn_who *who;
    const struct dsn_member *member;
    int goes_on; /* it has executed another program since */
};

/* An image of which the spool is nowhere else than in memory. */
struct dsn_members_image {
    struct dsn_members_image *next;
    int64_t pid; /* in the family */
    char path[];
};

struct dsn_members {
    struct dsn_member *first, *last; /* ascending ranks */
    struct dsn_process_row *processes,
        *last_process;        /* ascending by their starts, but for this one, which is the first */
    int64_t nranks;           /* of the log */
    int64_t nabsent;          /* of which nothing is known */
    int64_t nkilled;          /* processes that were */
    int is_recovered;         /* none of them was there to make the log */
    struct dsn_spool *spools; /* what others have left, ascending by their starts */
    struct dsn_members_image *images;
    struct dsn_process_row **going_on;
    size_t room; /* a power of two */
    struct dsn_bump memory;
};

/* The spool that was made of an image, before any are read. 0: it is none, or there is no memory. */
int dsn__members_take(struct dsn_members *m, const char *image, const void *spool, size_t size);

/* Removes images that were taken so, for their log is on disk: that of process `pid`, or all others. */
void dsn__members_remove(const struct dsn_members *m, int64_t pid, int others);

/* Reads what others have left to process `host` of this family. */
void dsn__members_read(struct dsn_members *m, int64_t host);

/* Gives ranks; records that were adopted stay, for another thread may still come upon them. `own` (with facts and row;
 * or NULL) is this process. A process that was executed again is one with what it was before; one that has the rank of
 * another is counted with it. Where `is_rank`, all others are counted with `own`. 0 if there is no memory. */
int dsn__members_rank(struct dsn_members *m, struct dsn_member *own, const struct dsn_who *who, int is_rank);

#endif
