/* imitate.h - a slow disk, slow work and a slow worker, imitated by sleeping: a machine that one does not have
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. All workers are on one node. */
#ifndef DSN_SPMV_IMITATE_H
#define DSN_SPMV_IMITATE_H

#include <mpi.h>
#include <stdint.h>

struct dsn_imitated {
    double bytes_per_second; /* of the disk that all read from; 0: as it is */
    double work_seconds;     /* of all entries with one vector by one worker; 0: as it is */
    double slow;             /* how much longer worker 0 takes: 0.3 is 30 % */
};

struct dsn_imitation;

/* NULL, in all processes, if they are on several nodes or there is no memory. */
struct dsn_imitation *dsn_imitation_open(const struct dsn_imitated *what);
void dsn_imitation_close(struct dsn_imitation *i);

/* The disk serves one request after the other. Returns the MPI_Wtime() at which this one is done. */
double dsn_imitated_read(void *imitation, int64_t bytes);

/* Sleeps until work that began at `begin`, on that part of all entries with so many vectors, has taken what it has to. */
void dsn_imitated_work(const struct dsn_imitation *i, int worker, double begin, double part, int vectors);

#endif
