/* sched.h - distributes blocks of a file over the processes of an MPI program, and reads them ahead
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file of fixed-size records is read in blocks of several records. Each process gets one block after another; while it
 * processes one, the next is read into a second buffer:
 *
 *     struct darshan_sched_plan plan = { .path = "rows", .record = 800, .records = 100000, .per_block = 80,
 *                                        .how = DARSHAN_SCHED_COUNTER, .mode = DARSHAN_SCHED_ASYNC };
 *     struct darshan_sched *s = darshan_sched_open(MPI_COMM_WORLD, &plan, error, sizeof error);
 *     while (darshan_sched_next(s, &block) > 0)
 *         work_on(block.data, block.first, block.count);
 *     darshan_sched_close(s, NULL);
 *
 * Open and close are collective, next is not. A process may have one open schedule per thread, and only that thread may
 * use it. Link with -ldarshan-sched. */
#ifndef DARSHAN_SCHED_H
#define DARSHAN_SCHED_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How blocks are assigned. The first block of a process is always that of its rank. */
enum darshan_sched_how {
    DARSHAN_SCHED_STATIC, /* block b belongs to rank b % P: no messages, no load balancing */
    DARSHAN_SCHED_MASTER, /* the last rank assigns blocks, and gets none itself: first come, first served */
    DARSHAN_SCHED_COUNTER /* the same without a master, by MPI_Fetch_and_op on a counter of rank 0 */
};
#define DARSHAN_SCHED_NHOWS 3

/* How blocks are read. The last four imply an assignment, and require DARSHAN_SCHED_STATIC. */
enum darshan_sched_mode {
    DARSHAN_SCHED_POSIX,      /* aio_read() */
    DARSHAN_SCHED_ASYNC,      /* MPI_File_iread_at() */
    DARSHAN_SCHED_ATOMIC,     /* the same with atomic mode set */
    DARSHAN_SCHED_SHARED,     /* MPI_File_read_shared(): first come, first served; the offset is unknown */
    DARSHAN_SCHED_COLLECTIVE, /* MPI_File_read_at_all(): all processes read at the same time, in the end some of them
                               * nothing */
    DARSHAN_SCHED_ORDERED,    /* MPI_File_read_ordered() */
    DARSHAN_SCHED_BROADCAST   /* rank 0 reads and broadcasts, each process keeps its own block */
};
#define DARSHAN_SCHED_NMODES 7

struct darshan_sched_plan {
    const char *path;
    int64_t begin, record; /* bytes: offset of the first record, and length of each */
    int64_t records;
    int64_t per_block; /* records; the last block may have fewer. A block is less than 2 GiB */
    enum darshan_sched_how how;
    enum darshan_sched_mode mode;
    int buffers; /* 2, or 0 for that: read one while the other is processed; 1: read, then process */
    /* NULL, or, to simulate a slow disk: called when a read starts; returns the MPI_Wtime() before which its data is
     * not returned */
    double (*not_before)(void *context, int64_t bytes);
    void *context;
};

struct darshan_sched;

struct darshan_sched_block {
    const void *data; /* until the next call of darshan_sched_next() or darshan_sched_close() */
    int64_t first;    /* index of its first record; -1 with DARSHAN_SCHED_SHARED, where the data has to contain it */
    int64_t count;    /* records */
};

/* Statistics of one process; to be summed over processes. */
struct darshan_sched_counts {
    int64_t blocks, bytes;
    int64_t calls;           /* reads, including those without any data */
    int64_t ready, go, stop; /* messages sent */
    int64_t fetches;         /* of the counter */
    double begin_seconds;    /* until the next block was known, and its read had started */
    double wait_seconds;     /* for data */
};

/* Returns NULL, in all processes, with a message in `error` if any of them fails. */
struct darshan_sched *darshan_sched_open(MPI_Comm comm, const struct darshan_sched_plan *plan, char *error,
                                         size_t room);

/* Returns 1 with a block, 0 at the end (for the master immediately, after it has served all others), -1 if a block
 * could not be read: see darshan_sched_error(); this process gets no more blocks. The others continue, but do not get
 * the blocks that this one had started. */
int darshan_sched_next(struct darshan_sched *s, struct darshan_sched_block *out);

const char *darshan_sched_error(const struct darshan_sched *s);

/* May be called before all blocks are read; `counts` may be NULL. */
void darshan_sched_close(struct darshan_sched *s, struct darshan_sched_counts *counts);

/* "static", "master", "counter"; "posix", "async", ... NULL after the last. */
const char *darshan_sched_how_name(unsigned how);
const char *darshan_sched_mode_name(unsigned mode);

/* Whether the mode supports the assignment. */
int darshan_sched_fits(enum darshan_sched_how how, enum darshan_sched_mode mode);

#ifdef __cplusplus
}
#endif

#endif
