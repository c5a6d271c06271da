/* ending.h - the ways in which a process ends, or goes on as another program
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_ENDING_H
#define DSN_LIFE_ENDING_H

#include <stdint.h>

#include "config/who.h"

/* The process ends, by whatever way it is told before: the log is made, or what has been counted is left to the process
 * that makes it. Where another thread is about to do the same, waits for it. A rank of MPI that has not come to
 * MPI_Finalize cannot ask the others: the last one of the node makes the log. */
void dsn__end_process(void);

/* Where another thread is about to do the same, waits until it has: whoever comes first to the end of a process ends
 * all threads. */
void dsn__await_end(void);

/* exit() is called: a second thread that does so waits for the first one, too. */
void dsn__exit_begins(void);

/* daemon() is called in this thread: the parent has ended when its child is made. */
void dsn__daemon_begin(void);

/* daemon() has failed, in the parent or in the child. */
void dsn__daemon_failed(void);

/* A child with a copy of our memory is about to be made by a call of which no handler is told; 0: nothing is
 * counted. */
int dsn__parent_begins(void);

/* This is that child. */
void dsn__child_begins(void);

/* What became of what was counted when another program was about to be executed. */
enum dsn_exec {
    DSN_EXEC_COUNTS,       /* it is where it was, and is being added to */
    DSN_EXEC_NOTHING_LEFT, /* there was nothing worth it */
    DSN_EXEC_PART_LEFT,    /* it is in an exit record */
    DSN_EXEC_FILE_LEFT,    /* it is in the survival file, for there was no room for an exit record */
    DSN_EXEC_LOG_MADE
};

/* Another program is about to be executed by this process: what has been counted is left for the log. Returns what to
 * give to dsn__exec_failed. */
enum dsn_exec dsn__exec_begin(void);

/* It was not: counting goes on. */
void dsn__exec_failed(enum dsn_exec begun);

/* The log was made, but the process goes on: it begins another one. */
void dsn__begin_again(void);

/* For forks.c. This is a child, in which nobody has called exit() yet; it looks still as its parent did. */
void dsn__exit_forget(void);

/* For shutdown.c. A process that was forked behind our back (by a bare system call) has a copy of its parent's records,
 * not its own. */
int dsn__is_another_process(void);

/* From here on what was counted does not change any more, and is ready for a log. 0: it stays in the survival file,
 * which this process cannot reach any more, but the root process, which still runs, can. */
int dsn__stop_counting(void);

/* Gives back what that has taken. */
void dsn__give_back_records(void);

/* What this process has counted becomes an exit record of those that it is left to, or of its own, which whoever comes
 * later finds; 0: it cannot be. */
enum dsn_left_to { DSN_TO_COLLECTOR, DSN_TO_ITSELF, DSN_TO_ANYONE };
int dsn__leave(enum dsn_left_to to, enum dsn_ending ending);

#endif
