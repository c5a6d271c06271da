/* salvage.h - what another process has left in its survival file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file may hold anything, and is read to wherever there is room: nothing in it is followed that is not asked for by
 * record/salvaged.h, lists end where they do not lead on, and what is done takes no longer than the file is large. */
#ifndef DSN_SURVIVE_SALVAGE_H
#define DSN_SURVIVE_SALVAGE_H

#include <sys/types.h>

#include "base/pages.h"
#include "record/salvaged.h"
#include "survive/survival.h"

struct dsn_salvage {
    char *state; /* as much of it as is in the file */
    const struct dsn_survival_head *head;
    struct dsn_salvaged salvaged;
    struct dsn_bump memory;
};

/* Reads the file, `size` bytes, into memory of this process, where its records are finished as they would have been in
 * their own. 0: it is none of this release, it cannot be read, or there is no memory. */
int dsn__salvage(struct dsn_salvage *s, int fd, off_t size);
void dsn__salvage_free(struct dsn_salvage *s);

/* The next piece of a file of `end` bytes that is not a hole, from `at` on, up to *piece_end; where the file system
 * cannot say, all of it. `end`: there is none. */
off_t dsn__next_piece(int fd, off_t at, off_t end, off_t *piece_end);

#endif
