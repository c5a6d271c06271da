/* arrival.h - whether all ranks of this node have the library, before any of them waits for the others in MPI
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A collective call that some ranks do not know of never ends, and leaves traces in MPI that could end the
 * application's own. So each rank shows, before MPI_Init, that it has the library: by a lock on its byte of an empty
 * file in the user's directory on node-local memory, which the kernel takes away with the process. MPI_Init brings all
 * ranks together; behind it the locks say who has come. How many ranks are on the node, and which job it is, the
 * launcher says (Open MPI's, and MPICH's Hydra); where it does not, nothing is known, and nothing is missing. */
#ifndef DSN_LIFE_ARRIVAL_H
#define DSN_LIFE_ARRIVAL_H

#include <stdint.h>

/* Before MPI_Init. */
void dsn__arrival_show(void);

/* Behind it: how many ranks of this node do not have the library. One that could still come is waited for, for 2 s, but
 * not past `deadline` of dsn__now(). *ranks: of this node; *is_first: no rank below this one has it. */
int dsn__arrival_missing(int64_t deadline, int *ranks, int *is_first);

/* When nobody asks any more, or MPI_Init has failed. */
void dsn__arrival_end(void);

#endif
