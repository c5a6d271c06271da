/* span.h - what surrounds every real call: the switch, the mark, the clock, errno; and the lock of a record
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The mark says that this thread is inside our own work, not inside the real call: what MPI-IO does in POSIX
 * underneath must still be counted. A call that finds the mark set (a signal handler that interrupted us, malloc
 * hooks) is passed on and counted as missed. */
#ifndef DSN_RECORD_SPAN_H
#define DSN_RECORD_SPAN_H

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/pages.h"
#include "record/module.h"

enum dsn_mode {
    DSN_OFF,      /* wrappers pass everything on */
    DSN_STARTING, /* still passing on */
    DSN_ON,
    DSN_DRAINING /* the log is being made: wrappers pass on, notes under way give up at the next lock */
};

/* Whether the library records. In pages of its own, for a forked child finds them empty (MADV_WIPEONFORK): however it
 * was made, it changes nothing of its parent's. */
struct dsn_switch {
    _Alignas(DSN_PAGE) atomic_int mode; /* enum dsn_mode */
    _Atomic(uintptr_t) drainer;         /* the thread that has made it so, by dsn__self() */
    int collects;                       /* calls are written to a file, see module/shared/calls.h */
};

extern struct dsn_switch dsn__switch __attribute__((visibility("hidden")));

enum dsn_inside {
    DSN_OUTSIDE,
    DSN_NOTING,
    DSN_OWN_WORK,
    DSN_VFORKED /* after vfork: the child, or the parent that has not called us since */
};

struct dsn_thread {
    volatile int inside;         /* enum dsn_inside */
    int *error;                  /* where errno is; NULL: not asked for yet */
    uintptr_t self;              /* see dsn__self; 0: not asked for yet */
    uintptr_t frame;             /* where on the stack the note under way began */
    uintptr_t outer;             /* and the call to MPI that is; 0: none (record/inner.h) */
    dsn_lock *held;              /* the lock that it has, or is about to have */
    unsigned number;             /* 1 + the thread's number in traces; 0: it has none yet */
    unsigned closing;            /* where calls are collected: number of the file that is about to be closed; 0: none */
    int async;                   /* likewise: the program does not wait for what is noted */
    struct dsn_calls_ring *ring; /* and where this thread writes them; NULL: nowhere yet */
};

/* initial-exec: the first touch in a thread must not allocate. */
extern __thread struct dsn_thread dsn__thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct dsn_span {
    int64_t start, end; /* ticks around the real call */
    int error;          /* errno that the application shall see */
    int64_t place;      /* of an access of MPI-IO that is traced: byte of the file, -1: not known */
};

/* For a call that finds the mark set (`span` is where it is on the stack): 1 if the note that set it was left by
 * longjmp (then it is cleared), 0 if the call is to be passed on. */
int dsn__span_recover(void *span);

static inline int64_t dsn__ticks(void)
{
    return dsn__clock_ticks(dsn__clock);
}

/* errno, without asking the C library each time where this thread has it. */
static inline int *dsn__errno(void)
{
    if (!dsn__thread.error)
        dsn__thread.error = &errno;
    return dsn__thread.error;
}

/* What stands for this thread in a lock: twice its number in the kernel, which tells whether it still lives. */
uintptr_t dsn__thread_number(void);

static inline uintptr_t dsn__self(void)
{
    if (__builtin_expect(!dsn__thread.self, 0))
        dsn__thread.self = dsn__thread_number();
    return dsn__thread.self;
}

/* Around a note that needs neither the clock nor errno, which it leaves alone; `frame`: a variable on its stack. */
static inline void dsn__mark(const void *frame)
{
    dsn__thread.frame = (uintptr_t)frame;
    dsn__thread.inside = DSN_NOTING;
}

static inline void dsn__unmark(void)
{
    dsn__thread.inside = DSN_OUTSIDE;
    dsn__thread.frame = 0;
}

static inline void dsn__span_mark(struct dsn_span *s)
{
    s->error = *dsn__errno();
    dsn__mark(s);
}

static inline int dsn__is_on(void)
{
    return atomic_load_explicit(&dsn__switch.mode, memory_order_relaxed) == DSN_ON;
}

/* Whether this call is to be counted; if so the clock has been read. */
static inline int dsn__span_open(struct dsn_span *s)
{
    if (!dsn__is_on())
        return 0;
    if (dsn__thread.inside != DSN_OUTSIDE && !dsn__span_recover(s))
        return 0;
    s->start = dsn__ticks();
    return 1;
}

/* The real call is over. Processors need not agree to the last tick: no call takes less than no time. */
static inline void dsn__span_real(struct dsn_span *s)
{
    s->end = dsn__ticks();
    if (__builtin_expect(s->end < s->start, 0))
        s->end = s->start;
    dsn__span_mark(s);
    if (__builtin_expect(s->end >= atomic_load_explicit(&dsn__clock->check_at, memory_order_relaxed), 0))
        dsn__clock_check(dsn__clock);
}

static inline void dsn__span_close(struct dsn_span *s)
{
    dsn__unmark();
    *dsn__errno() = s->error;
}

/* Around what has to be noted before the real call. */
static inline void dsn__span_before(struct dsn_span *s)
{
    dsn__span_mark(s);
}

/* Before a child is made that has our memory while we wait, but descriptors of its own. */
static inline void dsn__vfork_mark(void)
{
    if (dsn__thread.inside == DSN_OUTSIDE && dsn__is_on())
        dsn__thread.inside = DSN_VFORKED;
}

/* For our own work outside of a span (start, shutdown): I/O in between is nobody's business. Returns what to give
 * back to dsn__own_end. */
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

/* Waits for the lock. 0 when the library is being shut down or the lock cannot be had. errno stays what it was. */
int dsn__lock_contended(struct dsn_record_state *state);

static inline void dsn__unlock(struct dsn_record_state *state)
{
    atomic_store_explicit(&state->lock, 0, memory_order_release);
    dsn__thread.held = NULL;
}

/* Takes the record's lock. 0 when the library is being shut down or the lock cannot be had (its owner was cancelled):
 * then nothing may be touched. The thread says which lock it wants before it has it (see lock.c). The mode is looked
 * at with the lock in hand: before, the shutdown may have passed by. */
static inline int dsn__lock(struct dsn_record_state *state)
{
    uintptr_t nobody = 0;

    dsn__thread.held = &state->lock;
    if (__builtin_expect(!atomic_compare_exchange_strong_explicit(&state->lock, &nobody, dsn__self(),
                                                                  memory_order_acquire, memory_order_relaxed),
                         0) &&
        !dsn__lock_contended(state))
        return 0;
    if (__builtin_expect(dsn__is_on(), 1))
        return 1;
    dsn__unlock(state);
    return 0;
}

/* Takes a lock that is not a record's; bounded, 0 if it cannot be had. */
int dsn__spin(dsn_lock *lock);
void dsn__unspin(dsn_lock *lock);

#endif
