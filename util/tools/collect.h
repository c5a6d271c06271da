/* collect.h - logs by name and by folder
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COLLECT_H
#define DSN_COLLECT_H

/* Hands each of the n names to `take`, and of names that are folders all logs below them (files whose name has
 * ".darshan" in it), ordered by name. Goes on until `take` returns other than 0, which it returns then; 1 after a
 * folder that cannot be walked through, which is reported on stderr. */
int dsn_collect(const char *command, char *const *names, int n, int (*take)(void *context, const char *log),
                void *context);

/* Whether it is a folder. */
int dsn_is_folder(const char *name);

#endif
