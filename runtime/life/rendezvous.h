/* rendezvous.h - rendezvous of a job's ranks in MPI_Init
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_RENDEZVOUS_H
#define DSN_LIFE_RENDEZVOUS_H

#include <stdint.h>

#include "base/mpi.h"

/* What the files of all ranks have in common. */
struct dsn_agreed {
    uint64_t key;
    int64_t jobid;
};

/* Collective over all ranks: *common becomes rank 0's, *waits whether it was set on all of them. Returns how many ranks
 * record (`enabled`), or -1 if some rank has not arrived before `deadline` of dsn__now(), or is dead: then the
 * communicator must not be used any more. From then on each rank knows the processes that it will wait for at shutdown
 * (survive/dead-peer.h). */
int dsn__rendezvous(const struct dsn_mpi *mpi, int enabled, struct dsn_agreed *common, int *waits, int rank, int size,
                    int64_t deadline);

#endif
