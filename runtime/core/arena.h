/* arena.h - the parts of the arena that are kept: for files that are known already, for records of mount points
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_ARENA_H
#define DSN_ARENA_H

#include <stddef.h>

/* As dsn__alloc, but leaves a quarter of the arena to the accesses of files that are known already: for what a file
 * needs that is seen for the first time. */
void *dsn__alloc_file(size_t size);

/* As dsn__alloc, down to the last byte: only for records that others are folded into. */
void *dsn__alloc_reserved(size_t size);

#endif
