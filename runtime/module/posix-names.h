/* posix-names.h - what calls on names, attributes and the space of files mean for their records
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The format has counters for renames only. The time of the other calls goes into POSIX_F_META_TIME of the file's
 * record if there is one; none is made for a file that is merely looked at, moved or removed. Calls that failed
 * (`result` < 0) do not count. */
#ifndef DSN_MODULE_POSIX_NAMES_H
#define DSN_MODULE_POSIX_NAMES_H

#include <sys/types.h>

#include "record/span.h"

/* A file by its descriptor; by its name, which, NULL or empty, stands for the descriptor itself. */
void dsn__posix_touch(const struct dsn_span *s, int result, int fd);
void dsn__posix_touch_at(const struct dsn_span *s, int result, int dirfd, const char *path);

/* unlink, rmdir: a file of this name that is made later begins empty. */
void dsn__posix_remove(const struct dsn_span *s, int result, int dirfd, const char *path);

/* RENAME_EXCHANGE in `flags` is a rename in either direction. */
void dsn__posix_rename(const struct dsn_span *s, int result, int from_dir, const char *from, int to_dir, const char *to,
                       unsigned flags);

/* ftruncate, fallocate: the file ends at `size`; at least there unless it may shrink. */
void dsn__posix_resize(const struct dsn_span *s, int result, int fd, int64_t size, int may_shrink);
void dsn__posix_truncate(const struct dsn_span *s, int result, const char *path, int64_t size);

/* Part of a file, or all of a file system, is written to the disk. */
void dsn__posix_flush(const struct dsn_span *s, int result, int fd);

/* A file is mapped into memory. What is then read or written there is not seen. */
void dsn__posix_map(int fd);

/* `fd` is something new that has no name: a socket, a pipe. Whatever it was before, it was closed unseen. */
void dsn__posix_nameless(int fd);
void dsn__posix_nameless_pair(int result, const int fd[2]);

#endif
