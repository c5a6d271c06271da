/* openers.h - which files several processes of this node have open
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file of the user in /dev/shm, in which processes hold locks (F_OFD_SETLK): for each file, known by device and inode, one
 * byte while they have it open, one while data of it is pending, and one while they wait for such data. So it does not matter how a file is called, and a
 * process that ends, however it does, leaves nothing.
 *
 * Only a file that one process alone has open is logged (shared=direct). It holds the lock of pending data before it looks for
 * others; they hold that of an open file before they look for pending data: one of both sees the other. */
#ifndef LBIO_OPENERS_H
#define LBIO_OPENERS_H

#include <stdint.h>

#include "lbio/options.h"

enum lbio_openers_byte { LBIO_IS_OPEN, LBIO_IS_PENDING, LBIO_IS_AWAITED };

/* Opens the file of the locks. 0: it cannot be had. */
int lbio__openers_start(void);

/* Whether the options make a difference between files of one process and of several. */
int lbio__openers_matter(const struct lbio_options *o);

/* This process has the file open, data of it pending, or waits for others' data; or not any more. 0, or -1 and errno. */
int lbio__openers_set(uint64_t dev, uint64_t ino, enum lbio_openers_byte what, int is_so);

/* Whether another process does. */
int lbio__openers_others(uint64_t dev, uint64_t ino, enum lbio_openers_byte what);

int lbio__openers_own(int fd);

/* Closes the file: what this process opens from now on is not logged. */
void lbio__openers_end(void);

/* In a child of fork, which shares the descriptor with its parent: opens the file anew. */
void lbio__openers_forget(void);

#endif
