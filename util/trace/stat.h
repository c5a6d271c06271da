/* stat.h - statistics of a trace: the figures of Miller's study
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. */
#ifndef DSN_TRACE_STAT_H
#define DSN_TRACE_STAT_H

#include "trace.h"

/* Purpose of a file's requests, as far as the trace shows. */
enum dsn_trace_purpose {
    DSN_REQUIRED,   /* each byte once: input at the start, results at the end */
    DSN_REREAD,     /* read repeatedly, never written before */
    DSN_CHECKPOINT, /* overwritten, never read back */
    DSN_SWAP,       /* written and read back: memory that the program lacks */
    DSN_NPURPOSES
};

/* Sums of requests; [0]: reads, [1]: writes. */
struct dsn_trace_sums {
    uint64_t ios[2], bytes[2];
    uint64_t time[2];                 /* ns, total duration */
    uint64_t sequential[2];           /* start where the previous one of its kind in this file ended */
    uint64_t same_size[2];            /* same length as the previous one */
    uint64_t waits;                   /* that the process waited for: not asynchronous */
    uint64_t extent;                  /* offset after the last byte accessed; of several files the sum */
    uint64_t purposes[DSN_NPURPOSES]; /* bytes */
};

struct dsn_trace_process_sums {
    uint64_t id, cpu, begin, end; /* ns */
    char host[64];                /* "": unknown */
    struct dsn_trace_sums sums;
};

struct dsn_trace_file_sums {
    uint64_t id, process; /* process: the first that accessed it */
    int shared;           /* by several processes */
    int device;
    const char *path; /* NULL: unknown */
    struct dsn_trace_sums sums;
};

/* Bytes per bin, for rates over time. */
struct dsn_trace_series {
    double width; /* width of a bin in seconds */
    int of_cpu;   /* over the CPU time of a single process, otherwise over the time since the trace began */
    size_t n;
    double end; /* seconds: start of the last request; if it is the border of two bins, its bin contains nothing else */
    const uint64_t (*bytes)[2];
};

struct dsn_trace_stat {
    uint64_t events, failed, others;   /* others: opens, closes etc. */
    uint64_t nowhere;                  /* requests without an offset: pipes etc. */
    uint64_t disk_requests, disk_time; /* requests that accessed a disk; ns */
    struct dsn_trace_sums total;
    uint64_t cpu, begin, end; /* ns: sum over processes; first and last request */
    struct dsn_trace_process_sums *processes;
    size_t nprocesses;
    struct dsn_trace_file_sums *files; /* descending by requests */
    size_t nfiles;
    struct dsn_trace_series series;
};

struct dsn_trace_counting;

/* NULL: no memory. */
struct dsn_trace_counting *dsn_trace_counting_new(void);
void dsn_trace_counting_free(struct dsn_trace_counting *c);

/* Returns 0 if out of memory. */
int dsn_trace_count(struct dsn_trace_counting *c, const struct darshan_trace_event *e);

/* Includes the files of which at least `large` bytes were accessed. Valid until `c` is freed; NULL: no memory. */
const struct dsn_trace_stat *dsn_trace_counted(struct dsn_trace_counting *c, uint64_t large);

/* "checkpoint" */
const char *dsn_trace_purpose_name(unsigned purpose);

#endif
