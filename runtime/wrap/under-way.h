/* under-way.h - calls of MPI_X that may re-enter as PMPI_X
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Another tool interposed after this one calls PMPI_X from its MPI_X, and both are ours. A call of MPI_X in progress is
 * entered, with its file, in a table of the process rather than the thread: a user-level thread may return from the
 * call on another kernel thread than the one on which it entered, and others run there meanwhile. */
#ifndef DSN_WRAP_UNDER_WAY_H
#define DSN_WRAP_UNDER_WAY_H

#include <stdbool.h>
#include <stdint.h>

/* Identifies a call: its row, and the file, 0 if there is none yet. */
static inline uintptr_t dsn__call_key(const void *row, uintptr_t file)
{
    return (uintptr_t)row ^ file * (uintptr_t)0x9E3779B97F4A7C15;
}

#define DSN_NO_ROOM (-1)

/* Enters a call of MPI_X; pass the result to dsn__call_ends. DSN_NO_ROOM: the table is full, and the call of PMPI_X
 * counts instead. */
int dsn__call_begins(uintptr_t key);
void dsn__call_ends(int place);

/* Whether a call of PMPI_X comes from one of MPI_X. */
bool dsn__is_inner(uintptr_t key);

#endif
