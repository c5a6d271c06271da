/* lbio-nc.c - ranks write a file of PnetCDF together, close it, open it again and see all: lbio-nc DIRECTORY
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 20
#define WIDTH 1000 /* of each rank */

static void must(int error, const char *what)
{
    if (error == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s\n", what, ncmpi_strerror(error));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    int rank, ranks, file, dimension[2], variable, *all;
    static int mine[WIDTH];
    char path[4096];
    long n = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(path, sizeof path, "%s/steps.nc", argv[1]);
    must(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file), "create");
    must(ncmpi_def_dim(file, "step", NC_UNLIMITED, &dimension[0]), "step");
    must(ncmpi_def_dim(file, "x", (MPI_Offset)ranks * WIDTH, &dimension[1]), "x");
    must(ncmpi_def_var(file, "v", NC_INT, 2, dimension, &variable), "variable");
    must(ncmpi_enddef(file), "enddef");
    for (int step = 0; step < STEPS; step++) {
        const MPI_Offset at[2] = { step, (MPI_Offset)rank * WIDTH }, count[2] = { 1, WIDTH };

        for (int i = 0; i < WIDTH; i++)
            mine[i] = step * 100000 + rank * WIDTH + i;
        must(ncmpi_put_vara_int_all(file, variable, at, count, mine), "write");
    }
    must(ncmpi_close(file), "close");
    must(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file), "open");
    all = calloc((size_t)ranks * WIDTH, sizeof *all);
    for (int step = 0; step < STEPS; step++) {
        const MPI_Offset at[2] = { step, 0 }, count[2] = { 1, (MPI_Offset)ranks * WIDTH };

        must(ncmpi_get_vara_int_all(file, variable, at, count, all), "read");
        for (int i = 0; i < ranks * WIDTH; i++)
            n += all[i] != step * 100000 + i;
    }
    must(ncmpi_close(file), "close");
    free(all);
    MPI_Finalize();
    if (n > 0)
        fprintf(stderr, "rank %d: %ld numbers differ\n", rank, n);
    return n > 0;
}
