/* walk.h - all files below a directory, by several threads at once
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WALK_H
#define DSN_WALK_H

#include "tally.h"

struct dsn_walk {
    const char *root; /* the directory */
    int threads;
    int cross;                       /* other file systems that are mounted below it, too */
    void (*progress)(int64_t files); /* called about five times a second, with what was seen so far; may be NULL */
};

/* Walks and adds everything up. Symbolic links are never followed; what vanishes underneath is counted as such. Memory:
 * the paths of at most DSN_MAX_PENDING directories; beyond that, directories are entered at once instead of being put
 * aside. Returns 0, or an errno if the root cannot be walked at all (or there is no memory). */
#define DSN_MAX_PENDING 65536
int dsn_walk(const struct dsn_walk *w, struct dsn_tally *total);

#endif
