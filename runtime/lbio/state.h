/* state.h - state shared by store.c, file.c and replay.c
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Locking order: a file's `gate` (one thread of the application at a time), its `lock` (the tree), `marking`, the
 * store's `lock` (everything else). Replay does not take gates: a thread that waits for it holds one. */
#ifndef LBIO_STATE_H
#define LBIO_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "lbio/counts.h"
#include "lbio/log.h"
#include "lbio/marker.h"
#include "lbio/openers.h"
#include "lbio/options.h"
#include "lbio/plan.h"
#include "lbio/report.h"
#include "lbio/token.h"
#include "lbio/tree.h"

#define LBIO_BUCKETS 1024

/* What an open of the same name would find out again. */
struct lbio_opening {
    unsigned mode, uid, gid, by_uid, by_gid;
    int is_stale_while_open; /* the file system looks for changes by others when a file is opened */
    uint64_t handed_out;
};

/* What recovery must find of the file, to write to it. */
struct lbio_left {
    int64_t size, time; /* of modification, ns; size < 0: anything, because others write it, too */
    uint64_t segment;   /* of the log, that has it; 0: none yet */
};

struct lbio_file {
    struct lbio_file *next; /* in its hash bucket, or in the free list */
    uint64_t dev, ino;
    char *path, short_path[168];
    pthread_mutex_t gate, lock, marking;
    struct lbio_tree tree;     /* under `lock` */
    struct timespec written;   /* under `lock`: time of the last logged write */
    int64_t replayed_end;      /* under `lock`: end of what replay has written */
    int64_t replayed_at;       /* under `lock`: time at which the tree last forgot something that is in the file; ns */
    struct lbio_tree spell;    /* under `lock`, for the report: ranges logged since nothing was pending */
    int has_marker;            /* under `marking`, and changed under the store's lock */
    int is_said_closed;        /* the marker has its "closed"; under `marking` */
    struct lbio_marker marker; /* under `marking` */

    /* under the store's lock */
    int refs;                    /* descriptors, and calls in progress */
    int own;                     /* replay's descriptor; -1: none */
    struct lbio_opening opening; /* how it was opened */
    uint32_t number;             /* in the log; 0: not assigned */
    _Atomic(int64_t) pending;    /* logged writes that are not in the file yet */
    int is_writing;              /* a write is being logged */
    int is_logged;               /* since the last drain */
    struct lbio_left left;
    int is_counted;                   /* among the logged files */
    int is_kept;                      /* has a reference until the process ends */
    int in_flight;                    /* replay is writing to it */
    int is_paused;                    /* replay leaves it alone */
    int drains;                       /* callers waiting for it */
    int is_due;                       /* other processes may wait for it */
    int64_t spell_begun, spell_ended; /* ns since 1970 */
    atomic_int direct;                /* enum lbio_reason */
    atomic_int is_shared;             /* another process has it open: it will be direct */
    int must_sync;
    int error;         /* of replay; cleared when nothing is pending */
    int is_stopped;    /* replay has given up on it for now */
    int64_t failed_at; /* time of the failure, after which it is retried */
    unsigned failures;

    int has_failed, is_sent; /* in the current batch; used by replay only */
};

struct lbio_entry {
    struct lbio_file *file; /* NULL: done */
    int64_t off, len, pos;
    struct lbio_segment *segment;
    uint64_t first_number, writes; /* of its consecutive records */
    int is_picked;
};

struct lbio_store {
    const struct lbio_options *options;
    pthread_mutex_t lock;
    pthread_cond_t work, progress;
    struct lbio_file *bucket[LBIO_BUCKETS], *unused;
    atomic_int files;
    _Atomic(int64_t) released_at; /* time at which a file was last removed from the table; ns */
    struct lbio_log log;
    int log_failed; /* no log, now or later */
    int is_ended;

    struct lbio_entry *entry; /* queue in log order */
    size_t first, end, room;
    int64_t pending_bytes, oldest; /* not done; time the oldest was logged */
    int pressed;                   /* writers waiting for space */
    int drains;                    /* callers waiting for one or all files */
    int writers;                   /* threads about to log something */
    int is_due;                    /* pending data of any file */

    pthread_t thread;
    int has_thread, quits, has_quit, is_replaying;
    char *buffer; /* replay's */
    int64_t buffer_size;
    int markers;         /* number of markers */
    uint64_t handed_out; /* times that other processes may have got descriptors of ours, and their offsets */
    struct lbio_counts counts;
    struct lbio_counts reported, given; /* the counts when the report was written, and when lbio_figures was called */
    struct lbio_report report;
    struct lbio_token token; /* replay's, not shared */
    int64_t token_bytes;     /* replayed since it was granted */
};

extern struct lbio_store lbio__store __attribute__((visibility("hidden")));

/* Makes room for one more entry. 0: no memory. Call with the store's lock held. */
int lbio__queue_reserve(void);

/* Appends a logged write. Call with the lock held. */
void lbio__queue_push(const struct lbio_entry *e);

/* Whether replay can write anything logged up to record `number`. Call with the lock held. */
int lbio__replay_can_move(uint64_t number);

/* Waits until something was replayed, or for some time; without a replay thread, replays here. Call with the lock held,
 * which is released meanwhile. */
void lbio__replay_wait(void);

/* Starts the thread if necessary, and wakes it. Call with the lock held. */
void lbio__replay_wake(void);

/* Ends the thread and waits for it. */
void lbio__replay_end(void);

/* Adds the ranges written since nothing was pending to the report. Call with the store's lock and the file's (or the
 * last reference to it) held. */
void lbio__spell_end(struct lbio_file *f);

/* Whether the descriptor is one of this file: applications that close all descriptors close ours, too. */
int lbio__file_is_at(const struct lbio_file *f, int fd);

/* Removes the marker of a file without pending data. Call without locks. */
void lbio__unmark(struct lbio_file *f);

/* The same for all files that have not been used for some time. Call without locks. */
void lbio__unmark_idle(void);

/* The rank of the process; -1: unknown. */
int lbio__rank_number(void);

/* 0: no memory */
int lbio__file_set_path(struct lbio_file *f, const char *path);

/* Counts the file, which is not logged from now on. Call with the lock held. */
void lbio__file_direct(struct lbio_file *f, enum lbio_reason why);

/* Whether other processes have the file open. Then it must not be logged any more. */
int lbio__file_is_shared(struct lbio_file *f);

/* Replay is about to write to the file, beginning with these bytes. Call with the file's lock held, so that no other data
 * replaces them before. */
void lbio__file_sending(struct lbio_file *f, const struct lbio_extent *first);

/* This process has written to the file or truncated it, or finds it without pending data: recovery must find it so. Call
 * without locks; replay does not write to it meanwhile. */
void lbio__file_left(struct lbio_file *f);

/* From here on other processes may overwrite what has been logged. Call with the lock held. Returns 0 or an errno. */
int lbio__file_log_drained(struct lbio_file *f);

/* Closes what lbio__file_release returned. */
void lbio__close_own(int own);

/* Frees a file that is not open and has no pending data. Call with the lock held. Returns a descriptor to be closed
 * after releasing the lock, or -1. */
int lbio__file_release(struct lbio_file *f);

#endif
