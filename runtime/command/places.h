/* places.h - where commands look for survival files, and whose there are
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COMMAND_PLACES_H
#define DSN_COMMAND_PLACES_H

#include <stdbool.h>
#include <sys/types.h>

/* What --help says of it. */
#define DSN_COMMAND_BASES "Looks in the directory that DARSHAN_MMAP_LOGPATH names, or else in /dev/shm and /tmp."

/* The directory that DARSHAN_MMAP_LOGPATH names, or MMAP_LOGPATH in the configuration file once that has been read, or
 * else /dev/shm and /tmp. Returns how many; the others are
 * NULL. */
unsigned dsn__command_bases(const char *bases[2]);

/* Calls `visit` for each user who has a directory below `base`, once. Returns whether all calls returned true. */
bool dsn__command_users(const char *base, bool (*visit)(void *context, const char *base, uid_t uid), void *context);

#endif
