/* span.h - prologue and epilogue of a wrapped call (switch, mark, clock, errno), and the lock of a record
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The mark says that this thread is inside our own code rather than inside the real call: POSIX calls that MPI-IO makes
 * underneath must still be counted. A call that finds the mark set (from a signal handler that interrupted us, or a
 * malloc hook) is passed on and counted as missed. */
#ifndef DSN_RECORD_SPAN_H
#define DSN_RECORD_SPAN_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/pages.h"
#include "record/io-time.h"
#include "record/module.h"

/* In this order: from DSN_WAITING on a call may be counted. */
enum dsn_mode {
    DSN_OFF,       /* wrappers pass all calls on; 0, as in a child whose copy the kernel has wiped */
    DSN_STARTING,  /* wrappers still pass all calls on */
    DSN_DRAINING,  /* the log is being written: wrappers pass calls on, and notes under way give up at the next lock */
    DSN_WAITING,   /* a forked child: recording begins with its first call that counts */
    DSN_BEGINNING, /* one of its threads makes that call */
    DSN_ON
};

/* Whether the library records. On a page of its own with MADV_WIPEONFORK: however a child is forked, it starts disabled
 * and changes nothing of its parent's. */
struct dsn_switch {
    _Alignas(DSN_PAGE) atomic_int mode; /* enum dsn_mode */
    _Atomic(uintptr_t) drainer;         /* the thread that started draining, by dsn__self() */
    int traces_calls;                   /* calls are logged to a file, see module/shared/calls.h */
    unsigned beside;                    /* what new threads begin with, see struct dsn_thread */
    bool (*end_waiting)(void);          /* begins to record; returns whether it is on now */
    int waiting_pid;                    /* the process that waits: a vfork child of it does not */
};

extern struct dsn_switch dsn__switch __attribute__((visibility("hidden")));

enum dsn_inside {
    DSN_NEW, /* the thread has made no call yet */
    DSN_OUTSIDE,
    DSN_NOTING,
    DSN_OWN_WORK,
    DSN_VFORKED /* after vfork: the child, or the parent until its next call */
};

/* Where else than in its file's record a call counts (module/shared/beside.h): a bitmap. */
enum dsn_beside { DSN_BESIDE_PHASE = 1, DSN_BESIDE_SITE = 2, DSN_BESIDE_TALLY = 4 };

struct dsn_thread {
    volatile int inside;   /* enum dsn_inside */
    int *error;            /* address of errno; NULL: not looked up yet */
    uintptr_t self;        /* see dsn__self; 0: not looked up yet */
    uintptr_t frame;       /* stack address of the note under way */
    uintptr_t outer;       /* stack address of the enclosing MPI call; 0: none (record/inner.h) */
    uintptr_t daos[2];     /* the same of the calls of DFS and of DAOS (module/daos.h) */
    unsigned naming;       /* in a call of DFS: bytes that the name of what it opens may have; 0: it has none */
    uint64_t unnamed;      /* in a call of DFS: handle of an array that it has opened, whose id is not known; 0: none */
    dsn_lock *held;        /* the lock that it holds or is about to take */
    unsigned waits;        /* how often it had to wait for the lock of a record */
    unsigned index;        /* 1 + the number of its history and of its shards of records; 0: none yet */
    unsigned number;       /* 1 + the thread's number in traces; 0: none yet */
    unsigned beside;       /* enum dsn_beside */
    int64_t traced, pause; /* ticks: end of its last traced operation; pause after which CPU time is sampled */
    unsigned closing;      /* with call logging: number of the description about to be closed; 0: none */
    int async;             /* with call logging: the call is asynchronous */
    struct dsn_calls_ring *ring; /* with call logging: this thread's buffer; NULL: none yet */
    uintptr_t cufile;            /* stack address of the enclosing call of cuFile; 0: none */
    int64_t tally[2];            /* bytes that POSIX calls have moved since dsn__tally_begins(), by direction */
};

/* initial-exec TLS: the first access in a thread must not allocate. */
extern __thread struct dsn_thread dsn__thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct dsn_span {
    int64_t start, end; /* ticks, around the real call */
    int64_t before;     /* ticks that the process had spent in calls, if they cannot overlap */
    int error;          /* errno that the application must see */
    int64_t place;      /* of a traced MPI-IO access: byte offset in the file, -1: unknown */
};

/* For a thread's first call, or one that finds the mark set (`span`: its place on the stack): returns true if the note that
 * set it was left by longjmp, and clears it; false if the call must be passed on. */
bool dsn__span_recover(void *span);

static inline int64_t dsn__ticks(void)
{
    return dsn__clock_ticks(dsn__clock);
}

/* &errno, without asking the C library each time for this thread's. */
static inline int *dsn__errno(void)
{
    if (!dsn__thread.error)
        dsn__thread.error = &errno;
    return dsn__thread.error;
}

/* The thread's identity in a lock: twice its tid, from which the kernel can tell whether the thread lives. */
uintptr_t dsn__lock_owner_id(void);

static inline uintptr_t dsn__self(void)
{
    if (__builtin_expect(!dsn__thread.self, 0))
        dsn__thread.self = dsn__lock_owner_id();
    return dsn__thread.self;
}

/* Surrounds a note that needs neither the clock nor errno, and leaves errno alone; `frame`: address of a local
 * variable. */
