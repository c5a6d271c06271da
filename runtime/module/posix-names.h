/* posix-names.h - what calls on file names, attributes and allocation count
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The format has a counter for renames only. The time of other calls is added to POSIX_F_META_TIME of the file's record
 * if it has one; none is created for a file that is merely stat'ed, renamed or removed. Failed calls (`result` < 0) are
 * not counted. */
#ifndef DSN_MODULE_POSIX_NAMES_H
#define DSN_MODULE_POSIX_NAMES_H

#include <sys/types.h>

#include "record/span.h"

/* Calls on a file by descriptor; by name, where NULL or "" stands for the descriptor. */
void dsn__posix_touch(const struct dsn_span *s, int result, int fd);
void dsn__posix_touch_at(const struct dsn_span *s, int result, int dirfd, const char *path);

/* unlink, rmdir: a file created later under this name starts empty. */
void dsn__posix_remove(const struct dsn_span *s, int result, int dirfd, const char *path);

/* RENAME_EXCHANGE in `flags` counts as a rename in either direction. */
void dsn__posix_rename(const struct dsn_span *s, int result, int from_dir, const char *from, int to_dir, const char *to,
                       unsigned flags);

/* ftruncate, fallocate: the file ends at `size`, or, unless it may shrink, not before it. */
void dsn__posix_resize(const struct dsn_span *s, int result, int fd, int64_t size, int may_shrink);
void dsn__posix_truncate(const struct dsn_span *s, int result, const char *path, int64_t size);

/* msync, which waits. */
void dsn__posix_map_sync(const struct dsn_span *s, int result);

/* fsync-like calls on part of a file, or on a whole file system. */
void dsn__posix_flush(const struct dsn_span *s, int result, int fd);

/* mmap has returned `at`. */
void dsn__posix_map(int fd, const void *at, size_t size, int protection, int flags, int64_t offset);

/* `fd` is a new socket, pipe or the like. If it was tracked, its close went unseen. */
void dsn__posix_nameless(int fd);
void dsn__posix_nameless_pair(int result, const int fd[2]);

#endif
