/* collect.h - collects logs by file and directory names
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COLLECT_H
#define DSN_COLLECT_H

/* Calls `take` for each of the n names, and for directories for all logs below (files with ".darshan" in their name),
 * sorted by name, without those of other users that may not be read, which are counted on stderr. Stops when `take`
 * returns nonzero, and returns that; 1 after a directory that cannot be read, which is reported on stderr. */
int dsn_collect(const char *command, char *const *names, int n, int (*take)(void *context, const char *log),
                void *context);

/* Whether it is a directory. */
int dsn_is_folder(const char *name);

#endif
