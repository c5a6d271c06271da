/* watch.h - samples the instrumented processes on this node
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process's activity is the difference between two samples of its survival file. The process itself is not disturbed:
 * no lock, no signal. Access is that to the file: its owner and root. Links are not followed, nothing is written, and
 * the amount of data read is bounded. */
#ifndef DSN_TOP_WATCH_H
#define DSN_TOP_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "survive/salvage.h"
#include "top/counts.h"

/* What happened to a process between two samples; as text: dsn__top_event. */
enum dsn_top_event { DSN_TOP_RUNS, DSN_TOP_BEGAN, DSN_TOP_ENDING, DSN_TOP_ENDED, DSN_TOP_KILLED, DSN_TOP_EXECUTED };

/* A record's values, their rates, and when it was last read consistently. */
struct dsn_top_flow {
    struct dsn_top_record now;
    double rate[DSN_TOP_NCOUNTS]; /* per second */
    int64_t at;                   /* ns, dsn__now() */
};

/* A process between two execs, each of which starts counting from 0. */
struct dsn_top_process {
    dev_t device;
    ino_t inode;
    int64_t created;
    uid_t uid;
    char user[33], program[DSN_PROGRAM_MAX + 1];
    int64_t pid, rank, jobid;
    uint64_t key; /* of its process tree: ranks of one job have the same */
    enum dsn_top_event event;
    int looks, is_seen, is_incomplete;
    int is_awaited; /* its file is gone, but it runs: it may be between two programs */
    int64_t at;     /* ns, dsn__now() of the last sample */
    struct dsn_salvage salvage;
    struct dsn_top_record *records;
    size_t records_room;
    struct dsn_top_flow *flow; /* by file, in the order of `records` */
    int64_t nflow;
    double beside[DSN_TOP_NCOUNTS], beside_rate[DSN_TOP_NCOUNTS];
};

struct dsn_top_watch {
    /* selection, set by the caller */
    const char *base[2]; /* directories with subdirectories of users; NULL: none */
    uid_t uid;
    int64_t job, pid; /* only these; 0: any */

    int looks;
    int64_t at, interval; /* ns: time of the last sample, and interval before it */
    struct dsn_top_process **process;
    size_t n, room;
    struct dsn_top_past {
        int64_t pid, rank, jobid;
        char user[33], program[DSN_PROGRAM_MAX + 1];
        enum dsn_top_event event;
    } * past; /* processes that ended, or exec'ed, in this sample */
    size_t npast, past_room;
    /* running processes whose files could not be read in this sample; files of another release */
    size_t unreadable, foreign;
    size_t left; /* bytes that may still be read in this sample */
};

/* Call once per process before the first sample, so that truncation of a file being read is harmless. */
void dsn__top_watch_start(void);

/* Samples all processes. 0: no memory. */
int dsn__top_watch_look(struct dsn_top_watch *w);
void dsn__top_watch_end(struct dsn_top_watch *w);

/* The user's name, or the uid. */
void dsn__top_user_name(uid_t uid, char name[33]);

const char *dsn__top_event(enum dsn_top_event event);

#endif
