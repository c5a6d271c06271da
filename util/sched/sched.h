/* sched.h - blocks of a file for the processes of an MPI program: who reads which, and reads while it works
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file of records of one size is read in blocks of some records. Each process takes block after block; while it works on
 * one the next is being read into a second buffer:
 *
 *     struct darshan_sched_plan plan = { .path = "rows", .record = 800, .records = 100000, .per_block = 80,
 *                                        .how = DARSHAN_SCHED_COUNTER, .mode = DARSHAN_SCHED_ASYNC };
 *     struct darshan_sched *s = darshan_sched_open(MPI_COMM_WORLD, &plan, error, sizeof error);
 *     while (darshan_sched_next(s, &block) > 0)
 *         work_on(block.data, block.first, block.count);
 *     darshan_sched_close(s, NULL);
 *
 * Open and close are called by all processes of the communicator, next by each as often as it likes. A process has one
 * schedule open per thread at most, and its functions are called by that thread. Link with -ldarshan-sched. */
#ifndef DARSHAN_SCHED_H
#define DARSHAN_SCHED_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who says which block is whose. The first block of a process is that of its own rank in any case. */
enum darshan_sched_how {
    DARSHAN_SCHED_STATIC, /* block b is that of rank b % P: no messages, no balance */
    DARSHAN_SCHED_MASTER, /* the last rank hands blocks out and gets none: whoever is ready is next */
    DARSHAN_SCHED_COUNTER /* the same without a master, by MPI_Fetch_and_op on a counter of rank 0 */
};
#define DARSHAN_SCHED_NHOWS 3

/* How blocks are read. The last four have a schedule in themselves, and take none but DARSHAN_SCHED_STATIC. */
enum darshan_sched_mode {
    DARSHAN_SCHED_POSIX,      /* aio_read() */
    DARSHAN_SCHED_ASYNC,      /* MPI_File_iread_at() */
    DARSHAN_SCHED_ATOMIC,     /* the same in a file with atomicity on */
    DARSHAN_SCHED_SHARED,     /* MPI_File_read_shared(): a ready process reads on; the offset it reads is unknown */
    DARSHAN_SCHED_COLLECTIVE, /* MPI_File_read_at_all(): all read at the same time, at the end some of them nothing */
    DARSHAN_SCHED_ORDERED,    /* MPI_File_read_ordered() */
    DARSHAN_SCHED_BROADCAST   /* rank 0 reads, all get all, each keeps what is its */
};
#define DARSHAN_SCHED_NMODES 7

struct darshan_sched_plan {
    const char *path;
    int64_t begin, record; /* bytes: where the first record begins, and how long each is */
    int64_t records;
    int64_t per_block; /* records; the last block may have fewer. A block has less than 2 GiB */
    enum darshan_sched_how how;
    enum darshan_sched_mode mode;
    int buffers; /* 2, or 0 for that: one is read while the other is worked on; 1: read, then work */
    /* NULL, or, to imitate a slow disk: called when a read begins; says before which MPI_Wtime() its data are not
     * given */
    double (*not_before)(void *context, int64_t bytes);
    void *context;
};

struct darshan_sched;

struct darshan_sched_block {
    const void *data; /* until the next call of darshan_sched_next() or darshan_sched_close() */
    int64_t first;    /* number of its first record; -1: with DARSHAN_SCHED_SHARED the data have to say it themselves */
    int64_t count;    /* records */
};

/* What one process has done. Sums over all tell of a run. */
struct darshan_sched_counts {
    int64_t blocks, bytes;
    int64_t calls;           /* that read, those included that had nothing to read */
    int64_t ready, go, stop; /* messages sent */
    int64_t fetches;         /* of the counter */
    double begin_seconds;    /* until it knew which block is next, and until its read had begun */
    double wait_seconds;     /* for data */
};

/* Returns NULL, in all processes, with a sentence in `error` if any of them cannot. */
struct darshan_sched *darshan_sched_open(MPI_Comm comm, const struct darshan_sched_plan *plan, char *error,
                                         size_t room);

/* Returns 1 with a block, 0 when there are no more (at once for the master, when it has served all others), -1 if a
 * block could not be read: darshan_sched_error() says why, and no more blocks come to this process. The others read on,
 * but not what this one had begun. */
int darshan_sched_next(struct darshan_sched *s, struct darshan_sched_block *out);

const char *darshan_sched_error(const struct darshan_sched *s);

/* May be called before all blocks are read; `counts` may be NULL. */
void darshan_sched_close(struct darshan_sched *s, struct darshan_sched_counts *counts);

/* "static", "master", "counter"; "posix", "async", ... NULL beyond the last. */
const char *darshan_sched_how_name(unsigned how);
const char *darshan_sched_mode_name(unsigned mode);

/* 1 if blocks that are read in this mode can be assigned so. */
int darshan_sched_fits(enum darshan_sched_how how, enum darshan_sched_mode mode);

#ifdef __cplusplus
}
#endif

#endif
