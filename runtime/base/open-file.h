/* open-file.h - files of our own, out of the way of the standard streams
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_OPEN_FILE_H
#define DSN_BASE_OPEN_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

/* As openat, with O_CLOEXEC and O_NOFOLLOW, but the descriptor is never 0, 1 or 2: programs that have closed those go
 * on writing to them. */
int dsn__open_file(int dir, const char *path, int flags, mode_t mode);

/* Whether a call has failed because a sandbox or the file system has none of the kind, not because of what was
 * asked. */
int dsn__is_refused(int error);

/* As pwrite, for a file that nobody else uses: where that is refused, what is the same. */
ssize_t dsn__write_at(int fd, const void *bytes, size_t size, off_t at);

/* As fsync; where that is refused all has been done that can be. */
int dsn__sync_file(int fd);

#endif
