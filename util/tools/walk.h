/* walk.h - traverses all files below a directory
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WALK_H
#define DSN_WALK_H

/* Calls `take` with the path of every regular file below `root`, or of root itself, in any order; symbolic links are
 * followed, except into a directory being traversed. Stops when `take` returns nonzero, and returns that; an errno if a
 * directory cannot be read; else 0. */
int dsn_walk(const char *root, int (*take)(void *context, const char *path), void *context);

#endif
