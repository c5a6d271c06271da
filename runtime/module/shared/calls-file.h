/* calls-file.h - the file of a process's calls: made, given pages, cut at its end
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to calls.c. */
#ifndef DSN_MODULE_CALLS_FILE_H
#define DSN_MODULE_CALLS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "darshan-log-format/calls.h"

/* The next chunk of the file, for one thread; without pages so far. NULL: there is none, for the file has all that it
 * may have, cannot be made, or the file system is nearly full. */
unsigned char *dsn__calls_chunk(void);

/* Whether there are pages for `size` bytes at `at`, a page of a chunk. */
int dsn__calls_have(unsigned char *at, size_t size);

/* The chunk is full: its pages are no memory of this process any more. */
void dsn__calls_let_go(unsigned char *chunk);

/* For the head: what the clocks show now, and who the process is. */
void dsn__calls_moment(void);

/* One more call is left out. */
void dsn__calls_leave_out(void);

/* Cuts the file behind the last chunk; another one is made if chunks are asked for after this. */
void dsn__calls_file_end(void);

/* A forked child: the file is its parent's. */
void dsn__calls_file_forget(int noting);

#endif
