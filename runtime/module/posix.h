/* posix.h - what POSIX calls count in the record of a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called by wrap-posix.c inside a span, after the real call. None of these fails; untracked descriptors return after a
 * few instructions. */
#ifndef DSN_MODULE_POSIX_H
#define DSN_MODULE_POSIX_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "darshan-log-format/calls.h"
#include "module/posix-io.h"
#include "module/shared/direction.h"
#include "record/fd.h"
#include "record/module.h"
#include "record/names.h"
#include "record/pending.h"
#include "record/span.h"

/* open family: `fd` is the result; `dirfd` is AT_FDCWD unless the path is relative to another directory; `flags` as given
 * or as the call implies; `mode` as given, 0 if the call has none. */
void dsn__posix_open(const struct dsn_span *s, int fd, int dirfd, const char *path, int flags, mode_t mode);

/* The same for a file that has been looked up; `fd` -1: for the description `o`, which no descriptor has. */
void dsn__posix_opened(const struct dsn_span *s, int fd, struct dsn_record_state *state, struct dsn_description *o,
                       int flags, mode_t mode);

/* A stream has opened what is a channel: the file's POSIX record says so, in its mode. */
void dsn__posix_note_channel(struct dsn_name *name, mode_t channel);

/* A record for a file that may be opened, which is dropped unless it is; NULL: it is excluded. And a new description. */
struct dsn_record_state *dsn__posix_to_open(int dirfd, const char *path);
struct dsn_description *dsn__posix_new_description(struct dsn_record_state *state);

/* Registers the descriptor `fd`, inherited in a fork, of the file with the cleaned name `name`. Returns its
 * description, whose position the caller sets; NULL if it is not tracked. */
struct dsn_description *dsn__posix_inherit(int fd, const char *name);

/* Marks descriptors inherited across exec for lookup at their first use. */
void dsn__posix_start(void);

/* Looks up the file and position of such a descriptor, before a call that has already moved its position by `moved` and
 * extended the file by up to `grown` bytes. Then it is as if it had been opened, without counting an open. Returns
 * NULL, and stops tracking it, if it is not a regular file or is excluded. */
struct dsn_description *dsn__posix_identify(int fd, int64_t moved, int64_t grown);

/* fcntl with F_SETFL. */
void dsn__posix_flags(int fd, int result, int flags);

/* dup family, F_DUPFD: `fd`, the result, shares `from`'s open file description. */
void dsn__posix_dup(const struct dsn_span *s, int fd, int from);

/* fileno: `fd` belongs to the file of `stream` (its STDIO record; NULL: untracked). */
void dsn__posix_fileno(const struct dsn_span *s, int fd, const struct dsn_record_state *stream);

/* readv and writev: `moved` is the result, `offset` as given or DSN_AT_CURSOR. */
void dsn__posix_iov(const struct dsn_span *s, enum dsn_direction d, int fd, const struct iovec *iov, int count,
                    ssize_t moved, int64_t offset);

/* pwritev2: with RWF_APPEND it writes at the end, and moves the position only if `offset` is -1. */
void dsn__posix_iov_flags(const struct dsn_span *s, int fd, const struct iovec *iov, int count, ssize_t moved,
                          int64_t offset, int flags);

void dsn__posix_sync(const struct dsn_span *s, int fd, int result, int data_only);
void dsn__posix_stat(const struct dsn_span *s, int result, int dirfd, const char *path, mode_t found);
void dsn__posix_fstat(const struct dsn_span *s, int result, int fd, mode_t found);

/* fstatat, statx: on the name, or with an empty path and AT_EMPTY_PATH on the descriptor. */
void dsn__posix_statat(const struct dsn_span *s, int result, int dirfd, const char *path, int flags, mode_t found);

/* close in two steps: the table entry is removed before the real call, because another thread may get the number right
 * after it. Pass the result of dsn__posix_release to dsn__posix_close, even if the real call failed. */
void *dsn__posix_release(int fd);
void dsn__posix_close(const struct dsn_span *s, void *released);

/* ------------------------------------------------------------------ shared with this module's other sources
 *
 * `state` may be NULL: then nothing happens. */

/* With call logging: logs a call other than a read or write. */
void dsn__posix_trace_call(const struct dsn_span *s, enum dsn_call call, int fd, int64_t offset);

/* The record behind a descriptor, or NULL. */
struct dsn_record_state *dsn__posix_of(int fd);

/* Adds a metadata call that has no counter in any record. */
void dsn__posix_count_recordless(const struct dsn_span *s, enum dsn_recordless kind);

/* Adds 1 to `counter` and the call's duration to the metadata time; `s` NULL: no time. */
void dsn__posix_count(const struct dsn_span *s, struct dsn_record_state *state, int counter);

/* The file has been renamed to this name from that of id `from`. */
void dsn__posix_renamed(struct dsn_record_state *state, uint64_t from);

/* A call that waits for data to reach the disk: its time counts as write time, as for fsync. `counter` may be -1. */
void dsn__posix_flushed(const struct dsn_span *s, struct dsn_record_state *state, int counter);

/* A completed request: `moved` as for read and write, timed from its submission. */
void dsn__posix_done(const struct dsn_span *s, const struct dsn_pending *request, ssize_t moved);

/* The file is now `size` bytes long, or, unless it may shrink, at least `size`; O_APPEND writes start there. */
void dsn__posix_sized(struct dsn_record_state *state, int64_t size, int may_shrink);

/* The name of the file has been removed, or now is another file's or nobody's. */
void dsn__posix_gone(struct dsn_record_state *state, bool is_renamed);

#endif
