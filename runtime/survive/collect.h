/* collect.h - what other processes have left to one, found and read
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SURVIVE_COLLECT_H
#define DSN_SURVIVE_COLLECT_H

#include "log/participants.h"

/* The exit record that was made of a survival file, before any are read. 0: it is none, or there is no memory. */
int dsn__participants_take(struct dsn_participants *m, const char *survival_file, const void *exit_record, size_t size);

/* Removes survival files that were taken so, for their log is on disk: that of process `pid`, or all others. */
void dsn__participants_remove(const struct dsn_participants *m, int64_t pid, int others);

/* Reads what others have left to process `root` of process tree `key` in a directory. */
void dsn__participants_read(struct dsn_participants *m, const char *directory, uint64_t key, int64_t root);

/* When all are read: ascending by start, without those that are there twice. */
void dsn__participants_sort(struct dsn_participants *m);

#endif
