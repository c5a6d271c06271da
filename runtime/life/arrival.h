/* arrival.h - whether all ranks of this node have the library, before any of them waits for the others in MPI
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A collective call in which some ranks do not take part never returns, and may leave MPI in a state that breaks the
 * application's own. So before MPI_Init each rank shows that it has the library: it locks its byte of an empty file in
 * the user's directory on node-local memory; the kernel releases the lock with the process. MPI_Init synchronises all
 * ranks; after it the locks show who has the library. The number of ranks on the node and the job's identity come from
 * the launcher (Open MPI's mpirun, MPICH's Hydra); with any other launcher nothing is known, and no rank counts as
 * missing. */
#ifndef DSN_LIFE_ARRIVAL_H
#define DSN_LIFE_ARRIVAL_H

#include <stdint.h>

/* Called before MPI_Init. */
void dsn__arrival_show(void);

/* Called after MPI_Init: returns how many ranks of this node do not have the library. Waits up to 2 s, but not past
 * `deadline` of dsn__now(), for one that could still arrive. *ranks: number on this node; *is_first: no lower rank has
 * the library. */
int dsn__arrival_missing(int64_t deadline, int *ranks, int *is_first);

/* Called when nobody asks any more, or MPI_Init has failed. */
void dsn__arrival_end(void);

#endif
