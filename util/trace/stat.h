/* stat.h - what a trace says about its programs: the figures of the seed study
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. */
#ifndef DSN_TRACE_STAT_H
#define DSN_TRACE_STAT_H

#include "trace.h"

/* What requests of a file are for, as far as the trace shows. */
enum dsn_trace_purpose {
    DSN_REQUIRED,   /* each byte once: input at the beginning, results at the end */
    DSN_REREAD,     /* read again and again, never written before */
    DSN_CHECKPOINT, /* written over again, never read back */
    DSN_SWAP,       /* written and read back: memory that is not there */
    DSN_NPURPOSES
};

/* Sums of requests; [0]: reads, [1]: writes. */
struct dsn_trace_sums {
    uint64_t ios[2], bytes[2];
    uint64_t time[2];                 /* ns until they were done */
    uint64_t sequential[2];           /* begin where the one before of its kind in this file ended */
    uint64_t same_size[2];            /* as long as the one before */
    uint64_t waits;                   /* that the process waited for: not asynchronous */
    uint64_t extent;                  /* bytes up to the last one touched; of several files their sum */
    uint64_t purposes[DSN_NPURPOSES]; /* bytes */
};

struct dsn_trace_process_sums {
    uint64_t id, cpu, begin, end; /* ns */
    char host[64];                /* "": not known */
    struct dsn_trace_sums sums;
};

struct dsn_trace_file_sums {
    uint64_t id, process; /* process: the first that used it */
    int shared;           /* by several processes */
    int device;
    const char *path; /* NULL: not known */
    struct dsn_trace_sums sums;
};

/* MiB/s and the like from these: bytes by bin. */
struct dsn_trace_series {
    double width; /* seconds of a bin */
    int of_cpu;   /* over the CPU time of the only process, else over time since the trace began */
    size_t n;
    double end; /* seconds: of the last request's beginning; on the border of two bins it is alone in its bin */
    const uint64_t (*bytes)[2];
};

struct dsn_trace_stat {
    uint64_t events, failed, others;   /* others: opens, closes and the like */
    uint64_t nowhere;                  /* requests without a place: pipes and such */
    uint64_t disk_requests, disk_time; /* that a disk was needed for; ns */
    struct dsn_trace_sums total;
    uint64_t cpu, begin, end; /* ns: of all processes; of the first and the last request */
    struct dsn_trace_process_sums *processes;
    size_t nprocesses;
    struct dsn_trace_file_sums *files; /* most requests first */
    size_t nfiles;
    struct dsn_trace_series series;
};

struct dsn_trace_counting;

/* NULL: there is no memory. */
struct dsn_trace_counting *dsn_trace_counting_new(void);
void dsn_trace_counting_free(struct dsn_trace_counting *c);

/* Returns 0 if there is no memory. */
int dsn_trace_count(struct dsn_trace_counting *c, const struct darshan_trace_event *e);

/* Of files of which at least `large` bytes were touched. Valid until `c` is freed; NULL: there is no memory. */
const struct dsn_trace_stat *dsn_trace_counted(struct dsn_trace_counting *c, uint64_t large);

/* "checkpoint" */
const char *dsn_trace_purpose_name(unsigned purpose);

#endif
