/* merge-shared.h - reduces records of all ranks to shared records: darshan-merge --shared-redux
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All records of a module are processed twice: first by dsn_shared_look(), which finds candidates (the records of the
 * first rank), then by dsn_shared_add(). A record is shared if every rank of the job has exactly one. Memory: one
 * record for each of the first rank's. */
#ifndef DSN_MERGE_SHARED_H
#define DSN_MERGE_SHARED_H

#include "util/lib/accum.h"
#include "util/lib/writer.h"

struct dsn_shared {
    const struct dsn_table *table;
    int exact; /* may be set after init: use the rules of the runtime's reduction; otherwise those of printed totals,
                * which have less accurate most frequent values, and no variances for most modules */
    struct dsn_accum accum;
    struct dsn__idmap index; /* id -> candidate */
    struct dsn__idmap ids;   /* ids of shared records; after dsn_shared_decide() */
    struct dsn__candidate *candidates;
    size_t n, room;
    unsigned char *records; /* one per candidate; after the first dsn_shared_add() */
    int64_t first_rank;     /* -1: none seen yet */
};

/* Whether records of the module can be reduced. */
int dsn_shared_can(unsigned module);

void dsn_shared_init(struct dsn_shared *s, unsigned module);
void dsn_shared_free(struct dsn_shared *s);

/* Both return an enum dsn_err: OK or MEMORY. Shared records (rank -1) are ignored. */
int dsn_shared_look(struct dsn_shared *s, const struct dsn_rec *r);
int dsn_shared_add(struct dsn_shared *s, const struct dsn_rec *r, const struct dsn_tail *tail);

/* Determines which candidates all `nprocs` ranks have. */
int dsn_shared_decide(struct dsn_shared *s, int64_t nprocs);

/* Per-rank figures of candidate i < s->n: a record of dsn_sharing_table; NULL: it is not shared, or moves no data. */
const struct dsn_rec *dsn_shared_ranks(const struct dsn_shared *s, size_t i);

/* Writes the shared records, in the order of the first rank's. */
int dsn_shared_write(struct dsn_shared *s, struct darshan_writer *w);

/* Shared records of several logs: a file that the ranks of one log share, and those of another, has one record. Memory: a
 * record for each shared one. */
struct dsn_whole {
    const struct dsn_table *table;
    struct dsn__idmap index;   /* id -> number of the record */
    struct dsn__idmap several; /* ids of those that several logs have */
    unsigned char *records;    /* of the table; variances hold sums of squares */
    int64_t *ranks;            /* that each record stands for */
    size_t n, room;
};

/* Whether records of the module can be joined so. */
int dsn_whole_can(unsigned module);

void dsn_whole_init(struct dsn_whole *s, unsigned module);
void dsn_whole_free(struct dsn_whole *s);

/* Adds a shared record of a log of `nprocs` ranks. Returns DSN_ERR_OK or DSN_ERR_MEMORY. */
int dsn_whole_add(struct dsn_whole *s, const struct dsn_rec *r, int64_t nprocs);

/* Writes those that several logs have. */
int dsn_whole_write(struct dsn_whole *s, struct darshan_writer *w);

#endif
