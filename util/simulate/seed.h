/* seed.h - the machine of the seed study: one processor, one cache, disks without a queue
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: E. L. Miller and R. H. Katz, "Input/Output Behavior of Supercomputing Applications", Supercomputing '91, and
 * Miller's report of 1990. Processes take turns on a processor in slices; between their requests they compute for the
 * CPU time that the trace says, and its wall times are ignored. All share a cache of blocks, of which the clean one that was
 * accessed longest ago is replaced; blocks on their way to or from disk stay. A read waits for what is missing, which
 * is fetched in whole blocks, a request a contiguous run. Read-ahead: a read at the beginning of a file, or where the process's
 * last one of it ended, also asks for as many bytes after it. A write goes to disk at once, and the process waits for
 * it, or, with write-behind, does not. Disks: 15 ms to get to another file, 2 ms within one, none to the next byte, then
 * 100 MB/s; requests overlap as they like. A large cache (SSD) costs the processor time for every byte that goes
 * through it. Private to util/simulate. */
#ifndef DSN_SIMULATE_SEED_H
#define DSN_SIMULATE_SEED_H

#include "workload.h"

struct dsn_seed_options {
    double cache;                 /* MiB */
    int64_t block;                /* bytes of a block */
    int write_behind, read_ahead; /* 0 or 1 */
    int ssd;                      /* the cache is a large one: 10 us and 1 us a KiB of each request */
    int queue;                    /* the disk serves one request at a time; the study's do not */
    double quantum;               /* seconds of a slice */
    double far, near;             /* seconds of positioning */
    double rate;                  /* bytes a second of the disks */
    double delay;                 /* writes stay in the cache so many seconds before they go to disk; 0: none */
    int64_t limit;                /* blocks of the cache that a process may have; 0: all */
    const unsigned char *warm;    /* by number of the trace: its files are in the cache at first; NULL: none is */
    int series;                   /* add up rates over time */
};

extern const struct dsn_seed_options dsn_seed_defaults;

/* Bytes in one second of wall time: asked for by the processes, and moved by the disks (when they are asked). */
struct dsn_seed_second {
    uint64_t asked[2], disk[2]; /* read, written */
};

struct dsn_seed_result {
    double elapsed, idle, system, user; /* seconds; the first is the sum of the others */
    double utilisation;                 /* 1 - idle/elapsed; 0 of nothing */
    uint64_t disk_reads, disk_writes;   /* requests */
    uint64_t hits, misses;              /* reads that had all blocks in the cache or on their way, and others */
    uint64_t read_ahead;                /* of the disk reads, those ahead */
    uint64_t asked_bytes[2], disk_bytes[2];
    double *finish; /* of each process, seconds */
    size_t nfinish;
    struct dsn_seed_second *seconds; /* NULL if they were not wanted */
    size_t nseconds;
    struct darshan_trace_error err;
};

/* Runs the job. Returns 0 with r->err if it cannot: a request has no room in the cache, or there is no memory. To be
 * freed in any case. */
int dsn_seed_run(const struct dsn_load *job, const struct dsn_seed_options *o, struct dsn_seed_result *r);
void dsn_seed_free(struct dsn_seed_result *r);

#endif
