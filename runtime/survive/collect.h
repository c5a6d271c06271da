/* collect.h - what other processes have left to one, found and read
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COLLECT_H
#define DSN_COLLECT_H

#include "log/members.h"

/* The spool that was made of an image, before any are read. 0: it is none, or there is no memory. */
int dsn__members_take(struct dsn_members *m, const char *image, const void *spool, size_t size);

/* Removes images that were taken so, for their log is on disk: that of process `pid`, or all others. */
void dsn__members_remove(const struct dsn_members *m, int64_t pid, int others);

/* Reads what others have left to process `host` of family `key` in a directory. */
void dsn__members_read(struct dsn_members *m, const char *directory, uint64_t key, int64_t host);

/* When all are read: ascending by start, without those that are there twice. */
void dsn__members_sort(struct dsn_members *m);

#endif
