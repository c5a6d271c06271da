/* adios-records.c - records of shared-file.c through ADIOS 1.13, which buffers them until the file is closed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * adios-records PATH BYTES TIMES METHOD; METHOD: MPI (one file) or POSIX (a file for each rank). Prints one line of JSON
 * like shared-file. */
#include <adios.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void define_records(int64_t group, const char *bytes, int times)
{
    char name[24];

    for (int i = 0; i < times; i++) {
        snprintf(name, sizeof name, "record%d", i);
        if (adios_define_var(group, name, "", adios_byte, bytes, "", "") == 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void write_records(const char *path, long bytes, int times)
{
    char name[24], *record = malloc((size_t)bytes);
    uint64_t total;
    int64_t f;

    if (!record || adios_open(&f, "records", path, "w", MPI_COMM_WORLD) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    adios_group_size(f, (uint64_t)(bytes * times), &total);
    for (int i = 0; i < times; i++) {
        snprintf(name, sizeof name, "record%d", i);
        memset(record, i, (size_t)bytes);
        if (adios_write(f, name, record) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (adios_close(f) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    free(record);
}

int main(int argc, char **argv)
{
    double begun, visible, slowest;
    int64_t group;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    adios_init_noxml(MPI_COMM_WORLD);
    adios_set_max_buffer_size(64);
    adios_declare_group(&group, "records", "", adios_stat_no);
    adios_select_method(group, argv[4], "", "");
    define_records(group, argv[2], atoi(argv[3]));
    MPI_Barrier(MPI_COMM_WORLD);
    begun = MPI_Wtime();
    write_records(argv[1], atol(argv[2]), atoi(argv[3]));
    visible = MPI_Wtime() - begun;
    MPI_Reduce(&visible, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("{\"visible\": %.6f}\n", slowest);
    adios_finalize(rank);
    MPI_Finalize();
    return 0;
}
