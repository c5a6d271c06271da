/* inner.h - detects MPI calls made from inside other counted calls: MPI, MPI-IO, HDF5, PnetCDF
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The thread stores the stack address of the enclosing call. If that call was left by longjmp or an exception, a stored
 * address deeper in the stack than the current call is stale; and a user-level thread has a stack of its own, far from
 * the stored address. */
#ifndef DSN_RECORD_INNER_H
#define DSN_RECORD_INNER_H

#include <stdbool.h>

#include "record/span.h"

#define DSN_ONE_STACK ((uintptr_t)256 << 10) /* the most bytes of stack between a call and one inside it */

/* Whether the call with the local variable `frame` is made inside of the one whose stack address is `outer` (0: none). */
static inline bool dsn__is_inside(uintptr_t outer, const void *frame)
{
    return outer - (uintptr_t)frame < DSN_ONE_STACK;
}

/* `frame`: the address of a local variable of the caller. Pass what begin returns to end. */
static inline bool dsn__is_inner_call(const void *frame)
{
    return dsn__is_inside(dsn__thread.outer, frame);
}

static inline uintptr_t dsn__outer_begins(const void *frame)
{
    const uintptr_t before = dsn__thread.outer;

    dsn__thread.outer = (uintptr_t)frame;
    return before;
}

static inline void dsn__outer_ends(uintptr_t before)
{
    dsn__thread.outer = before;
}

#endif
