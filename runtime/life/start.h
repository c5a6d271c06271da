/* start.h - start of the library: in a process, in a rank
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_START_H
#define DSN_LIFE_START_H

#include <stdbool.h>

/* Of processes that were launched together, whether this is the one that prints messages. */
bool dsn__speaks(void);

/* Enables the library in a process that MPI_Init has just made a rank; argc, argv: 0 and NULL if unknown. `real_init`
 * is the address of the next MPI_Init, by which the MPI library is found. Collective over all ranks that have the
 * library. */
void dsn__start_mpi(int argc, char **argv, void *real_init);

/* The library's constructor, which also registers its destructor. The C library passes the program's arguments. */
void dsn__process_begins(int argc, char **argv);

/* Looks up the real functions that may be called in signal handlers; nothing to do in libdarshan.a. Returns whether the
 * library was loaded with the program, which then has not begun yet. */
bool dsn__find_early(void);

/* The same after MPI_Session_init; no communication. */
void dsn__start_session(void *real_init);

#endif
