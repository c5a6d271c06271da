/* walk.h - traverses all files below a directory with several threads
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_FSSTATS_WALK_H
#define DSN_FSSTATS_WALK_H

#include "tally.h"

struct dsn_tree_walk {
    const char *root; /* the directory */
    int threads;
    int cross;       /* include other file systems mounted below it */
    int has_without; /* files of the user `without` are left out */
    uint32_t without;
    void (*progress)(int64_t files); /* called about five times a second with the number of files so far; may be NULL */
};

/* Traverses and counts. Symbolic links are never followed; files removed meanwhile are counted as such. Memory: the
 * paths of at most DSN_MAX_PENDING directories; beyond that, directories are entered immediately instead of being
 * queued. Returns 0, or an errno if the root cannot be read (or out of memory). */
#define DSN_MAX_PENDING 65536
int dsn_tree_walk(const struct dsn_tree_walk *w, struct dsn_tally *total);

#endif
