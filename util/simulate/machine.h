/* machine.h - model of a current machine: nodes with a page cache and a burst buffer, and a shared file system
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A discrete-event simulation. Each process of a run issues its operations sequentially, separated by the same times as
 * in the trace; overlapping operations are issued at the same intervals. Their durations are determined by the model:
 *
 *     file system     a single request of n bytes takes latency + n * byte seconds; with k requests in service each takes
 *                     1 + crowd * (k - 1) times as long (processor sharing: a file system with crowd 0 is
 *                     never saturated, one with crowd 1 is by a single request). A node's link to it, if it has a rate,
 *                     is shared equally by its requests; a request ends when both have completed it.
 *     burst buffer    of a node: requests share its rate equally. Data written to it drains to the file system at the
 *                     drain rate, as a fluid, from the moment it arrives; when it is full, writes continue at the drain
 *                     rate. A draining node counts as one more request in the file system. The bytes written (or staged
 *                     in) last are read from it, by the node that wrote them.
 *     page cache      of a node, see pages.h: hits take the time of a memory copy. With write-back, writes end when
 *                     copied; dirty blocks are written from the background limit on, or when they expire, and
 *                     a writer waits while there are more than the limit.
 *
 * All are optional except the file system. Source of this kind of model: Lazowska et al., "Quantitative System
 * Performance" (1984), ch. 6 and 9; of burst buffers as leaky buckets: Liu et al., "On the role of burst buffers in
 * leadership-class storage systems", MSST '12. Private to util/simulate. */
#ifndef DSN_SIMULATE_MACHINE_H
#define DSN_SIMULATE_MACHINE_H

#include "policy.h"
#include "shape.h"

struct dsn_file_system {
    double latency[2], byte[2], crowd[2]; /* of reads, of writes */
    double link;                          /* bytes per second of a node; 0: unlimited */
};

struct dsn_page_cache {
    double size; /* bytes per node; 0: no cache is known */
    const struct dsn_policy *policy;
    double ahead; /* bytes: limit of the read-ahead window; 0: none */
    int write_back;
    int reads_only;           /* written data does not enter: a buffer for read-ahead, not a cache */
    double background, limit; /* dirty share of the cache from which on blocks are written, writers wait */
    double expiry;            /* seconds */
    double latency, byte;     /* of a hit: seconds per request, per byte */
};

struct dsn_burst_buffer {
    double rate;       /* bytes per second of a node; 0: none */
    double size;       /* bytes per node; may be infinite */
    double drain;      /* bytes per second of a node; 0: only after the run */
    double latency[2]; /* seconds per request, of reads, of writes */
    int stage_in;      /* data that is read, but not written by the run is there initially, as far as it fits */
};

struct dsn_machine {
    struct dsn_file_system fs;
    struct dsn_page_cache cache;
    struct dsn_burst_buffer buffer;
    const double *transfer;      /* per file: factor of its transfer time in the file system; NULL: 1 */
    double write_back;           /* the same for write-back by caches, of any file; 0: 1 */
    const unsigned char *pinned; /* per file: always in the burst buffer, without taking space; NULL: none */
    double block;                /* bytes per block of the caches, a power of two */
    int coupled;                 /* processes wait for each other at the end of each burst */
    int record;                  /* the inflow to the burst buffers, for dsn_machine_drain() */
};

/* Inflow to a node's burst buffer: cumulative bytes at some times, linear in between. */
struct dsn_inflow {
    struct dsn_inflow_point {
        double time, bytes;
    } * point;
    size_t n, room;
};

struct dsn_outcome {
    double elapsed;                     /* seconds from the start of the first operation to the end of the last */
    double visible;                     /* in I/O: maximum over processes; coupled: sum over bursts of the maximum */
    double seconds;                     /* in I/O, of all processes */
    double moving[2];                   /* durations of reads, writes */
    double stalled;                     /* writing at the drain rate, of all nodes */
    double peak;                        /* maximum of undrained bytes in a burst buffer */
    double left;                        /* bytes undrained, or dirty, at the end, of all nodes */
    double draining;                    /* seconds that the slowest node needs for these */
    double fs_bytes[2], fs_requests[2]; /* moved by the file system, not including drains */
    double buffer_bytes[2];
    double drained;
    uint64_t hits, misses; /* blocks read */
    uint64_t events;
    struct dsn_inflow *inflow; /* per node, if it was recorded */
    uint32_t nnodes;
    int failed; /* out of memory */
};

/* Simulates the load. Returns 0 if out of memory; free `out` in any case. */
int dsn_machine_run(const struct dsn_load *load, const struct dsn_shape *shape, const struct dsn_machine *m,
                    struct dsn_outcome *out);
void dsn_outcome_free(struct dsn_outcome *out);

/* The lowest drain rate per node at which no burst buffer of `size` would have been full, from the recorded inflow. */
double dsn_machine_drain(const struct dsn_outcome *out, double size);

/* The block size for the caches: the smallest, from 4 KiB on, with at most `most` block uses in the run. */
uint64_t dsn_machine_block(const struct dsn_load *load, uint64_t most);

/* Keys of each file's first block. NULL: no memory, or files are too large in total. The caller frees them. */
uint64_t *dsn_machine_keys(const struct dsn_load *load, uint64_t block);

#endif
