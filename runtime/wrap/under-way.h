/* under-way.h - calls of MPI_X that may come back to us as PMPI_X
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Another tool behind this one goes on from MPI_X to PMPI_X, and both are ours. That MPI_X is under way is noted in a
 * table of the process, with the file that it is for: not in the thread, for a user-level thread may leave the call on
 * another kernel thread than the one on which it came, and others run there meanwhile. */
#ifndef DSN_WRAP_UNDER_WAY_H
#define DSN_WRAP_UNDER_WAY_H

#include <stdint.h>

/* What a call is known by: its row, and the file, 0 where there is none yet. */
static inline uintptr_t dsn__call_key(const void *row, uintptr_t file)
{
    return (uintptr_t)row ^ file * (uintptr_t)0x9E3779B97F4A7C15;
}

#define DSN_NO_ROOM (-1)

/* Notes a call of MPI_X; returns what dsn__call_ends is to be given, or DSN_NO_ROOM: then the call of PMPI_X counts. */
int dsn__call_begins(uintptr_t key);
void dsn__call_ends(int place);

/* Whether a call of PMPI_X comes out of one of MPI_X. */
int dsn__is_inner(uintptr_t key);

#endif
