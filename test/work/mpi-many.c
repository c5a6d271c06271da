/* mpi-many.c - any number of ranks: a shared file and a file per rank; counters by number of ranks in mpi-many.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

static char *buffer;

static void put(const char *name, size_t n, off_t off)
{
    int fd = open(work_path(name), O_CREAT | O_WRONLY, 0644);

    CHECK(fd >= 0 && pwrite(fd, buffer, n, off) == (ssize_t)n && close(fd) == 0);
}

int main(int argc, char **argv)
{
    char name[32];
    int rank, nprocs;

    work_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    buffer = work_buffer(4096);
    put("all.dat", 1 + (size_t)rank, 100 * rank);
    snprintf(name, sizeof name, "own.%d", rank);
    put(name, 8, 0);
    if (rank < nprocs - 1)
        put("most.dat", 5, 0);
    return work_end();
}
