/* shape.h - the shape of a run as it was: which operations of a process overlap, and the bursts of all processes together
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process's operations that overlap (threads, asynchronous I/O) are a group: the process is in I/O from the beginning of
 * the first to the end of the last. A burst ends where no process is in I/O for longer than a threshold: that which parts
 * the gaps best, the geometric mean of the two neighbours among the sorted gaps that are farthest apart, not below 1 ms.
 *
 * Visible I/O is said in two ways, for a trace does not tell who waits for whom. Ranks independent: the time in I/O of the
 * process that has most. Coupled: of each burst that of the process that has most in it, summed up, as if all waited for
 * each other at its end, which collectives and barriers make them do. Private to util/simulate. */
#ifndef DSN_SIMULATE_SHAPE_H
#define DSN_SIMULATE_SHAPE_H

#include "workload.h"

struct dsn_visible {
    double independent, coupled; /* seconds */
};

struct dsn_shape {
    uint32_t *burst;      /* of each operation of the load */
    unsigned char *opens; /* of each operation: it is the first of a group */
    size_t nbursts;
    double *begins, *ends;      /* seconds; of each burst */
    struct dsn_visible visible; /* as measured */
    double seconds;             /* in I/O, of all processes */
    double moving[2];           /* durations of all reads, writes */
    double begin, end;          /* of the first and the last operation */
    double fastest_burst[2];    /* bytes a second read, written in the burst where it was most */
};

/* Returns 0 if there is no memory. */
int dsn_shape_make(const struct dsn_load *load, struct dsn_shape *out);
void dsn_shape_free(struct dsn_shape *s);

#endif
