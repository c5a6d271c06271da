/* shards.h - the shards of a record that many threads use at a time
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that often wait for a record's lock get shards of it, one each (from the 65th thread on they share): full records
 * of the same name, in the module's list, too. Each counts there, in memory that hardly another thread writes. What depends on the order of calls
 * (consecutive and sequential accesses, strides, switches) is then the order in one thread. Once all records and shards are final,
 * the shards are joined, as records of several ranks are; only cumulative times are the whole's from the beginning
 * (dsn__add_time_later).
 *
 * The joined record has a place of its own, so that the process may be killed at any moment: until it is complete, the
 * whole and its shards are what is recovered, and from then on only it. */
#ifndef DSN_RECORD_SHARDS_H
#define DSN_RECORD_SHARDS_H

#include <stdatomic.h>

#include "record/module.h"
#include "record/times.h"

/* The shards of a contended record. */
struct dsn_shards {
    _Atomic(struct dsn_record_state *) of[DSN_THREADS]; /* by dsn__thread_index(); NULL: none yet */
    atomic_int is_full;                                 /* there is no memory for more shards */
    atomic_int is_joined;                               /* `joined` holds everything */
    struct dsn_rec joined;
};

/* Locks the record, or the calling thread's shard of it, and returns which; NULL as for dsn__lock. */
struct dsn_record_state *dsn__lock_shard(enum dsn_module_index module, struct dsn_record_state *whole);

/* Joins the shards of all records, which are final. */
struct dsn_recording;
void dsn__shards_join(const struct dsn_recording *r);

#endif
