/* events.h - what happens to what a process has counted when it ends, executes another program, forks or installs a filter
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * doc/events.md says it to users. MPI_Init is in life/start.h. */
#ifndef DSN_LIFE_EVENTS_H
#define DSN_LIFE_EVENTS_H

#include <stdbool.h>

/* ------------------------------------------------------------------ the end */

/* The process ends, by whatever way was intercepted: writes the log, or leaves the records to the process that writes
 * it. If another thread is doing the same, waits for it. An MPI rank that has not reached MPI_Finalize cannot talk to
 * the others: the last one of the node writes the log. */
void dsn__end_process(void);

/* If another thread is ending the process, waits until it is done: the first to end the process ends all threads. */
void dsn__await_end(void);

/* exit() was called: a second thread that calls it waits for the first one, too. */
void dsn__exit_begins(void);

/* MPI_Finalize: writes the log and disables the library; collective if dsn__start_mpi enabled it. Does nothing if it is
 * disabled. */
void dsn__finalize_mpi(void);

/* What to say when the process ends with DARSHAN_VERBOSE set, and has written no log; NULL: nothing. */
void dsn__no_log_because(const char *reason);

/* ------------------------------------------------------------------ exec */

/* Where the records went before an exec. */
enum dsn_exec {
    DSN_EXEC_COUNTS,       /* nowhere: recording continues */
    DSN_EXEC_NOTHING_LEFT, /* there was nothing worth keeping */
    DSN_EXEC_RECORD_LEFT,  /* they are in an exit record */
    DSN_EXEC_FILE_LEFT,    /* they are in the survival file, because there was no room for an exit record */
    DSN_EXEC_ENDED
};

/* This process is about to exec: its records are left for the log. Pass the result to dsn__exec_failed. */
enum dsn_exec dsn__exec_begin(void);

/* exec failed: recording continues. */
void dsn__exec_failed(enum dsn_exec begun);

/* ------------------------------------------------------------------ forks */

/* Installs fork handlers, so that a child does not go on with its parent's records; once in a program. */
void dsn__watch_forks(void);

/* A child with a copy of our memory is about to be created by a call that runs no fork handlers; returns false if nothing
 * is recorded. */
bool dsn__parent_begins(void);

/* Called in that child. */
void dsn__child_begins(void);

/* daemon() was called in this thread: the parent ends once its child exists. */
void dsn__daemon_begin(void);

/* daemon() has failed, in the parent or in the child. */
void dsn__daemon_failed(void);

/* ------------------------------------------------------------------ filters
 *
 * A program may install a filter (seccomp) that kills it for a call that it does not make: the filter knows the program's
 * calls, not this library's. A process that is about to install one therefore ends for this library: it writes its log, or
 * leaves its records to whoever writes it, and goes on as if the library were not there. Its log says that it is not
 * complete. Programs that it executes have the same filter, and are not recorded. Only filters of the process itself are
 * known: one that was installed before the first program of the process tree is not, and has to allow what the library
 * does, or fail it with an error, as those of containers do. */

/* A filter is about to be installed. Returns whether that ended the recording. */
bool dsn__filter_begin(void);

/* Installing it has failed: another recording begins if it was ended. */
void dsn__filter_failed(int ended);

/* Whether this program was executed by a process that had installed a filter. */
bool dsn__has_inherited_filter(void);

#endif
