/* start.h - the ends of the library's life
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_START_H
#define DSN_LIFE_START_H

#include <stddef.h>
#include <stdint.h>

/* From now on a forked child does not go on with its parent's records. Returns whether that could be arranged. */
int dsn__watch_forks(void);

/* Of processes that were launched together, whether this is the one that speaks. */
int dsn__speaks(void);

/* Turns the library on for a process that MPI_Init has just made a rank; argc, argv are 0 and NULL where it was not
 * given them. `real_init` is the address of the application's own MPI_Init, by which its MPI is found. Collective
 * over all ranks that have the library. */
void dsn__start_mpi(int argc, char **argv, void *real_init);

/* The constructor, and with it the destructor, of the library. The C library hands it the program's arguments. */
void dsn__process_begins(int argc, char **argv);

/* Makes sure that functions can be called in signal handlers; nothing to do in the static flavour. Whether the library
 * has come with the program, which then has not begun. */
int dsn__find_early(void);

/* The same after MPI_Session_init; no communication. */
void dsn__start_session(void *real_init);

/* Makes the log and turns the library off; collective if dsn__start_mpi turned it on. Does nothing when off. */
void dsn__shutdown(void);

/* Makes a log of these participants, as a dsn_log_maker of survive/recover.h. */
struct dsn_participants;
struct dsn_log_identity;
int dsn__make_log(struct dsn_participants *participants, const struct dsn_log_identity *who, char *path, size_t size);

/* The same of all that the ranks of this node have left, unless some of them still run: one of those will be the
 * last. */
void dsn__make_log_of_left(void);

#endif
