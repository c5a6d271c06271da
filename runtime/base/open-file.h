/* open-file.h - opening and writing the library's own files
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_OPEN_FILE_H
#define DSN_BASE_OPEN_FILE_H

#include <stdbool.h>

#include <sys/stat.h>
#include <sys/types.h>

/* As openat with O_CLOEXEC and O_NOFOLLOW, but never returns 0, 1 or 2: programs that closed those may go on writing to
 * them. */
int dsn__open_file(int dir, const char *path, int flags, mode_t mode);

/* Whether errno says that a sandbox or the file system does not support the call, rather than that this use of it
 * failed. */
bool dsn__is_refused(int error);

/* As pwrite, for a file that nobody else uses; falls back to lseek and write where pwrite is refused. */
ssize_t dsn__write_at(int fd, const void *bytes, size_t size, off_t at);

/* As fsync; success where fsync is refused, since nothing more can be done. */
int dsn__sync_file(int fd);

#endif
