/* opening.h - what opens for writing found: nothing, so that they created the file, an empty file, or content
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file is looked at once, by one system call after its first open for writing: from then on what opens find is known.
 * Calls that tell by themselves (O_EXCL, mkstemp) cost nothing. */
#ifndef DSN_SHARED_OPENING_H
#define DSN_SHARED_OPENING_H

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "darshan-log-format/table.h"

/* Part of the state of a file's record. */
struct dsn_opening {
    atomic_bool is_known; /* what the next open finds: the file with this process's own content */
    bool is_of_many;      /* the record is of many files */
    unsigned write_opens, created, found_empty, truncated, unknown, deleted;
    int64_t size_before; /* what the first open for writing found, plus 1; 0: unknown, or there was none */
    int64_t open_time, close_time, sync_time; /* ticks; parts of other sums of the record */
};

enum dsn_finding { DSN_FOUND_UNKNOWN, DSN_FOUND_NOTHING, DSN_FOUND_EMPTY, DSN_FOUND_CONTENT };

/* What the calling thread's open found. */
struct dsn_found {
    bool is_for_writing;
    enum dsn_finding what;
    int64_t size; /* before the open; -1: unknown */
    mode_t mode;  /* 0: unknown */
};

/* In opening.c: asks the file system, if the flags do not tell by themselves. */
void dsn__opening_ask(int fd, int flags, struct dsn_found *found);

/* Looks without a lock, for a slow file system blocks only this thread, which has just used it. `fd` may be negative. */
static inline void dsn__opening_look(const struct dsn_opening *o, int fd, int flags, struct dsn_found *found)
{
    *found =
        (struct dsn_found){ .is_for_writing = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0,
                            .what = DSN_FOUND_CONTENT,
                            .size = -1 };
    if (found->is_for_writing && ((flags & O_EXCL) || !atomic_load_explicit(&o->is_known, memory_order_relaxed)))
        dsn__opening_ask(fd, flags, found);
}

/* In opening.c: counts an open for writing. */
void dsn__opening_count(struct dsn_opening *o, int flags, const struct dsn_found *found);

/* The caller holds the record's lock, here and below. */
static inline void dsn__opening_note(struct dsn_opening *o, int flags, const struct dsn_found *found)
{
    if (found->is_for_writing)
        dsn__opening_count(o, flags, found);
}

/* The file has been truncated to 0 bytes, or deleted. */
void dsn__opening_emptied(struct dsn_opening *o);
void dsn__opening_deleted(struct dsn_opening *o);

/* Stores everything behind the record's values (dsn_counted_table), which is about to be finalized. */
void dsn__opening_publish(const struct dsn_opening *o, unsigned module, union dsn_val *v);

#endif
