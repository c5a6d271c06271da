/* start.h - start and shutdown of the library
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_START_H
#define DSN_LIFE_START_H

#include <stddef.h>
#include <stdint.h>

/* Installs fork handlers, so that a child does not go on with its parent's records. Returns whether that succeeded. */
int dsn__watch_forks(void);

/* Of processes that were launched together, whether this is the one that prints messages. */
int dsn__speaks(void);

/* Enables the library in a process that MPI_Init has just made a rank; argc, argv: 0 and NULL if unknown. `real_init`
 * is the address of the next MPI_Init, by which the MPI library is found. Collective over all ranks that have the
 * library. */
void dsn__start_mpi(int argc, char **argv, void *real_init);

/* The library's constructor, which also registers its destructor. The C library passes the program's arguments. */
void dsn__process_begins(int argc, char **argv);

/* Looks up the real functions that may be called in signal handlers; nothing to do in libdarshan.a. Returns whether the
 * library was loaded with the program, which then has not begun yet. */
int dsn__find_early(void);

/* The same after MPI_Session_init; no communication. */
void dsn__start_session(void *real_init);

/* Writes the log and disables the library; collective if dsn__start_mpi enabled it. Does nothing if it is disabled. */
void dsn__shutdown(void);

/* Writes a log of these participants; a dsn_log_maker of survive/recover.h. */
struct dsn_participants;
struct dsn_log_identity;
int dsn__make_log(struct dsn_participants *participants, const struct dsn_log_identity *who, char *path, size_t size);

/* Writes a log of everything that the ranks of this node have left, unless some of them still run: one of those will be
 * the last. */
void dsn__make_log_of_left(void);

#endif
