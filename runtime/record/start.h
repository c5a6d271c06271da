/* start.h - the ends of the library's life
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_START_H
#define DSN_START_H

#include <stddef.h>
#include <stdint.h>

/* What modules do when the library has been switched on (the standard streams get their records). */
void dsn__modules_start(void);

/* A forked child has the descriptor `fd` of the file `name` from its parent. Returns the description, or NULL. */
struct dsn_open *dsn__modules_inherit(int fd, const char *name);

/* The file of a descriptor that the process was given, asked for at its first use. Returns the description, or NULL: it is
 * none that is counted. */
struct dsn_open *dsn__modules_identify(int fd);

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

/* Makes sure that functions can be called in signal handlers; nothing to do in the static flavour. Whether the library has
 * come with the program, which then has not begun. */
int dsn__find_early(void);

/* The same after MPI_Session_init; no communication. */
void dsn__start_session(void *real_init);

/* What could wait until the log is made: records get their times in seconds, their frequent values, their ids. */
void dsn__finish_records(void);

/* A time as records have it. */
double dsn__finish_seconds(int64_t ticks);

/* The same in the image itself, and before it what that needs. 0: it cannot be. */
int dsn__finish_prepare_in_place(void);
void dsn__finish_in_place(void);

/* The record that the process of an image was working at in there becomes what it was before. */
struct dsn_remains;
void dsn__finish_put_back(const struct dsn_remains *r);

/* Makes a log of these members, whatever process they are of; its path into `path`. 0: it cannot be written. */
struct dsn_members;
int dsn__make_log(struct dsn_members *members, char *path, size_t size);

/* Makes the log and turns the library off; collective if dsn__start_mpi turned it on. Does nothing when off. */
void dsn__shutdown(void);

#endif
