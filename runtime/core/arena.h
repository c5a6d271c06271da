/* arena.h - the part of the arena that is kept for records of mount points
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_ARENA_H
#define DSN_ARENA_H

#include <stddef.h>

/* As dsn__alloc, down to the last byte: only for records that others are folded into. */
void *dsn__alloc_reserved(size_t size);

#endif
