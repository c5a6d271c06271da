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
    struct dsn_bump memory, kept; /* what is made of it, and what it is read with */
    void *mapped;                 /* the file of a process that runs; NULL: of one that does not */
    size_t mapped_size;
};

/* Reads the file, `size` bytes, into memory of this process, where its records are finalized as they would have been in
 * their own. With `runs` its owner goes on, and records are what they were in moments (record/snapshot.h); the file is
 * mapped for that: one that is truncated meanwhile ends the process (SIGBUS), so this is done in one of its own. 0: it
 * is none of this release, it cannot be read, there is no memory, or its owner has begun to end. */
int dsn__salvage(struct dsn_salvage *s, int fd, off_t size, int runs);

/* The counters of one that runs, and nothing else of it, for those who look again and again: `s` is zeros before the
 * first look, and what the last one has left before the next one at the same file, whose memory is used again. A record
 * that changes too fast to be seen in a moment is left out this time. `most`: bytes of
 * records that are read at most. 0, and `s` is zeros: as above, or there are more, or the file is another one by now.
 * The file is mapped, too. */
int dsn__salvage_look(struct dsn_salvage *s, int fd, off_t size, size_t most);

void dsn__salvage_free(struct dsn_salvage *s);

/* The next piece of a file of `end` bytes that is not a hole, from `at` on, up to *piece_end; where the file system
 * cannot say, all of it. `end`: there is none. */
off_t dsn__next_piece(int fd, off_t at, off_t end, off_t *piece_end);

#endif
