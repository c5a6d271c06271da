/* salvage.h - another process's image, read to where it was
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SALVAGE_H
#define DSN_SALVAGE_H

#include <sys/types.h>

#include "record/remains.h"

/* Reads the arena and what is beside it out of the image `fd`, whose first part is in the state, into memory; the table of
 * names is empty. 0: that cannot be, or there is no memory. */
int dsn__remains_read(struct dsn_remains *r, int fd);

/* The next piece of a file of `end` bytes that is not a hole, from `at` on, up to *piece_end; where the file system cannot say,
 * all of it. `end`: there is none. */
off_t dsn__next_piece(int fd, off_t at, off_t end, off_t *piece_end);

#endif
