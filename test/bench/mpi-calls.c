/* mpi-calls.c - ns of an MPI-IO call and of a message of one byte: mpi-calls FILE
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints "<MPI_File_write_at> <MPI_File_read_at> <two clock_gettime> <MPI_Sendrecv>", medians of many turns, of rank
 * 0. What the library adds is the difference between a run with it and one without, for what MPI-IO does in POSIX
 * underneath is counted, too. The message goes from the rank to itself. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TURNS 101
#define CALLS 500

/* Of this thread's processor: what others take of the machine is not counted. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *v)
{
    qsort(v, TURNS, sizeof v[0], by_size);
    return v[TURNS / 2];
}

int main(int argc, char **argv)
{
    static double writes[TURNS], reads[TURNS], clocks[TURNS], messages[TURNS];
    struct timespec t;
    char byte = 'x', got;
    MPI_File f;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 2 || MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) != 0) {
        fprintf(stderr, "Usage: mpi-calls FILE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < TURNS; i++) {
        double begin = now();

        for (int k = 0; k < CALLS; k++)
            MPI_File_write_at(f, rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE);
        writes[i] = (now() - begin) / CALLS;
        begin = now();
        for (int k = 0; k < CALLS; k++)
            MPI_File_read_at(f, rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE);
        reads[i] = (now() - begin) / CALLS;
        begin = now();
        for (int k = 0; k < 2 * CALLS; k++)
            clock_gettime(CLOCK_MONOTONIC, &t);
        clocks[i] = (now() - begin) / CALLS;
        begin = now();
        for (int k = 0; k < CALLS; k++)
            MPI_Sendrecv(&byte, 1, MPI_BYTE, rank, 0, &got, 1, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        messages[i] = (now() - begin) / CALLS;
    }
    MPI_File_close(&f);
    if (rank == 0)
        printf("%.1f %.1f %.1f %.1f\n", median(writes), median(reads), median(clocks), median(messages));
    MPI_Finalize();
    return 0;
}
