/* imitate.h - simulates a slow disk, slow work and a slow worker by sleeping, to try machines that are not available
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. All workers are on one node. */
#ifndef DSN_SPMV_IMITATE_H
#define DSN_SPMV_IMITATE_H

#include <mpi.h>
#include <stdint.h>

struct dsn_imitated {
    double bytes_per_second; /* of the shared disk; 0: not simulated */
    double work_seconds;     /* for all entries and one vector, by one worker; 0: not simulated */
    double slow;             /* by how much worker 0 is slower: 0.3 is 30 % */
};

struct dsn_imitation;

/* NULL, in all processes, if they are on several nodes or out of memory. */
struct dsn_imitation *dsn_imitation_open(const struct dsn_imitated *what);
void dsn_imitation_close(struct dsn_imitation *i);

/* The disk serves requests sequentially. Returns the MPI_Wtime() at which this one completes. */
double dsn_imitated_read(void *imitation, int64_t bytes);

/* Sleeps until work that started at `begin`, on this fraction of all entries with this number of vectors, has taken its
 * simulated time. */
void dsn_imitated_work(const struct dsn_imitation *i, int worker, double begin, double part, int vectors);

#endif
