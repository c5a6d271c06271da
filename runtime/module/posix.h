/* posix.h - what POSIX calls mean for the record of a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called by wrap-posix.c inside a span, after the real call. None of them fails; a descriptor that is not tracked is
 * passed over in a few instructions. */
#ifndef DSN_MODULE_POSIX_H
#define DSN_MODULE_POSIX_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "core/span.h"
#include "module/direction.h"

#define DSN_AT_CURSOR INT64_MIN /* offset of a call that uses the file position */

/* open family: fd is the result, dirfd AT_FDCWD unless the path is relative to another directory. mode as given, 0
 * where the call has none. */
void dsn__posix_open(const struct dsn_span *s, int fd, int dirfd, const char *path, int flags, mode_t mode);

/* dup family, F_DUPFD: `fd`, the result, shares `from`'s open file description. */
void dsn__posix_dup(const struct dsn_span *s, int fd, int from);

/* fileno on a tracked stream: `fd` belongs to the file behind `stream`. */
void dsn__posix_fileno(const struct dsn_span *s, int fd);

/* read and write: `n` as returned, `offset` as given or DSN_AT_CURSOR. */
void dsn__posix_read(const struct dsn_span *s, int fd, const void *buf, ssize_t n, int64_t offset);
void dsn__posix_write(const struct dsn_span *s, int fd, const void *buf, ssize_t n, int64_t offset);
void dsn__posix_iov(const struct dsn_span *s, enum dsn_direction d, int fd, const struct iovec *iov, int count,
                    ssize_t n, int64_t offset);

void dsn__posix_seek(const struct dsn_span *s, int fd, int64_t result);
void dsn__posix_sync(const struct dsn_span *s, int fd, int result, int data_only);
void dsn__posix_stat(const struct dsn_span *s, int result, int dirfd, const char *path, mode_t found);
void dsn__posix_fstat(const struct dsn_span *s, int result, int fd, mode_t found);

/* fstatat, statx: either of the two, for an empty path with AT_EMPTY_PATH means the descriptor itself. */
void dsn__posix_statat(const struct dsn_span *s, int result, int dirfd, const char *path, int flags, mode_t found);

/* close in two steps: the mapping is taken away before the real call, for afterwards another thread may own the
 * number. What dsn__posix_release returned goes to dsn__posix_close, also when the real call failed. */
void *dsn__posix_release(int fd);
void dsn__posix_close(const struct dsn_span *s, void *released);

#endif
