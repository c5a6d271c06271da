/* intercept.h - what calls on descriptors and paths do to the log
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A wrapper begins a call, which is either served here, or passed to the next function of the same name and then ended.
 * In between no code of the application runs in this thread: signals are blocked. */
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
    LBIO_NEW_FD,   /* returns a new descriptor of a file that may be managed */
    LBIO_OTHER_FD, /* of something else */
    LBIO_SAME_FD,  /* of the same file as `fd` */
    LBIO_SIZE,     /* *st must include the log's data; lbio__call_again follows */
    LBIO_SIZE_X,   /* *stx likewise */
    LBIO_UNLINKED,
    LBIO_RENAMED
};

struct lbio_call {
    struct dsn_signals signals;
    int64_t begun, ret;   /* ret: result of a served call */
    int is_served, error; /* error: errno before the call */
    int cancel_state;     /* before the call: no thread is cancelled in between, with a lock held */
    int is_cancellable;   /* it may be afterwards, as after write and fsync */
    int has_made_room;
    int is_refused;                /* the open, afterwards: the file has pending data of others, which does not come */
    int is_logged_write, is_alone; /* is_alone: nobody else has pending data of the opened file */
    enum lbio_after after;
    struct lbio_file *file[2]; /* entered during the call */
    struct lbio_truncation *truncation;
    struct lbio_truncation room;
    int64_t asked; /* time before the call of LBIO_SIZE; ns */
    int fd, dir;
    const char *path;
    int links;
    union {
        struct stat *st;
        struct statx *stx;
    } to;
};

/* Whether any file is managed; false in a process with a copy of our memory, or sharing it. */
int lbio__is_on(void);

/* Whether the library uses the descriptor for itself. */
int lbio__owns(int fd);

/* Whether the descriptor belongs to a managed file. */
int lbio__is_managed(int fd);

/* Whether writes to it are logged. */
int lbio__is_logged(int fd);

/* Reads options and pattern from the environment, or from lbio_init. 0, or -1 and errno: invalid pattern. */
int lbio__intercept_start(const char *pattern, const char *options);

/* NULL: it is not on. */
const struct lbio_options *lbio__options_in_use(void);

/* Each of these begins a call, and returns whether it is served with the result c->ret. `c` comes from
 * lbio__call_clear. lbio__call_end(c, ret) must follow: after the real call, or immediately if it was served. */
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

/* Drains the file for a call that accesses it directly; `why` is not LBIO_IS_LOGGED: and does not log it any more.
 * `other`: the second descriptor of a call on two, or -1. */
int lbio__begin_direct(struct lbio_call *c, int fd, int other, enum lbio_reason why);
int lbio__begin_direct_at(struct lbio_call *c, int dir, const char *path);

/* The same before the file is mapped, which it may stay when its descriptor is closed: it is never logged again. */
int lbio__begin_mapped(struct lbio_call *c, int fd);

/* Drains all files, before another process may access them, or before a call that is not modelled. */
int lbio__begin_all(struct lbio_call *c);

static inline void lbio__call_clear(struct lbio_call *c)
{
    c->is_refused = 0;
    c->signals.are_held = c->is_served = c->is_logged_write = c->is_alone = c->has_made_room = c->is_cancellable = 0;
    c->after = LBIO_NOTHING;
    c->file[0] = c->file[1] = NULL;
    c->truncation = NULL;
    c->path = NULL;
    c->error = errno;
}

/* A successful call does not change errno, served or not. */
static inline int lbio__is_served(const struct lbio_call *c, int is_served)
{
    if (!is_served || c->ret >= 0)
        errno = c->error;
    return is_served;
}

/* After the real call: adds what is not in the file yet to the size that the call found. Returns whether the call must be
 * made once more, because a file has been completed and forgotten meanwhile. */
int lbio__call_again(struct lbio_call *c, int64_t ret);

/* After an open that failed because the process has no descriptor left: closes our own ones, if that helps. Returns
 * whether it must be made once more. */
int lbio__make_room(struct lbio_call *c);

void lbio__call_end(struct lbio_call *c, int64_t ret);

/* The descriptor, or all in the range, are closed without a wrapper. The first one returns the error of the file's
 * replay. */
int lbio__forget_number(int fd);
void lbio__forget_numbers(unsigned first, unsigned last, int flags);

/* Drains the file, and does not log it any more. */
void lbio__make_direct(int fd, enum lbio_reason why);

/* A stdio stream that bypasses the wrappers starts, or stops, using this descriptor: its file is not logged. */
void lbio__plain_stream(int fd, int is_there);

/* Drains the file at this path (NULL: all). 0, or -1 and errno. */
int lbio__drain_path(const char *path);

/* Several MPI processes have opened the file together; `path` as in MPI_File_open. */
void lbio__opened_together(const char *path);

/* Drains all files for another process. */
void lbio__drain_all(void);
void lbio__drain_at_finalize(void); /* unless data may be left at the end */

/* The process ends or execs: drains all files and removes the log. 0, or -1 and the errno of what could not be
 * written. */
int lbio__leave(int may_come_back);

/* The process ends: as the option says. */
void lbio__end(void);

/* Drains all files, unless data may be left at the end, and gives what has been counted since the last call. */
void lbio__figures(dsn_figure *take, void *context);

/* Stops logging: something bypasses the wrappers from now on. */
void lbio__give_up_logging(void);

#endif
