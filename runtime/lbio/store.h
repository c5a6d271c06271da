/* store.h - files whose writes are logged: write, read, truncate, and replay to the file system
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file is identified by device and inode as long as the application has it open or data is pending. Descriptors and
 * file offsets are the kernel's; opening, truncating and renaming happen immediately. Only data is delayed.
 *
 * Operations on a file are between lbio__file_enter and lbio__file_leave, one thread at a time. Replay runs
 * concurrently in its own thread. Nothing here may be called from a signal handler that interrupted it: callers block
 * signals. */
#ifndef LBIO_STORE_H
#define LBIO_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/figures.h"
#include "lbio/counts.h"
#include "lbio/options.h"

struct lbio_file;

/* Starts with these options, which must remain valid; the log's directory is created by the first write. */
void lbio__store_start(const struct lbio_options *o);

/* Drains all files; later writes go to them directly. 0, or the first errno: then the log is kept. */
int lbio__store_end(void);

/* Drains all files. 0, or the first errno. */
int lbio__store_drain(void);

/* The end of the process, with data left in the log: counts files without all of their data, and writes the report. */
void lbio__store_leave(void);

/* After lbio__store_drain: removes the log if nothing is pending; another one is created when needed. */
void lbio__store_rest(void);

/* In a child of fork: discards the parent's state. */
void lbio__store_forget(void);

void lbio__store_counts(struct lbio_counts *out);

/* Whether any file is known. */
int lbio__store_has_files(void);

/* Whether anything is logged that is not in its file yet. */
int lbio__store_is_pending(void);

/* Adds the duration of a call of the application. */
void lbio__store_visible(int64_t ns, int is_logged_write);

/* Gives what has been counted since the last call. */
void lbio__store_give(dsn_figure *take, void *context);

/* Stops logging. */
void lbio__store_all_direct(enum lbio_reason why);

/* The file of a descriptor, to be released with lbio__file_put. `make`: adds it if it is not known. NULL: not known, or
 * no memory. */
struct lbio_file *lbio__file_get(const struct stat *st, const char *path, int make);
void lbio__file_put(struct lbio_file *f);

/* It stays known, and as it is, until the process ends. */
void lbio__file_keep(struct lbio_file *f);

/* The application has opened a writable descriptor: replay uses a duplicate. */
void lbio__file_opened(struct lbio_file *f, int fd);

/* A descriptor for an open of this file, which is not open, with the access `flags`: a duplicate of replay's, if that is
 * the same as opening it again. `st`: found at the name just now. -1: it is not. */
int lbio__file_reuse(struct lbio_file *f, const struct stat *st, int flags);

/* Whether no other process has pending data of the file, as far as can be said without opening its marker. */
int lbio__file_is_alone(struct lbio_file *f);

/* Other processes may have descriptors of this one's files from now on, with the same offsets. */
void lbio__store_handed_out(void);

/* A descriptor is closed: with visibility=close its data is due now, and other processes must wait for it. */
void lbio__file_closed(struct lbio_file *f);

void lbio__file_enter(struct lbio_file *f);
void lbio__file_leave(struct lbio_file *f);

#define LBIO_DIRECT (-2) /* the caller must make the call itself: the file is up to date */

/* Like pwritev and pread; may return LBIO_DIRECT. A short count is that of the log or the file. */
ssize_t lbio__file_write(struct lbio_file *f, const struct iovec *iov, int count, int64_t off);
ssize_t lbio__file_read(struct lbio_file *f, int fd, void *to, size_t size, int64_t off);

/* Like ftruncate, immediately. */
int lbio__file_truncate(struct lbio_file *f, int fd, int64_t size);

/* The same around a call that sets the file's size to `size`, such as an open with O_TRUNC. The first function returns
 * -1 and errno if the call must not be made. */
struct lbio_truncation {
    struct lbio_file *file;
    int64_t size;
    int is_logged; /* the record that it will be done */
};
int lbio__truncation_begin(struct lbio_truncation *t, struct lbio_file *f, int64_t size);
void lbio__truncation_end(const struct lbio_truncation *t, int is_done);

struct lbio_overlay {
    int64_t end, bytes;      /* end offset of the logged data; its number of bytes; 0: none */
    struct timespec written; /* time of its last write */
};

/* What is logged, or was written by replay since the time `since` (ns; INT64_MAX: only what is logged). A caller that
 * asked for the file's size before, at `since` or later, finds the larger one of both; one that asks afterwards, too. */
void lbio__file_overlay(struct lbio_file *f, int64_t since, struct lbio_overlay *out);

/* Whether a file has been forgotten, because it is closed and complete, at `since` or later. */
int lbio__store_released_since(int64_t since);

/* Waits until all data is in the file. 0, or -1 and errno. */
int lbio__file_drain(struct lbio_file *f);

/* The same, and stops logging the file; closes the duplicate descriptor. */
int lbio__file_go_direct(struct lbio_file *f, enum lbio_reason why);

/* Like fsync, as configured by the options. */
int lbio__file_sync(struct lbio_file *f);

/* Whether the file is not logged any more. */
int lbio__file_is_direct(const struct lbio_file *f);

/* Number of the application's descriptors of the file. */
int lbio__file_refs(struct lbio_file *f);

/* The error that stopped the file's replay; 0: none. */
int lbio__file_error(struct lbio_file *f);

/* It was removed and is not open: drops its pending data. */
void lbio__file_discard(struct lbio_file *f);

/* It was drained, and then renamed. */
void lbio__file_renamed(struct lbio_file *f);

/* The same for any file: a directory was renamed. */
void lbio__store_renamed(void);

/* Whether reads may go to the file directly, because nothing is pending. */
int lbio__file_is_clean(const struct lbio_file *f);

/* Whether the log or replay uses this descriptor. */
int lbio__store_owns(int fd);

#endif
