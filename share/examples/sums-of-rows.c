/* sums-of-rows.c - the sum of each row of a file of doubles, whose blocks go to whichever process is ready
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     mpicc sums-of-rows.c -IPREFIX/include -LPREFIX/lib -ldarshan-sched -o sums-of-rows
 *     mpirun -n 4 ./sums-of-rows FILE ROWS COLUMNS */
#include <darshan/sched.h>
#include <stdio.h>
#include <stdlib.h>

static double sum_of(const double *row, long columns)
{
    double sum = 0;

    for (long i = 0; i < columns; i++)
        sum += row[i];
    return sum;
}

int main(int argc, char **argv)
{
    const long rows = argc == 4 ? atol(argv[2]) : 0, columns = argc == 4 ? atol(argv[3]) : 0;
    struct darshan_sched_plan plan = { .path = argv[1],
                                       .record = columns * (long)sizeof(double),
                                       .records = rows,
                                       .per_block = 16,
                                       .how = DARSHAN_SCHED_COUNTER,
                                       .mode = DARSHAN_SCHED_ASYNC };
    struct darshan_sched_block block;
    struct darshan_sched *s;
    char error[256];
    int rc;

    MPI_Init(&argc, &argv);
    s = darshan_sched_open(MPI_COMM_WORLD, &plan, error, sizeof error);
    if (!s) {
        fprintf(stderr, "sums-of-rows: %s\n", error);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    while ((rc = darshan_sched_next(s, &block)) > 0) /* the next block is read while this one is summed up */
        for (long i = 0; i < block.count; i++)
            printf("%ld %g\n", (long)(block.first + i), sum_of((const double *)block.data + i * columns, columns));
    if (rc < 0)
        fprintf(stderr, "sums-of-rows: %s\n", darshan_sched_error(s));
    darshan_sched_close(s, NULL);
    MPI_Finalize();
    return rc != 0;
}
