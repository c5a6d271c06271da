/* salvage.h - reads what another process has left in its survival file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file may contain anything, and is read into memory of fixed size: pointers are followed only after a check by
 * record/salvaged.h, lists end at the first invalid link, and the time is bounded by the size of the file. */
#ifndef DSN_SURVIVE_SALVAGE_H
#define DSN_SURVIVE_SALVAGE_H

#include <sys/types.h>

#include <stdbool.h>

#include "base/pages.h"
#include "record/salvaged.h"
#include "survive/survival.h"

struct dsn_salvage {
    char *state; /* as much of the state as is in the file */
    const struct dsn_survival_head *head;
    struct dsn_salvaged salvaged;
    struct dsn_bump memory, for_reading; /* what is made of it, and what it is read with */
    void *mapped;                        /* the file of a running process; NULL: it is not running */
    size_t mapped_size;
};

/* Reads the file of `size` bytes into this process's memory, where its records are finalized as they would have been in
 * their own process. With `runs` the owner is running, and consistent copies of records are taken (record/snapshot.h);
 * this maps the file, and a truncation meanwhile kills the process (SIGBUS), so it is done in a process of its own.
 * Returns false if the file is from another release, cannot be read, there is no memory, or its owner has begun to end. */
bool dsn__salvage(struct dsn_salvage *s, int fd, off_t size, int runs);

/* Samples the counters of a running process, and nothing else: `s` is zeroed before the first sample, and reused, with
 * its memory, for later samples of the same file. A record without a consistent copy is left out of this sample.
 * `most`: maximum bytes of records. Returns false, with `s` zeroed, in the cases above, or if there are more bytes, or it
 * is another file by now. The file is mapped, too. */
bool dsn__salvage_look(struct dsn_salvage *s, int fd, off_t size, size_t most);

void dsn__salvage_free(struct dsn_salvage *s);

/* The next piece of a file of `end` bytes that is not a hole, from `at` up to *piece_end; if the file system cannot
 * tell, all of it. `end`: none. */
off_t dsn__next_piece(int fd, off_t at, off_t end, off_t *piece_end);

#endif
