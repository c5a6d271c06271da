/* intercept.h - what a call on a descriptor or a path means to the log
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A wrapper begins a call, which may be served here altogether, or is made by the next function of that name and then
 * ended. Between the two nothing of the application runs in this thread: signals are held back. */
#ifndef LBIO_INTERCEPT_H
#define LBIO_INTERCEPT_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/signals.h"
#include "lbio/store.h"

#define LBIO_AT_CURSOR INT64_MIN
#define LBIO_NO_SIZE   SIZE_MAX

enum lbio_after {
    LBIO_NOTHING,
    LBIO_NEW_FD,   /* what is returned is a new descriptor of a file that may be managed */
    LBIO_OTHER_FD, /* of something else */
    LBIO_SAME_FD,  /* of the same file as `fd` */
    LBIO_SIZE,     /* *st is to say what the log adds */
    LBIO_SIZE_X,   /* *stx */
    LBIO_UNLINKED,
    LBIO_RENAMED
};

struct lbio_call {
    struct dsn_signals signals;
    int64_t begun, ret;   /* ret: if it was served */
    int is_served, error; /* error: errno before */
    enum lbio_after after;
    struct lbio_file *file[2]; /* that are held meanwhile */
    struct lbio_truncation *truncation;
    struct lbio_truncation room;
    int fd, dir;
    const char *path;
    int links;
    union {
        struct stat *st;
        struct statx *stx;
    } to;
};

/* Whether anything is managed here: not in a process that only shares, or has a copy of, our memory. */
int lbio__is_on(void);

/* Whether the descriptor is a managed file's. */
int lbio__is_managed(int fd);

/* Options and pattern from the environment, or from lbio_init. 0, or -1 and errno: no such pattern. */
int lbio__intercept_start(const char *pattern, const char *options);

/* Each of these begins a call, and returns whether it is served: then c->ret is what it returns. `c` comes from lbio__call_clear.
 * lbio__call_end(c, ret) belongs to each, after the real call, or, where it was served, at once. */
int lbio__begin_open(struct lbio_call *c, int dir, const char *path, int flags);
int lbio__begin_dup(struct lbio_call *c, int fd);
int lbio__begin_close(struct lbio_call *c, int fd);
int lbio__begin_other_fd(struct lbio_call *c);
int lbio__begin_io(struct lbio_call *c, int is_write, int fd, const struct iovec *iov, int count, int64_t off);
int lbio__begin_seek(struct lbio_call *c, int fd, int64_t off, int whence);
int lbio__begin_sync(struct lbio_call *c, int fd);
int lbio__begin_truncate(struct lbio_call *c, int fd, int64_t size);
int lbio__begin_truncate_at(struct lbio_call *c, const char *path, int64_t size);
int lbio__begin_stat(struct lbio_call *c, struct stat *st);
int lbio__begin_statx(struct lbio_call *c, struct statx *st);
int lbio__begin_unlink(struct lbio_call *c, int dir, const char *path);
int lbio__begin_rename(struct lbio_call *c, int from_dir, const char *from, int to_dir, const char *to);

/* The file is brought up to date for a call that looks at, or changes, it itself; and for good, if `is_direct`. `other`:
 * of a call on two descriptors, or -1. */
int lbio__begin_direct(struct lbio_call *c, int fd, int other, int is_direct);
int lbio__begin_direct_at(struct lbio_call *c, int dir, const char *path);

/* All files are, for what comes: another process, or a call that is not understood. */
int lbio__begin_all(struct lbio_call *c);

static inline void lbio__call_clear(struct lbio_call *c)
{
    c->signals.are_held = c->is_served = 0;
    c->after = LBIO_NOTHING;
    c->file[0] = c->file[1] = NULL;
    c->truncation = NULL;
    c->path = NULL;
    c->error = errno;
}

/* A call that succeeds leaves errno alone, served or not. */
static inline int lbio__is_served(const struct lbio_call *c, int is_served)
{
    if (!is_served || c->ret >= 0)
        errno = c->error;
    return is_served;
}

void lbio__call_end(struct lbio_call *c, int64_t ret);

/* The number, or any of these, is closed where nobody sees it. */
void lbio__forget_number(int fd);
void lbio__forget_numbers(unsigned first, unsigned last, int flags);

/* A stream of the C library's works by this number from now on, or does no more: what has it is not logged. */
void lbio__stream(int fd, int is_there);

/* The file of this path (NULL: all) is up to date. 0, or -1 and errno. */
int lbio__drain_path(const char *path);

/* All files are up to date, for another process. */
void lbio__drain_all(void);

/* The process ends, or becomes another program: nothing is pending afterwards, and no log is left. 0, or -1 and the errno
 * of what could not be written. */
int lbio__leave(int may_come_back);

/* From here on no file is logged any more: something is used that goes around the wrappers. */
void lbio__give_up_logging(void);

#endif
