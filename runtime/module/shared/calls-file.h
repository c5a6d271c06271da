/* calls-file.h - the file of a process's calls: creation, chunks, truncation at the end
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to calls.c. */
#ifndef DSN_MODULE_CALLS_FILE_H
#define DSN_MODULE_CALLS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "darshan-log-format/calls.h"

/* Takes the next chunk of the file for one thread; not yet populated. NULL if the file has reached its limit, cannot be
 * created, or the file system is nearly full. */
unsigned char *dsn__calls_chunk(void);

/* Populates `size` bytes at `at`, a page within a chunk. Returns whether that succeeded. */
bool dsn__calls_populate(unsigned char *at, size_t size);

/* The chunk is full: drops its pages from this process's memory. */
void dsn__calls_let_go(unsigned char *chunk);

/* Updates the file's head: the current clocks, and the identity of the process. */
void dsn__calls_moment(void);

/* Counts a call that is not logged. */
void dsn__calls_leave_out(void);

/* Truncates the file behind the last chunk. If chunks are taken after this, another file is created. */
void dsn__calls_file_end(void);

/* For a forked child: the file is its parent's. */
void dsn__calls_file_forget(int noting);

#endif