static inline void dsn__mark(const void *frame)
{
    dsn__thread.frame = (uintptr_t)frame;
    dsn__thread.inside = DSN_NOTING;
}

static inline void dsn__unmark(void)
{
    dsn__thread.inside = DSN_OUTSIDE;
}

static inline void dsn__span_mark(struct dsn_span *s)
{
    s->error = *dsn__errno();
    dsn__mark(s);
}

static inline bool dsn__is_on(void)
{
    return atomic_load_explicit(&dsn__switch.mode, memory_order_relaxed) == DSN_ON;
}

/* Whether a call counts: whether recording is on, or begins with it. */
static inline bool dsn__may_record(void)
{
    return atomic_load_explicit(&dsn__switch.mode, memory_order_relaxed) >= DSN_WAITING;
}

/* Returns whether recording is on; in a process that waits for its first call (DSN_WAITING) it begins now. */
bool dsn__begin_if_waiting(void);

/* Whether this call is counted; if so, reads the clock. The thread is marked only when the real call has returned
 * (dsn__span_returned): during it, it is outside. */
static inline bool dsn__span_open(struct dsn_span *s)
{
    if (__builtin_expect(!dsn__is_on(), 0) && !dsn__begin_if_waiting())
        return false;
    if (dsn__thread.inside != DSN_OUTSIDE && !dsn__span_recover(s))
        return false;
    s->before = atomic_load_explicit(&dsn__io_time->alone, memory_order_relaxed);
    s->start = dsn__ticks();
    return true;
}

/* Ends the real call's time. Clocks of two processors may differ by a tick: a duration is never negative. */
static inline void dsn__span_returned(struct dsn_span *s)
{
    s->end = dsn__ticks();
    if (__builtin_expect(s->end < s->start, 0))
        s->end = s->start;
    dsn__span_mark(s);
    if (__builtin_expect(s->end >= atomic_load_explicit(&dsn__clock->check_at, memory_order_relaxed), 0))
        dsn__clock_check(dsn__clock);
}

/* A user-level thread may end its call in another thread than it began in, one that has not looked up its errno yet. */
static inline void dsn__span_close(struct dsn_span *s)
{
    dsn__unmark();
    *dsn__errno() = s->error;
}

/* Surrounds work before the real call. */
static inline void dsn__span_before(struct dsn_span *s)
{
    dsn__span_mark(s);
}

/* Before vfork: the child shares our memory, but has descriptors of its own. */
static inline void dsn__vfork_mark(void)
{
    if (dsn__thread.inside <= DSN_OUTSIDE && dsn__is_on())
        dsn__thread.inside = DSN_VFORKED;
}

/* Surrounds our own work outside of a span (start, shutdown): I/O in between is not recorded. Pass the result to
 * dsn__own_end. */
static inline int dsn__own_begin(void)
{
    int before = dsn__thread.inside;

    dsn__thread.inside = DSN_OWN_WORK;
    return before;
}

static inline void dsn__own_end(int before)
{
    dsn__thread.inside = before;
}

/* ------------------------------------------------------------------ the lock of a record */

/* Waits for the lock. Returns false when the library is shutting down or the lock cannot be had. Preserves errno. */
bool dsn__lock_contended(struct dsn_record_state *state);

static inline void dsn__unlock(struct dsn_record_state *state)
{
    atomic_store_explicit(&state->lock, 0, memory_order_release);
    dsn__thread.held = NULL;
}

/* Takes the lock if it is free. The thread announces the lock before it takes it (see lock.c). */
static inline int dsn__lock_if_free(dsn_lock *lock)
{
    uintptr_t nobody = 0;
    int taken;

    dsn__thread.held = lock;
    taken =
        atomic_compare_exchange_strong_explicit(lock, &nobody, dsn__self(), memory_order_acquire, memory_order_relaxed);
    return __builtin_expect(taken, 1);
}

/* Takes the record's lock. Returns false when the library is shutting down or the lock cannot be had (its owner was
 * cancelled): then the record must not be touched. The mode is checked with the lock held: before that, shutdown may pass
 * by. */
static inline bool dsn__lock(struct dsn_record_state *state)
{
    if (!dsn__lock_if_free(&state->lock) && !dsn__lock_contended(state))
        return false;
    if (__builtin_expect(dsn__is_on(), 1))
        return true;
    dsn__unlock(state);
    return false;
}

/* Other threads may count in shards of the record, without its lock. With the lock held, this does not change. */
static inline bool dsn__has_shards(const struct dsn_record_state *state)
{
    return atomic_load_explicit(&state->shards, memory_order_relaxed) != NULL;
}

/* As dsn__lock, but without waiting, and only if no thread ever had to wait much: else returns false, and the caller goes by
 * dsn__lock_shard. */
static inline bool dsn__lock_uncontended(struct dsn_record_state *state)
{
    if (__builtin_expect(dsn__has_shards(state), 0) || !dsn__lock_if_free(&state->lock))
        return false;
    if (__builtin_expect(dsn__is_on() && !dsn__has_shards(state), 1))
        return true;
    dsn__unlock(state);
    return false;
}

/* Takes a lock that is not a record's. Bounded; returns false if it cannot be had. */
bool dsn__spin(dsn_lock *lock);
void dsn__unspin(dsn_lock *lock);

#endif
