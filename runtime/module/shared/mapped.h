/* mapped.h - what loads and stores do with files that are mapped into memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads and stores are no calls, and cost nothing. What they have touched is asked of the kernel when a mapping ends, and
 * of those that remain when the process does: bounds, which are explained in darshan-log-format/mapped.def. The work is
 * bounded for the whole process; what is left undone then counts with its length.
 *
 * Called inside a span. */
#ifndef DSN_SHARED_MAPPED_H
#define DSN_SHARED_MAPPED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/module.h"

/* mmap of a file's descriptor, with its arguments, has returned `at`. */
void dsn__mapped_begins(struct dsn_name *name, int fd, const void *at, size_t size, int protection, int flags,
                        int64_t offset);

/* Whatever is mapped at these addresses is about to be unmapped, or replaced. */
void dsn__mapped_ends(const void *at, size_t size);

/* mremap has returned. */
void dsn__mapped_moves(const void *from, size_t old_size, const void *to, size_t size);

/* Around an msync that waits: what was dirty there goes to the file. */
struct dsn_mapped_sync {
    struct dsn_record_state *of; /* NULL: no mapping is wholly within the addresses */
    int64_t dirty;
};
void dsn__mapped_syncs(const void *at, size_t size, struct dsn_mapped_sync *sync);
void dsn__mapped_synced(const struct dsn_mapped_sync *sync, int result);

/* A process that begins to record again, or a forked child, has the mapping at that place of the table. */
void dsn__mapped_inherit(int place, const char *name);

#endif
