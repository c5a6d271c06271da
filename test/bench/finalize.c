/* finalize.c - the four cases of the 2009 paper: one shared file, many shared files, one file or many per process
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * finalize shared|own FILES DIRECTORY [DELAY]: each rank writes 4 KiB to each of its files. DELAY: before MPI_Finalize
 * each rank waits up to so many microseconds, another time on each.
 *
 * Behind MPI_Finalize each rank prints "finalize <seconds> <KiB> <faults> <rank>": how long it took, its peak memory,
 * and how many page faults it had there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void write_files(const char *directory, int is_shared, int n, int rank)
{
    static char block[4096];
    char path[PATH_MAX];
    int fd;

    for (int i = 0; i < n; i++) {
        if (is_shared)
            snprintf(path, sizeof path, "%s/shared.%d", directory, i);
        else
            snprintf(path, sizeof path, "%s/own.%d.%d", directory, rank, i);
        fd = open(path, O_RDWR | O_CREAT, 0600);
        if (fd < 0 || pwrite(fd, block, sizeof block, is_shared ? (off_t)rank * 4096 : 0) != sizeof block)
            MPI_Abort(MPI_COMM_WORLD, 1);
        close(fd);
    }
}

int main(int argc, char **argv)
{
    struct rusage before, usage;
    char line[80];
    double begin, took;
    int rank, n;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    write_files(argv[3], strcmp(argv[1], "shared") == 0, atoi(argv[2]), rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 4) {
        srandom((unsigned)getpid());
        usleep((useconds_t)(random() % (atoi(argv[4]) + 1)));
    }
    getrusage(RUSAGE_SELF, &before);
    begin = now();
    MPI_Finalize();
    took = now() - begin;
    getrusage(RUSAGE_SELF, &usage);
    n = snprintf(line, sizeof line, "finalize %.6f %ld %ld %d\n", took, usage.ru_maxrss,
                 usage.ru_minflt - before.ru_minflt, rank);
    return write(STDOUT_FILENO, line, (size_t)n) != n;
}
