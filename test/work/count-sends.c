/* count-sends.c - a library that counts a program's MPI_Send by tag, and rank 0 prints all ranks' at MPI_Finalize
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

#define TAGS 8
static long sends[TAGS];

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    if (tag >= 0 && tag < TAGS)
        sends[tag]++;
    return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Finalize(void)
{
    long all[TAGS];
    int rank;

    PMPI_Reduce(sends, all, TAGS, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int tag = 0; rank == 0 && tag < TAGS; tag++)
        if (all[tag] > 0)
            fprintf(stderr, "tag %d: %ld\n", tag, all[tag]);
    return PMPI_Finalize();
}
