/* rendezvous.h - the ranks of a job meet in MPI_Init
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LIFE_RENDEZVOUS_H
#define DSN_LIFE_RENDEZVOUS_H

#include <stdint.h>

#include "base/mpi.h"

/* Collective over all ranks: *key becomes rank 0's, *waits whether it was set in all of them; returns how many of the ranks record (`enabled`), or -1 when some
 * rank has not come before `deadline` of dsn__now(), or is gone: then the communicator is not to be used any more. From
 * then on each rank knows the processes of those that it waits for when the log is made (survive/dead-peer.h). */
int dsn__rendezvous(const struct dsn_mpi *mpi, int enabled, uint64_t *key, int *waits, int rank, int size,
                    int64_t deadline);

#endif
