/* opening.h - what opens for writing found: nothing, so that they created the file, an empty file, or content
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file is looked at once, by one system call after its first open for writing: from then on what opens find is known.
 * Calls that tell by themselves (O_EXCL, mkstemp) cost nothing.
 *
 * What they found is counted in the values behind those of the record (dsn_counted_table), by FILE_WRITE_OPENS and so on. */
#ifndef DSN_SHARED_OPENING_H
#define DSN_SHARED_OPENING_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "darshan-log-format/index.h"
#include "darshan-log-format/table.h"

enum dsn_was_there { DSN_WAS_UNKNOWN, DSN_WAS_NOTHING, DSN_WAS_EMPTY, DSN_WAS_CONTENT };

/* What the calling thread's open found. */
struct dsn_opened {
    bool is_for_writing;
    enum dsn_was_there what;
    int64_t size; /* before the open; -1: unknown */
    mode_t mode;  /* 0: unknown */
};

/* In opening.c: asks the file system, if the flags do not tell by themselves. */
void dsn__opening_ask(int fd, int flags, struct dsn_opened *found);

/* Looks without a lock, for a slow file system blocks only this thread, which has just used it. `is_known`: what an open
 * finds is what this process has left there; `fd` may be negative. */
static inline void dsn__opening_look(bool is_known, int fd, int flags, struct dsn_opened *found)
{
    *found =
        (struct dsn_opened){ .is_for_writing = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0,
                             .what = DSN_WAS_CONTENT,
                             .size = -1 };
    if (found->is_for_writing && ((flags & O_EXCL) || !is_known))
        dsn__opening_ask(fd, flags, found);
}

/* Counts an open for writing in `v`; the caller holds the record's lock, here and below. `is_of_many`: the record is of many
 * files. */
void dsn__opening_count(union dsn_val *v, int flags, const struct dsn_opened *found, bool is_of_many);

/* The file has been truncated to 0 bytes. */
void dsn__opening_emptied(union dsn_val *v);

#endif
