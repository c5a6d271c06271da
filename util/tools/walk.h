/* walk.h - every file in a folder and below it
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WALK_H
#define DSN_WALK_H

/* Hands `take` the path of every regular file in `root` and below it, or root itself, in no order; symbolic links are
 * followed, but not in circles. Goes on until `take` returns other than 0, which it returns then; an errno if a folder
 * cannot be read; else 0. */
int dsn_walk(const char *root, int (*take)(void *context, const char *path), void *context);

#endif
