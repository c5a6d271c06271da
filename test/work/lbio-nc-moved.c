/* lbio-nc-moved.c - ranks write a variable of PnetCDF, and a larger header moves it: lbio-nc-moved DIRECTORY
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pnetcdf.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 50000 /* of each rank */
#define TEXT  100000

static void must(int error, const char *what)
{
    if (error == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s\n", what, ncmpi_strerror(error));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void define(int file, int dimension, const char *name, int *variable)
{
    must(ncmpi_def_var(file, name, NC_INT, 1, &dimension, variable), "variable");
    must(ncmpi_enddef(file), "enddef");
}

int main(int argc, char **argv)
{
    int rank, ranks, file, dimension, variable[2];
    static char path[4096], text[TEXT];
    static int numbers[WIDTH];
    MPI_Offset at, count = WIDTH;
    long n = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    at = (MPI_Offset)((rank + 1) % ranks) * WIDTH;
    for (int i = 0; i < WIDTH; i++)
        numbers[i] = (int)at + i;
    snprintf(path, sizeof path, "%s/moved.nc", argv[1]);
    must(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file), "create");
    must(ncmpi_def_dim(file, "x", (MPI_Offset)ranks * WIDTH, &dimension), "x");
    define(file, dimension, "first", &variable[0]);
    must(ncmpi_put_vara_int_all(file, variable[0], &at, &count, numbers), "write");
    must(ncmpi_redef(file), "redef");
    memset(text, 'x', sizeof text);
    must(ncmpi_put_att_text(file, NC_GLOBAL, "text", sizeof text, text), "attribute");
    define(file, dimension, "second", &variable[1]);
    must(ncmpi_put_vara_int_all(file, variable[1], &at, &count, numbers), "write");
    must(ncmpi_close(file), "close");
    MPI_Barrier(MPI_COMM_WORLD);
    must(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file), "open");
    at = (MPI_Offset)rank * WIDTH;
    for (int i = 0; i < 2; i++) {
        must(ncmpi_get_vara_int_all(file, variable[i], &at, &count, numbers), "read");
        for (int k = 0; k < WIDTH; k++)
            n += numbers[k] != (int)at + k;
    }
    must(ncmpi_close(file), "close");
    MPI_Finalize();
    if (n > 0)
        fprintf(stderr, "rank %d: %ld numbers differ\n", rank, n);
    return n > 0;
}
