/* io-time.h - what is known of the times of calls: of one kind on a file, and of all of the process
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * See record/times.h for how they come about. */
#ifndef DSN_RECORD_IO_TIME_H
#define DSN_RECORD_IO_TIME_H

#include <stdatomic.h>
#include <stdint.h>

#include "record/module.h"

struct dsn_gap {
    int64_t begin, end;
};

/* The most recent gaps between covered intervals, in ascending order. */
#define DSN_GAPS 32
struct dsn_gaps {
    unsigned n, room;
    struct dsn_gap gap[];
};

/* Time of one kind of call on a file. Everything up to `end` is covered, except for the gaps still remembered. Guarded by
 * the record's lock. */
struct dsn_time_sum {
    int64_t end;
    struct dsn_gap latest;
    struct dsn_gaps *older; /* from the first overlap on; only threads, or calls in signal handlers, overlap */
    int64_t total;          /* length of the union of all spans */
};

/* The same with its ends; one cache line. Timestamps are ticks since the clock's origin, 0: never. */
struct dsn_times {
    struct dsn_time_sum sum;
    int64_t longest;
    int64_t first, last; /* earliest start, latest end */
};

/* The time in which the process is in a counted call, in any of its threads. In the survival file. */
struct dsn_io_time {
    _Atomic(int64_t) alone; /* ticks, before calls could overlap */
    _Atomic(int64_t) since; /* when they began to be able to; 0: not yet */
    atomic_int can_overlap;
    uintptr_t first; /* the thread that made all calls until then, by dsn__self() */
    _Alignas(64) dsn_lock lock;
    struct dsn_time_sum times; /* since then */
};

/* Member of the state that life/state.h composes. */
extern struct dsn_io_time *const dsn__io_time __attribute__((visibility("hidden")));

#endif
