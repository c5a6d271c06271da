/* parts.h - what the parts of libdarshan-sched share
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SCHED_PARTS_H
#define DSN_SCHED_PARTS_H

#include <aio.h>

#include "util/sched/sched.h"

#define DSN_SCHED_NBUFFERS 2

/* A buffer, and the read into it. */
struct dsn_buffer {
    char *data;
    int64_t block; /* -1: nothing is being read into it */
    int64_t bytes; /* that are asked for; with a shared pointer, the most */
    int64_t got;   /* -1: not known yet */
    double not_before;
    MPI_Request request;
    struct aiocb aio;
};

struct darshan_sched {
    MPI_Comm comm;
    int rank, ranks, workers;
    struct darshan_sched_plan plan;
    int64_t blocks;
    const struct dsn_access *access;
    const struct dsn_assignment *assignment;
    struct dsn_buffer buffer[DSN_SCHED_NBUFFERS];
    int nbuffers, current;
    int has_begun, has_failed;
    int has_all; /* there is no further block for this process */
    int64_t cycle;
    MPI_File file;
    int fd;
    char *scratch; /* what is broadcast and another's */
    MPI_Win window;
    int64_t *counter;
    struct darshan_sched_counts counts;
    char error[256];
};

/* A way to read. */
struct dsn_access {
    const char *name;
    int is_mpi, is_collective, is_unnumbered;
    int (*start)(struct darshan_sched *s);                        /* behind opening; NULL: nothing */
    int (*begin)(struct darshan_sched *s, struct dsn_buffer *b);  /* b->block, b->bytes, into b->data */
    int (*finish)(struct darshan_sched *s, struct dsn_buffer *b); /* sets b->got; NULL: begin() has done it */
};

/* A way to say whose the next block is. */
struct dsn_assignment {
    const char *name;
    int has_master;
    int (*start)(struct darshan_sched *s);
    int64_t (*next)(struct darshan_sched *s); /* a number from blocks on: no more */
    void (*leave)(struct darshan_sched *s);   /* before all blocks are read */
    void (*serve)(struct darshan_sched *s);   /* by the master */
    void (*end)(struct darshan_sched *s);
};

const struct dsn_access *dsn_sched_access(unsigned mode);
const struct dsn_assignment *dsn_sched_assignment(unsigned how);

/* Bytes of the block with that number. */
int64_t dsn_sched_bytes(const struct darshan_sched *s, int64_t block);

/* Where it begins in the file. */
int64_t dsn_sched_place(const struct darshan_sched *s, int64_t block);

/* Keeps the first sentence. Returns 0. */
int dsn_sched_fail(struct darshan_sched *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* 1 if rc is MPI_SUCCESS; else what it is, in the error. */
int dsn_sched_mpi(struct darshan_sched *s, int rc, const char *what);

/* Lets others have the processor; `*looks`, at first 0, tells how often that has been done. */
void dsn_sched_rest(unsigned *looks);

#endif
