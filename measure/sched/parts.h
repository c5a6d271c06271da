/* parts.h - shared by the parts of libdarshan-sched
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SCHED_PARTS_H
#define DSN_SCHED_PARTS_H

#include <aio.h>

#include "measure/sched/sched.h"

#define DSN_SCHED_NBUFFERS 2

/* A buffer, and the read into it. */
struct dsn_buffer {
    char *data;
    int64_t block; /* -1: not in use */
    int64_t bytes; /* requested; with a shared file pointer, the maximum */
    int64_t got;   /* -1: unknown */
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
    int has_all; /* no more blocks for this process */
    int64_t cycle;
    MPI_File file;
    int fd;
    char *scratch; /* for broadcast blocks of other processes */
    MPI_Win window;
    int64_t *counter;
    struct darshan_sched_counts counts;
    char error[256];
};

/* A way of reading. */
struct dsn_access {
    const char *name;
    int is_mpi, is_collective, is_unnumbered;
    int (*start)(struct darshan_sched *s);                        /* after opening; NULL: nothing */
    int (*begin)(struct darshan_sched *s, struct dsn_buffer *b);  /* b->block, b->bytes, into b->data */
    int (*finish)(struct darshan_sched *s, struct dsn_buffer *b); /* sets b->got; NULL: begin() has */
};

/* A way of assigning the next block. */
struct dsn_assignment {
    const char *name;
    int has_master;
    int (*start)(struct darshan_sched *s);
    int64_t (*next)(struct darshan_sched *s); /* any number >= blocks: no more */
    void (*leave)(struct darshan_sched *s);   /* before all blocks are read */
    void (*serve)(struct darshan_sched *s);   /* by the master */
    void (*end)(struct darshan_sched *s);
};

const struct dsn_access *dsn_sched_access(unsigned mode);
const struct dsn_assignment *dsn_sched_assignment(unsigned how);

/* Length of a block in bytes. */
int64_t dsn_sched_bytes(const struct darshan_sched *s, int64_t block);

/* Its offset in the file. */
int64_t dsn_sched_place(const struct darshan_sched *s, int64_t block);

/* Records the first error. Returns 0. */
int dsn_sched_fail(struct darshan_sched *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* 1 if rc is MPI_SUCCESS; otherwise records the error. */
int dsn_sched_mpi(struct darshan_sched *s, int rc, const char *what);

/* Yields the processor; `*looks`, initially 0, counts the calls. */
void dsn_sched_rest(unsigned *looks);

#endif
