/* late-finalize.c - a library that calls MPI_Finalize when it is unloaded, for a program that does not
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

__attribute__((destructor)) static void end(void)
{
    int begun = 0, ended = 0;

    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun && !ended)
        MPI_Finalize();
}
