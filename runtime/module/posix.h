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

#include "darshan-log-format/calls.h"
#include "module/shared/direction.h"
#include "record/fd.h"
#include "record/module.h"
#include "record/names.h"
#include "record/pending.h"
#include "record/span.h"

#define DSN_AT_CURSOR INT64_MIN /* offset of a call that uses the file position */

/* open family: fd is the result, dirfd AT_FDCWD unless the path is relative to another directory. mode as given, 0
 * where the call has none. */
void dsn__posix_open(const struct dsn_span *s, int fd, int dirfd, const char *path, int flags, mode_t mode);

/* The descriptor `fd` of the file with the cleaned name `name` was not opened by this process, but by the one that it
 * was forked from. Returns its description, whose position is set by the caller; NULL: it is not tracked. */
struct dsn_open *dsn__posix_inherit(int fd, const char *name);

/* Descriptors that the program was given are looked at when they are used. */
void dsn__posix_start(void);

/* Asks what file such a descriptor is of, and where it stands: before a call that has moved its position by `moved` and
 * made the file longer by up to `grown` bytes. From then on it is as one that was opened, but for what opening counts,
 * or is not tracked: NULL, where it is no regular file, or one that is excluded. */
struct dsn_open *dsn__posix_identify(int fd, int64_t moved, int64_t grown);

/* fcntl with F_SETFL. */
void dsn__posix_flags(int fd, int result, int flags);

/* dup family, F_DUPFD: `fd`, the result, shares `from`'s open file description. */
void dsn__posix_dup(const struct dsn_span *s, int fd, int from);

/* fileno: `fd` belongs to the file behind `stream`, the STDIO record; NULL: one that is not tracked. */
void dsn__posix_fileno(const struct dsn_span *s, int fd, const struct dsn_record_state *stream);

/* read and write: `n` as returned, `offset` as given or DSN_AT_CURSOR. */
void dsn__posix_read(const struct dsn_span *s, int fd, const void *buf, ssize_t n, int64_t offset);
void dsn__posix_write(const struct dsn_span *s, int fd, const void *buf, ssize_t n, int64_t offset);
void dsn__posix_iov(const struct dsn_span *s, enum dsn_direction d, int fd, const struct iovec *iov, int count,
                    ssize_t n, int64_t offset);

/* pwritev2: with RWF_APPEND among its flags it writes at the end, and moves the position only if `offset` is -1. */
void dsn__posix_iov_flags(const struct dsn_span *s, int fd, const struct iovec *iov, int count, ssize_t n,
                          int64_t offset, int flags);

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

/* ------------------------------------------------------------------ for the other sources of this module
 *
 * `state` may be NULL: then nothing happens. */

/* Where calls are collected: one that is no read or write. */
void dsn__posix_collect(const struct dsn_span *s, enum dsn_call call, int fd, int64_t offset);

/* The record behind a descriptor, or NULL. */
struct dsn_record_state *dsn__posix_of(int fd);

/* A metadata call that no record counts. */
void dsn__posix_beside(const struct dsn_span *s, enum dsn_beside kind);

/* One more in `counter`, and the call's time as metadata time; NULL: no time. */
void dsn__posix_count(const struct dsn_span *s, struct dsn_record_state *state, int counter);

/* The file has got this name by a rename from the one with id `from`. */
void dsn__posix_renamed(struct dsn_record_state *state, uint64_t from);

/* A call that waits for data to reach the disk: its time counts as writing, as that of fsync does. `counter`
 * may be -1. */
void dsn__posix_flushed(const struct dsn_span *s, struct dsn_record_state *state, int counter);

/* A request is done: `n` as read and write return it, but counted from when it was handed in. */
void dsn__posix_done(const struct dsn_span *s, const struct dsn_pending *request, ssize_t n);

/* Whether a buffer is aligned in memory. */
int dsn__posix_aligned(const void *buf);

/* The end of the file is known to be at `size`, or, unless it may shrink, not before it; appending begins there. */
void dsn__posix_sized(struct dsn_record_state *state, int64_t size, int may_shrink);

#endif
