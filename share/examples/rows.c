/* rows.c - an MPI program that writes a table into one shared file: a call for each row, or one for all rows of a rank
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     mpicc -O2 -o rows rows.c
 *     mpirun -n 4 ./rows slow table.dat      a call for each row, each rank on its own
 *     mpirun -n 4 ./rows fast table.dat      one collective call
 *
 * Both write the same bytes: the rows of rank 0, then those of rank 1, and so on. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400000, COLUMNS = 10, CELLS = ROWS * COLUMNS }; /* of a rank; a row has 80 bytes */

static void write_row_by_row(MPI_File file, MPI_Offset start, const double *table)
{
    for (int i = 0; i < CELLS; i += COLUMNS)
        MPI_File_write_at(file, start + i * (MPI_Offset)sizeof(double), table + i, COLUMNS, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
}

static void write_at_once(MPI_File file, MPI_Offset start, const double *table)
{
    MPI_File_write_at_all(file, start, table, CELLS, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    double *table = malloc(sizeof(double) * CELLS);
    MPI_File file;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 3 || !table) {
        fprintf(stderr, "usage: rows slow|fast FILE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < CELLS; i++)
        table[i] = rank + i;

    if (MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) !=
        MPI_SUCCESS) {
        fprintf(stderr, "rows: %s: cannot be written\n", argv[2]);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    (strcmp(argv[1], "fast") == 0 ? write_at_once : write_row_by_row)(file, rank * (MPI_Offset)sizeof(double) * CELLS,
                                                                      table);
    MPI_File_close(&file);

    free(table);
    MPI_Finalize();
    return 0;
}
