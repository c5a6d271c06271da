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

/* Another program is about to be executed by this process: what has been counted is left for the log. Returns what to
 * give to dsn__exec_failed. */
int dsn__exec_begin(void);

/* It was not: counting goes on. */
void dsn__exec_failed(int begun);

/* For shutdown.c. A process that was forked behind our back (by a bare system call) has a copy of its parent's records,
 * not its own. */
int dsn__is_another_process(void);

/* From here on what was counted does not change any more, and is ready for a log. */
void dsn__stop_counting(void);

/* Gives back what that has taken. */
void dsn__give_back_records(void);

/* What this process has counted becomes a spool of those that it is left to, or of its own, which whoever comes later
 * finds; 0: it cannot be. */
enum dsn_left_to { DSN_TO_HEIR, DSN_TO_ITSELF, DSN_TO_ANYONE };
int dsn__leave(enum dsn_left_to to, enum dsn_ending ending);

#endif
