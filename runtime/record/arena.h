/* arena.h - the parts of the arena that are kept: for files that are known already, for records of mount points
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_ARENA_H
#define DSN_ARENA_H

#include <stddef.h>

/* So many bytes more can be taken without a system call. */
void dsn__alloc_prepare(size_t size);

/* As dsn__alloc, but leaves what has been promised: for what a file needs that is seen for the first time. */
void *dsn__alloc_file(size_t size);

/* Keeps so many bytes for the accesses of a file that is seen for the first time; up to a quarter of the arena is kept
 * so. 0: there is nothing left to promise. */
int dsn__alloc_promise(size_t size);

/* Memory for the accesses of a file: what was promised for it, or, where nothing was, what is not promised to others. */
void *dsn__alloc_access(size_t size, int promised);

/* As dsn__alloc, down to the last byte: only for records that others are folded into. */
void *dsn__alloc_reserved(size_t size);

#endif
