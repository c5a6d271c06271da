/* watch.h - the instrumented processes that run on this node, looked at again and again
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process does is the difference between two looks at its survival file. Nothing is asked of the process itself:
 * no lock, no signal. Who may look is who may open the file: its owner, and root. Links are not followed, nothing is
 * written, and what is read of all files has a bound. */
#ifndef DSN_TOP_WATCH_H
#define DSN_TOP_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "survive/salvage.h"
#include "top/counts.h"

/* What happened to a process between two looks; as text: dsn__top_event. */
enum dsn_top_event { DSN_TOP_RUNS, DSN_TOP_BEGAN, DSN_TOP_ENDING, DSN_TOP_ENDED, DSN_TOP_KILLED, DSN_TOP_EXECUTED };

/* A record's count, its rate since the look before, and when it was seen in a moment. */
struct dsn_top_flow {
    struct dsn_top_record now;
    double rate[DSN_TOP_NCOUNTS]; /* a second */
    int64_t at;                   /* ns of dsn__now() */
};

/* One life of a process: what it counts after an exec is another one. */
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
    int64_t at; /* ns of dsn__now() of the last look */
    struct dsn_salvage salvage;
    struct dsn_top_record *records;
    size_t records_room;
    struct dsn_top_flow *flow; /* by file, as records */
    int64_t nflow;
    double beside[DSN_TOP_NCOUNTS], beside_rate[DSN_TOP_NCOUNTS];
};

struct dsn_top_watch {
    /* what is looked at, set by the caller */
    const char *base[2]; /* directories in which users have theirs; NULL: none, or no second one */
    uid_t uid;
    int64_t job, pid; /* only these; 0: any */

    int looks;
    int64_t at, interval; /* ns: of the last look, and since the one before */
    struct dsn_top_process **process;
    size_t n, room;
    struct dsn_top_past {
        int64_t pid, rank, jobid;
        char user[33], program[DSN_PROGRAM_MAX + 1];
        enum dsn_top_event event;
    } * past; /* those that ended, or began another life, in this look */
    size_t npast, past_room;
    /* files in this look that could not be read: of processes that run; of another release */
    size_t unreadable, foreign;
    size_t left; /* bytes that may be read still, in this look */
};

/* Once in a process, before its first look: a file that is truncated while it is read ends nothing. */
void dsn__top_watch_start(void);

/* Looks at all of them. 0: there is no memory. */
int dsn__top_watch_look(struct dsn_top_watch *w);
void dsn__top_watch_end(struct dsn_top_watch *w);

/* The user's name, or number. */
void dsn__top_user_name(uid_t uid, char name[33]);

const char *dsn__top_event(enum dsn_top_event event);

#endif
