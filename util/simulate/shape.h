/* shape.h - the structure of a run: overlapping operations of a process, and bursts of all processes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Overlapping operations of a process (threads, asynchronous I/O) are a group: the process is in I/O from the start of
 * the first to the end of the last. A burst ends when no process is in I/O for longer than a threshold, the geometric
 * mean of the two neighbours in the sorted gaps with the largest ratio, at least 1 ms.
 *
 * There are two kinds of visible I/O, because a trace does not show which processes wait for each other. Independent
 * ranks: the maximum over processes of the time in I/O. Coupled: the sum over bursts of the maximum in each, as if all
 * waited for each other at its end, as with collectives and barriers. Private to util/simulate. */
#ifndef DSN_SIMULATE_SHAPE_H
#define DSN_SIMULATE_SHAPE_H

#include "workload.h"

struct dsn_visible {
    double independent, coupled; /* seconds */
};

struct dsn_shape {
    uint32_t *burst;      /* of each operation of the load */
    unsigned char *opens; /* per operation: the first of a group */
    size_t nbursts;
    double *begins, *ends;      /* seconds; per burst */
    struct dsn_visible visible; /* as measured */
    double seconds;             /* in I/O, of all processes */
    double moving[2];           /* durations of all reads, writes */
    double begin, end;          /* of the first and the last operation */
    double fastest_burst[2];    /* bytes per second read, written in the fastest burst */
};

/* Returns 0 if out of memory. */
int dsn_shape_make(const struct dsn_load *load, struct dsn_shape *out);
void dsn_shape_free(struct dsn_shape *s);

#endif
