/* lbio-figures.c - ranks write what can be counted by hand, each to a file of its own: figures DIRECTORY
 * SPDX-License-Identifier: BSD-3-Clause
 * Rank 0: 10 writes of 1000 bytes; rank 1: 4 of 5000; one after the other. Each reads 100 of these bytes again before it
 * allows replay to begin, by a file "written.RANK". */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char bytes[5000];
    char path[4096];
    int rank, fd, bad = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(bytes, 'a' + rank, sizeof bytes);
    snprintf(path, sizeof path, "%s/figures.%d", argv[1], rank);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    for (int i = 0; i < (rank == 0 ? 10 : 4); i++)
        bad |= write(fd, bytes, rank == 0 ? 1000 : 5000) < 1000;
    bad |= pread(fd, bytes, 100, 2950) != 100;
    snprintf(path, sizeof path, "%s/written.%d", argv[1], rank);
    close(open(path, O_WRONLY | O_CREAT, 0644));
    close(fd);
    MPI_Finalize();
    return bad;
}
