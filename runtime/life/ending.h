/* ending.h - the ways in which a process ends, or execs another program
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_ENDING_H
#define DSN_LIFE_ENDING_H

#include <stdint.h>

#include "config/who.h"

/* The process ends, by whatever way was intercepted: writes the log, or leaves the records to the process that writes
 * it. If another thread is doing the same, waits for it. An MPI rank that has not reached MPI_Finalize cannot talk to
 * the others: the last one of the node writes the log. */
void dsn__end_process(void);

/* What to say when the process ends with DARSHAN_VERBOSE set, and has written no log; NULL: nothing. */
void dsn__no_log_because(const char *reason);

/* If another thread is ending the process, waits until it is done: the first to end the process ends all threads. */
void dsn__await_end(void);

/* exit() was called: a second thread that calls it waits for the first one, too. */
void dsn__exit_begins(void);

/* daemon() was called in this thread: the parent ends once its child exists. */
void dsn__daemon_begin(void);

/* daemon() has failed, in the parent or in the child. */
void dsn__daemon_failed(void);

/* A child with a copy of our memory is about to be created by a call that runs no fork handlers; returns 0 if nothing
 * is recorded. */
int dsn__parent_begins(void);

/* Called in that child. */
void dsn__child_begins(void);

/* Where the records went before an exec. */
enum dsn_exec {
    DSN_EXEC_COUNTS,       /* nowhere: recording continues */
    DSN_EXEC_NOTHING_LEFT, /* there was nothing worth keeping */
    DSN_EXEC_PART_LEFT,    /* it is in an exit record */
    DSN_EXEC_FILE_LEFT,    /* into the survival file, because there was no room for an exit record */
    DSN_EXEC_LOG_MADE
};

/* This process is about to exec: its records are left for the log. Pass the result to dsn__exec_failed. */
enum dsn_exec dsn__exec_begin(void);

/* exec failed: recording continues. */
void dsn__exec_failed(enum dsn_exec begun);

/* The log has been written, but the process goes on: starts another one. */
void dsn__begin_again(void);

/* For forks.c, in a child whose state is still a copy of its parent's: nobody has called exit() in it yet. */
void dsn__exit_forget(void);

/* For shutdown.c. A process forked without our knowledge (by a bare system call) has a copy of its parent's records,
 * and none of its own. */
int dsn__is_another_process(void);

/* Freezes the records and finalizes them. Returns 0 if they stay in the survival file: this process cannot reach its
 * process tree's files any more, but the root process, which still runs, can. */
int dsn__stop_counting(void);

/* Releases what that allocated. */
void dsn__give_back_records(void);

/* Turns this process's records into an exit record for its collector, or for itself, to be found by whoever comes
 * later. Returns 0 on failure. */
enum dsn_left_to { DSN_TO_COLLECTOR, DSN_TO_ITSELF, DSN_TO_ANYONE };
int dsn__leave(enum dsn_left_to to, enum dsn_ending ending);

#endif
