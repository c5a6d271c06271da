/* state.h - what the files of the store share; for store.c and replay.c
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks, in the order in which they are taken: a file's `gate` (one thread of the application at a time), its `lock` (the
 * tree), `marking`, the store's `lock` (all else). Replay takes no gate: whoever waits for it holds one. */
#ifndef LBIO_STATE_H
#define LBIO_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "lbio/counts.h"
#include "lbio/log.h"
#include "lbio/options.h"
#include "lbio/plan.h"
#include "lbio/report.h"
#include "lbio/token.h"
#include "lbio/tree.h"

#define LBIO_BUCKETS 1024

struct lbio_file {
    struct lbio_file *next; /* of its bucket, or unused */
    uint64_t dev, ino;
    char *path, short_path[168];
    pthread_mutex_t gate, lock, marking;
    struct lbio_tree tree;   /* under `lock` */
    struct timespec written; /* under `lock`: time of the last write that was logged */
    struct lbio_tree spell;  /* under `lock`, for the report: what was logged since nothing was pending */
    int has_marker;          /* under `marking` */
    int is_said_closed;      /* in the marker; under `marking` */

    /* under the store's lock */
    int refs;                         /* descriptors, and calls that are under way */
    int own;                          /* descriptor of replay; -1: none */
    uint32_t number;                  /* in the log; 0: none yet */
    _Atomic(int64_t) pending;         /* logged writes that are not in the file */
    int is_writing;                   /* one is being logged */
    int is_logged;                    /* since it was last drained */
    int in_flight;                    /* replay is at it */
    int is_paused;                    /* replay stays away from it */
    int drains;                       /* callers that wait for it */
    int is_due;                       /* others may wait for it */
    int64_t spell_begun, spell_ended; /* ns since 1970 */
    atomic_int is_direct;
    int must_sync;
    int error;         /* that replay met; until nothing is pending */
    int is_stopped;    /* replay does not go on with it for now */
    int64_t failed_at; /* when: it is tried again some time later */
    unsigned failures;

    int has_failed; /* in this batch; replay's own */
};

struct lbio_entry {
    struct lbio_file *file; /* NULL: done */
    int64_t off, len, pos;
    struct lbio_segment *segment;
    uint64_t first_number, writes; /* of its records, which follow each other */
    int is_picked;
};

struct lbio_store {
    const struct lbio_options *options;
    pthread_mutex_t lock;
    pthread_cond_t work, progress;
    struct lbio_file *bucket[LBIO_BUCKETS], *unused;
    atomic_int files;
    struct lbio_log log;
    int log_failed; /* there is none, and there will be none */
    int is_ended;

    struct lbio_entry *entry; /* a queue, in the order of the log */
    size_t first, end, room;
    int64_t pending_bytes, oldest; /* not done; when the oldest was logged */
    int pressed;                   /* writers that wait for room */
    int drains;                    /* callers that wait for all or one */
    int writers;                   /* that are about to log something */
    int is_due;                    /* something that is pending */

    pthread_t thread;
    int has_thread, quits, has_quit, is_replaying;
    char *buffer; /* of replay */
    int64_t buffer_size;
    int markers; /* that stand beside files */
    struct lbio_counts counts;
    struct lbio_report report;
    struct lbio_token token; /* of replay, which alone touches it */
    int64_t token_bytes;     /* replayed since it was granted */
};

extern struct lbio_store lbio__store __attribute__((visibility("hidden")));

/* Room for one more write. 0: there is no memory. The store's lock is held. */
int lbio__queue_reserve(void);

/* A write that has been logged. The lock is held. */
void lbio__queue_push(const struct lbio_entry *e);

/* Whether replay could bring any of what was logged up to record `number` to a file. The lock is held. */
int lbio__replay_can_move(uint64_t number);

/* Waits until something has been replayed, or some time has gone by; where there is no thread it is done here. The lock
 * is held before and after, not meanwhile. */
void lbio__replay_wait(void);

/* Starts the thread if there is none, and has it look for work. The lock is held. */
void lbio__replay_wake(void);

/* Ends the thread; nothing is under way afterwards. */
void lbio__replay_end(void);

/* What was written of the file since nothing of it was pending goes into the report. Its lock, or the last reference to
 * it, is held, and the store's lock. */
void lbio__spell_end(struct lbio_file *f);

/* The marker of a file goes, if nothing of it is pending. No lock is held. */
void lbio__unmark(struct lbio_file *f);

/* Those of all files that have been left alone for some time. No lock is held. */
void lbio__unmark_idle(void);

/* Forgets a file that nobody has open and of which nothing is pending. The lock is held. Returns the descriptor that is
 * to be closed when it is not held any more, or -1. */
int lbio__file_release(struct lbio_file *f);

#endif
