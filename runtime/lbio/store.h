/* store.h - files whose writes go to the log: write, read, truncate, and replay to the file system
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file is known by device and inode as long as a descriptor of the application is open on it or bytes of it are
 * pending. Descriptors are the kernel's own, positions are the kernel's; opening, truncating and naming happen at once.
 * Only bytes come later.
 *
 * What is done with a file is done between lbio__file_enter and lbio__file_leave, by one thread at a time. Replay, in a
 * thread of its own, keeps out of nobody's way meanwhile. Nothing may be called from a handler of a signal that arrived
 * inside: callers hold signals back. */
#ifndef LBIO_STORE_H
#define LBIO_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "lbio/counts.h"
#include "lbio/options.h"

struct lbio_file;

/* Starts with these options, which have to stay; the log's directory is made at the first write. */
void lbio__store_start(const struct lbio_options *o);

/* Everything is brought to its file, and what comes later goes there at once. 0, or the errno of what could not be: the
 * log stays then. */
int lbio__store_end(void);

/* All files. 0, or the errno of the first that could not be brought up to date. */
int lbio__store_drain(void);

/* After lbio__store_drain: the log is removed, if nothing is pending; there will be another one when it is needed. */
void lbio__store_rest(void);

/* In a child of fork: nothing is pending, and what was the parent's is none of ours. */
void lbio__store_forget(void);

void lbio__store_counts(struct lbio_counts *out);

/* Whether any file is known. */
int lbio__store_has_files(void);

/* A call of the application has lasted so long. */
void lbio__store_visible(int64_t ns);

/* Nothing is logged any more. */
void lbio__store_all_direct(void);

/* The file of a descriptor, to be released with lbio__file_put. `make`: known from now on if it was not. NULL: it is
 * not known, or there is no memory. */
struct lbio_file *lbio__file_get(const struct stat *st, const char *path, int make);
void lbio__file_put(struct lbio_file *f);

/* A descriptor of the application that can be written by: replay uses a duplicate of it. */
void lbio__file_opened(struct lbio_file *f, int fd);

/* One of them is closed: with visibility=close its data is due now, and others must wait for it. */
void lbio__file_closed(struct lbio_file *f);

void lbio__file_enter(struct lbio_file *f);
void lbio__file_leave(struct lbio_file *f);

#define LBIO_DIRECT (-2) /* the caller is to do it itself: the file holds all that was written */

/* As pwritev and pread; and LBIO_DIRECT. A short count is the log's or the file's own. */
ssize_t lbio__file_write(struct lbio_file *f, const struct iovec *iov, int count, int64_t off);
ssize_t lbio__file_read(struct lbio_file *f, int fd, void *to, size_t size, int64_t off);

/* As ftruncate, at once. */
int lbio__file_truncate(struct lbio_file *f, int fd, int64_t size);

/* The same around a call that makes the file `size` bytes long, such as an open with O_TRUNC. The first returns -1 and
 * errno if that call must not be made. */
struct lbio_truncation {
    struct lbio_file *file;
    int64_t size;
    int is_logged; /* that it will be done */
};
int lbio__truncation_begin(struct lbio_truncation *t, struct lbio_file *f, int64_t size);
void lbio__truncation_end(const struct lbio_truncation *t, int is_done);

/* What the log adds: the end of its last byte (0: nothing), and when it was written (0: before the file itself). */
void lbio__file_overlay(struct lbio_file *f, int64_t *end, struct timespec *written);

/* All that was written is in the file. 0, or -1 and errno. */
int lbio__file_drain(struct lbio_file *f);

/* The same, and nothing of it is logged any more; the duplicate descriptor is closed. */
int lbio__file_go_direct(struct lbio_file *f);

/* As fsync, in the way that the options ask for. */
int lbio__file_sync(struct lbio_file *f);

/* Whether it is logged no more. */
int lbio__file_is_direct(const struct lbio_file *f);

/* Descriptors of the application that it has. */
int lbio__file_refs(struct lbio_file *f);

/* The error that the file's replay stopped at, 0: none. */
int lbio__file_error(struct lbio_file *f);

/* It has been removed and nobody has it open: what is pending goes nowhere. */
void lbio__file_discard(struct lbio_file *f);

/* It has been drained and then renamed. */
void lbio__file_renamed(struct lbio_file *f);

/* The same of any file: a directory has been. */
void lbio__store_renamed(void);

/* Whether a read may go to the file itself: nothing of it is pending. */
int lbio__file_is_clean(const struct lbio_file *f);

/* Whether the log or replay works by this descriptor. */
int lbio__store_owns(int fd);

#endif
