/* inner.h - calls to MPI that come out of other counted calls: of MPI, MPI-IO, HDF5, PnetCDF
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The thread says where on its stack the outer one is. One that was left by longjmp, or by an exception, says nothing of
 * calls that are made above it; and a user-level thread, which has a stack of its own, is far from that of another. */
#ifndef DSN_RECORD_INNER_H
#define DSN_RECORD_INNER_H

#include "record/span.h"

#define DSN_ONE_STACK ((uintptr_t)256 << 10) /* bytes between a call and one that it makes, at most */

/* `frame`: a variable of the caller's. What begins returns goes to what ends. */
static inline int dsn__is_inner_call(const void *frame)
{
    return dsn__thread.outer - (uintptr_t)frame < DSN_ONE_STACK;
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
