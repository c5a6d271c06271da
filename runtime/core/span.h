/* span.h - what surrounds every real call: the switch, the mark, the clock, errno
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The mark says that this thread is inside our own work, not inside the real call: what MPI-IO does in POSIX
 * underneath must still be counted. A call that finds the mark set (a signal handler that interrupted us, malloc
 * hooks) is passed on and counted as missed. */
#ifndef DSN_SPAN_H
#define DSN_SPAN_H

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

#include "core/core.h"
#include "core/state.h"

enum dsn_inside { DSN_OUTSIDE, DSN_NOTING, DSN_OWN_WORK };

struct dsn_thread {
    volatile int inside;  /* enum dsn_inside */
    uintptr_t frame;      /* where on the stack the note under way began */
    dsn_lock *held;       /* the lock that it has, or is about to have */
    const void *pair;     /* the MPI row whose outer function (MPI_ or PMPI_) is running */
    uintptr_t pair_frame; /* where on the stack that began */
};

/* initial-exec: the first touch in a thread must not allocate. */
extern __thread struct dsn_thread dsn__thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct dsn_span {
    int64_t start, end; /* dsn__now() around the real call */
    int error;          /* errno that the application shall see */
};

/* For a call that finds the mark set (`span` is where it is on the stack): 1 if the note that set it was left by
 * longjmp (then it is cleared), 0 if the call is to be passed on. */
int dsn__span_recover(void *span);

/* Whether this call is to be counted; if so the clock has been read. */
static inline int dsn__span_open(struct dsn_span *s)
{
    if (atomic_load_explicit(&dsn__state.mode, memory_order_relaxed) != DSN_ON)
        return 0;
    if (dsn__thread.inside != DSN_OUTSIDE && !dsn__span_recover(s))
        return 0;
    s->start = dsn__now();
    return 1;
}

/* The real call is over. */
static inline void dsn__span_real(struct dsn_span *s)
{
    s->end = dsn__now();
    s->error = errno;
    dsn__thread.frame = (uintptr_t)s;
    dsn__thread.inside = DSN_NOTING;
}

static inline void dsn__span_close(struct dsn_span *s)
{
    dsn__thread.inside = DSN_OUTSIDE;
    dsn__thread.frame = 0;
    errno = s->error;
}

/* Around what has to be noted before the real call. */
static inline void dsn__span_before(struct dsn_span *s)
{
    s->error = errno;
    dsn__thread.frame = (uintptr_t)s;
    dsn__thread.inside = DSN_NOTING;
}

/* Whether the MPI row `pair` is under way further up in the stack, so that this is the inner of MPI_X and PMPI_X. */
static inline int dsn__is_inner(const void *pair, const void *frame)
{
    return dsn__thread.pair == pair && (uintptr_t)frame < dsn__thread.pair_frame;
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

#endif
