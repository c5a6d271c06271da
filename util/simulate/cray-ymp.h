/* cray-ymp.h - the machine of the 1992 study: one processor, one cache, disks without a queue
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source: E. L. Miller and R. H. Katz, "Input/Output Behavior of Supercomputing Applications", Supercomputing '91, and
 * Miller's report of 1990. Processes share a processor round-robin; between requests they compute for the CPU time in
 * the trace, whose wall times are ignored. All share an LRU cache of blocks; only clean blocks are evicted, and none
 * that are being read or written. A read waits for missing blocks, which are fetched in one request per contiguous run.
 * Read-ahead: a read at the start of a file, or at the end of the process's last read of it, also requests as many
 * bytes following it. A write goes to disk immediately, and the process waits for it unless there is write-behind.
 * Disks: 15 ms to position to another file, 2 ms within a file, 0 for sequential access, then 100 MB/s; any number of
 * requests overlap. A large cache (SSD) costs processor time for every byte. Private to util/simulate. */
#ifndef DSN_SIMULATE_CRAY_YMP_H
#define DSN_SIMULATE_CRAY_YMP_H

#include "workload.h"

struct dsn_cray_ymp_options {
    double cache;                                  /* MiB */
    int64_t block;                                 /* bytes per block */
    int write_behind, read_ahead;                  /* 0 or 1 */
    int ssd;                                       /* a large cache (SSD): 10 us per request and 1 us per KiB */
    int queue;                                     /* the disk serves one request at a time, unlike the study's */
    double quantum;                                /* seconds of a time slice */
    double far, near;                              /* seconds of positioning */
    double rate;                                   /* bytes per second of the disks */
    double context_switch, file_system, interrupt; /* seconds of the processor: for another process, for each request,
                                                    * for each completion of the disks */
    double delay;              /* seconds that writes stay in the cache before they go to disk; 0: none */
    int64_t limit;             /* maximum blocks of the cache per process; 0: unlimited */
    const unsigned char *warm; /* by number of the trace: its files are in the cache initially; NULL: none */
    int series;                /* record rates over time */
};

extern const struct dsn_cray_ymp_options dsn_cray_ymp_defaults;

/* Bytes in a second of wall time: requested by processes, and requested from the disks. */
struct dsn_cray_ymp_second {
    uint64_t asked[2], disk[2]; /* read, written */
};

struct dsn_cray_ymp_result {
    double elapsed, idle, system, user; /* seconds; the first is the sum of the others */
    double utilisation;                 /* 1 - idle/elapsed; 0 if nothing elapsed */
    uint64_t disk_reads, disk_writes;   /* requests */
    uint64_t hits, misses;              /* reads with all blocks in the cache or being fetched, and others */
    uint64_t read_ahead;                /* of the disk reads, those by read-ahead */
    uint64_t asked_bytes[2], disk_bytes[2];
    double *finish; /* per process, seconds */
    size_t nfinish;
    struct dsn_cray_ymp_second *seconds; /* NULL if not requested */
    size_t nseconds;
    struct darshan_trace_error err;
};

/* Simulates the job. Returns 0 with r->err if it cannot: a request does not fit into the cache, or out of memory. Free
 * it in any case. */
int dsn_cray_ymp_run(const struct dsn_load *job, const struct dsn_cray_ymp_options *o, struct dsn_cray_ymp_result *r);
void dsn_cray_ymp_free(struct dsn_cray_ymp_result *r);

#endif
