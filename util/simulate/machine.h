/* machine.h - today's machine: nodes with a page cache and a burst buffer, one file system for all
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A discrete-event simulation. The processes of a run issue their operations one after another, with the times between
 * them that they had; operations that overlapped are issued as far apart as they were. How long an operation takes is the
 * model's:
 *
 *     file system     alone a request of n bytes takes latency + n * byte seconds; with k requests in service each takes
 *                     1 + crowd * (k - 1) times as long (processor sharing: crowd 0 is a file system that nobody ever
 *                     fills, 1 one that a single request does). A node's link to it, if it has a rate, is shared equally
 *                     by its requests; a request is done when both are done with it.
 *     burst buffer    of a node: its requests share its rate equally. What is written to it drains to the file system at
 *                     its drain rate, as a fluid, from the moment it is there; when it is full, writes go on at the
 *                     drain rate. A node that drains is one request more in the file system. The bytes that were
 *                     last written (or staged in) are read from it, by the node that wrote them.
 *     page cache      of a node, see pages.h: hits take the time to copy them. With write-back, writes are done when they
 *                     are copied; dirty blocks are written from the background limit on, or when they expire, and a
 *                     writer waits while there are more than the limit.
 *
 * Each is optional but the file system. Source of the kind of model: Lazowska et al., "Quantitative System Performance"
 * (1984), ch. 6 and 9; of burst buffers as leaky buckets: Liu et al., "On the role of burst buffers in leadership-class
 * storage systems", MSST '12. Private to util/simulate. */
#ifndef DSN_SIMULATE_MACHINE_H
#define DSN_SIMULATE_MACHINE_H

#include "policy.h"
#include "shape.h"

struct dsn_file_system {
    double latency[2], byte[2], crowd[2]; /* of reads, of writes */
    double link;                          /* bytes a second of a node; 0: any */
};

struct dsn_page_cache {
    double size; /* bytes of a node; 0: there is none that the run knows of */
    const struct dsn_policy *policy;
    double ahead; /* bytes: limit of the read-ahead window; 0: none */
    int write_back;
    int reads_only;           /* what is written does not come in: room for read-ahead, not a cache */
    double background, limit; /* shares of the cache that may be dirty: until it is written, until a writer waits */
    double expiry;            /* seconds */
    double latency, byte;     /* of a hit: seconds a request, a byte */
};

struct dsn_burst_buffer {
    double rate;       /* bytes a second of a node; 0: there is none */
    double size;       /* bytes of a node; may be infinite */
    double drain;      /* bytes a second of a node; 0: not before the run ends */
    double latency[2]; /* seconds a request, of reads, of writes */
    int stage_in;      /* what is read and was not written by the run is there at first, as far as there is room */
};

struct dsn_machine {
    struct dsn_file_system fs;
    struct dsn_page_cache cache;
    struct dsn_burst_buffer buffer;
    const double *transfer;      /* by file: of the time that moves its bytes in the file system; NULL: as they are */
    double write_back;           /* the same of what caches write back, of whatever file; 0: as they are */
    const unsigned char *pinned; /* by file: it is in the burst buffer all the time and takes no room; NULL: none is */
    double block;                /* bytes of a block of the caches, a power of two */
    int coupled;                 /* processes wait for each other at the end of each burst */
    int record;                  /* what flows into the burst buffers, for dsn_machine_drain() */
};

/* What flowed into a node's burst buffer: bytes so far at some moments, between which it was even. */
struct dsn_inflow {
    struct dsn_inflow_point {
        double time, bytes;
    } * point;
    size_t n, room;
};

struct dsn_outcome {
    double elapsed;   /* seconds from the first operation to the end of the last */
    double visible;   /* in I/O: of the process that has most; coupled: of each burst that of who has most */
    double seconds;   /* in I/O, of all processes */
    double moving[2]; /* durations of reads, writes */
    double stalled;   /* writing at the drain rate, of all nodes */
    double peak;      /* most bytes that a burst buffer had not drained */
    double left;      /* bytes not drained, or dirty, at the end, of all nodes */
    double draining;  /* seconds that the node with most of them needs for that */
    double fs_bytes[2], fs_requests[2]; /* moved by the file system, drained ones not included */
    double buffer_bytes[2];
    double drained;
    uint64_t hits, misses; /* blocks read */
    uint64_t events;
    struct dsn_inflow *inflow; /* of each node, if it was to be recorded */
    uint32_t nnodes;
    int failed; /* there was not enough memory */
};

/* Runs the load. Returns 0 if there is no memory; `out` is to be freed in any case. */
int dsn_machine_run(const struct dsn_load *load, const struct dsn_shape *shape, const struct dsn_machine *m,
                    struct dsn_outcome *out);
void dsn_outcome_free(struct dsn_outcome *out);

/* The lowest drain rate of a node at which no burst buffer of `size` would have been full, by what flowed into them. */
double dsn_machine_drain(const struct dsn_outcome *out, double size);

/* The block size for the caches: the smallest of 4 KiB and up with which a run uses blocks not more than `most` times. */
uint64_t dsn_machine_block(const struct dsn_load *load, uint64_t most);

/* Keys of blocks: of each file that of its first one. NULL: there is no memory, or files are too large together. To be
 * freed. */
uint64_t *dsn_machine_keys(const struct dsn_load *load, uint64_t block);

#endif
