/* mpi-late.c - rank 0 is late for a barrier, then rank 1 for a broadcast; times for 2 ranks in mpi-late.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#define OK(call) CHECK((call) == MPI_SUCCESS)

int main(int argc, char **argv)
{
    int rank, n = 1;

    work_start(&argc, &argv);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        usleep(400000);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1)
        usleep(400000);
    OK(MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD));
    return work_end();
}
