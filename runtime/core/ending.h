/* ending.h - the ways in which a process ends, or goes on as another program
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CORE_ENDING_H
#define DSN_CORE_ENDING_H

#include <stdint.h>

#include "out/spool.h"

/* The process ends, by whatever way it is told before: the log is made, or what has been counted is left to the process
 * that makes it. A rank of MPI that has not come to MPI_Finalize cannot ask the others: the last one of the node makes
 * the log. */
void dsn__end_process(void);

/* Where another thread is about to do the same, waits until it has: whoever comes first to the end of a process ends all
 * threads. */
void dsn__await_end(void);

/* exit() is called: a second thread that does so waits for the first one, too. */
void dsn__exit_begins(void);

/* daemon() is called in this thread: the parent has ended when its child is made. */
void dsn__daemon_begin(void);

/* daemon() has failed, in the parent or in the child. */
void dsn__daemon_failed(void);

/* A child with a copy of our memory is about to be made by a call of which no handler is told; 0: nothing is counted. */
int dsn__parent_begins(void);

/* This is that child. */
void dsn__child_begins(void);

/* Another program is about to be executed by this process: what has been counted is left for the log. Returns what to
 * give to dsn__exec_failed. */
int dsn__exec_begin(void);

/* It was not: counting goes on. */
void dsn__exec_failed(int begun);

/* The log was made, but the process goes on: it begins another one. */
void dsn__begin_again(void);

/* For forks.c. This is a child, in which nobody has called exit() yet. */
void dsn__exit_forget(void);

/* For shutdown.c. A process that was forked behind our back (by a bare system call) has a copy of its parent's records,
 * not its own. */
int dsn__is_another_process(void);

/* From here on what was counted does not change any more, and is ready for a log. 0: only the image is, which must stay
 * as it is; not so if `others_wait` for it. */
int dsn__stop_counting(int others_wait);

/* This process cannot go to its image any more, nor to its host's (it has another user's rights, or another root
 * directory); but the host, which still runs, can, and takes the image for its log. */
int dsn__is_left_to_host(void);

/* Gives back what that has taken. */
void dsn__give_back_records(void);

/* What this process has counted becomes a spool of `heir`'s; 0: it cannot be. */
int dsn__leave(int64_t heir, enum dsn_ending ending);

#endif
