/* rate.c - a benchmark that reports its own bandwidth as IOR does: from the first open to the last close
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage: rate n1|nn|mpiio DIRECTORY MIB: each rank writes MIB MiB in calls of 1 MiB, to its part of one file or to one of its
 * own; then the files are deleted. Prints MiB a second. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB (1 << 20)

static int rank, nprocs;
static char *buffer;

static void fail(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void by_posix(const char *path, long first, long n)
{
    const int fd = open(path, O_CREAT | O_WRONLY, 0644);

    for (long i = 0; fd >= 0 && i < n; i++)
        if (pwrite(fd, buffer, MIB, (off_t)(first + i) * MIB) != MIB)
            fail("pwrite");
    if (fd < 0 || close(fd) != 0)
        fail(path);
}

static void by_mpi(const char *path, long first, long n)
{
    MPI_File f;

    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
    for (long i = 0; i < n; i++)
        MPI_File_write_at(f, (MPI_Offset)(first + i) * MIB, buffer, MIB, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
}

int main(int argc, char **argv)
{
    double begin, end, first, last;
    char path[4096];
    long n, at;
    int shared;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    if (argc != 4 || !(buffer = malloc(MIB)))
        fail("usage: rate n1|nn|mpiio DIRECTORY MIB");
    memset(buffer, rank, MIB);
    shared = strcmp(argv[1], "nn") != 0;
    n = atol(argv[3]);
    at = shared ? rank * n : 0;
    snprintf(path, sizeof path, "%s/rate.%d", argv[2], shared ? 0 : rank);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    if (strcmp(argv[1], "mpiio") == 0)
        by_mpi(path, at, n);
    else
        by_posix(path, at, n);
    end = MPI_Wtime();
    MPI_Reduce(&begin, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.3f\n", (double)n * nprocs / (last - first));
    MPI_Barrier(MPI_COMM_WORLD);
    if (!shared || rank == 0)
        unlink(path);
    MPI_Finalize();
    return 0;
}
