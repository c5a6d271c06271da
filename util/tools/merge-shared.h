/* merge-shared.h - records of all ranks that become one: darshan-merge --shared-redux
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every record of a module is shown twice: first all to dsn_shared_look(), which finds out what may be shared (whatever
 * the first rank has), then all to dsn_shared_add(). A record is shared if every rank of the job had it once. Memory:
 * one record for each that the first rank has. */
#ifndef DSN_MERGE_SHARED_H
#define DSN_MERGE_SHARED_H

#include "util/lib/accum.h"
#include "util/lib/writer.h"

struct dsn_shared {
    const struct dsn_table *table;
    int exact; /* may be set after init: the rules of the runtime's reduction; else those by which
                                       * totals are printed, which find the most frequent values less well, and most
                                       * modules' variances not at all */
    struct dsn_accum accum;
    struct dsn__idmap index; /* id -> candidate */
    struct dsn__idmap ids;   /* of those that are shared; after dsn_shared_decide() */
    struct dsn__candidate *candidates;
    size_t n, room;
    unsigned char *records; /* one a candidate; after the first dsn_shared_add() */
    int64_t first_rank;     /* -1: none was seen yet */
};

/* Whether records of the module can be made one. */
int dsn_shared_can(unsigned module);

void dsn_shared_init(struct dsn_shared *s, unsigned module);
void dsn_shared_free(struct dsn_shared *s);

/* Both return an enum dsn_err: OK or MEMORY. Records that are reduced already (rank -1) are passed over. */
int dsn_shared_look(struct dsn_shared *s, const struct dsn_rec *r);
int dsn_shared_add(struct dsn_shared *s, const struct dsn_rec *r, const struct dsn_tail *tail);

/* Finds out which of them all `nprocs` ranks had. */
int dsn_shared_decide(struct dsn_shared *s, int64_t nprocs);

/* Figures of single ranks of the i-th of them, i < s->n: a record of dsn_sharing_table; NULL: it is not shared, or
 * moves no data. */
const struct dsn_rec *dsn_shared_ranks(const struct dsn_shared *s, size_t i);

/* Writes these, in the order of the first rank's records. */
int dsn_shared_write(struct dsn_shared *s, struct darshan_writer *w);

#endif
