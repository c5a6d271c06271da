/* lbio-h5.c - ranks write a file of HDF5 together, close it, open it again and see all: lbio-h5 DIRECTORY
 * SPDX-License-Identifier: BSD-3-Clause */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS  10 /* of each rank */
#define WIDTH 3000

static int rank, ranks;

static double value(int row, int of, int i)
{
    return of * 1e4 + row * 100 + i;
}

static void write_rows(hid_t file, int is_collective)
{
    const hsize_t size[2] = { (hsize_t)ranks * ROWS, WIDTH }, one[2] = { 1, WIDTH };
    const hid_t all = H5Screate_simple(2, size, NULL), row = H5Screate_simple(2, one, NULL),
                how = H5Pcreate(H5P_DATASET_XFER);
    const hid_t set = H5Dcreate2(file, "rows", H5T_NATIVE_DOUBLE, all, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    static double bytes[WIDTH];

    H5Pset_dxpl_mpio(how, is_collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
    for (int i = 0; i < ROWS; i++) {
        const hsize_t at[2] = { (hsize_t)(i * ranks + rank), 0 };

        for (int k = 0; k < WIDTH; k++)
            bytes[k] = value(i, rank, k);
        H5Sselect_hyperslab(all, H5S_SELECT_SET, at, NULL, one, NULL);
        H5Dwrite(set, H5T_NATIVE_DOUBLE, row, all, how, bytes);
    }
    H5Pclose(how);
    H5Dclose(set);
    H5Sclose(row);
    H5Sclose(all);
}

static long differ(hid_t file)
{
    const hid_t set = H5Dopen2(file, "rows", H5P_DEFAULT);
    double *bytes = calloc((size_t)ranks * ROWS * WIDTH, sizeof *bytes);
    long n = H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0;

    for (int i = 0; i < ROWS * ranks; i++)
        for (int k = 0; k < WIDTH; k++)
            n += bytes[i * WIDTH + k] != value(i / ranks, i % ranks, k);
    H5Dclose(set);
    free(bytes);
    return n;
}

int main(int argc, char **argv)
{
    long n = 0;
    hid_t access, file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    for (int is_collective = 0; is_collective < 2; is_collective++) {
        char path[4096];

        snprintf(path, sizeof path, "%s/%s.h5", argv[1], is_collective ? "collective" : "independent");
        file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
        write_rows(file, is_collective);
        H5Fclose(file);
        MPI_Barrier(MPI_COMM_WORLD);
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
        n += differ(file);
        H5Fclose(file);
    }
    H5Pclose(access);
    MPI_Finalize();
    if (n > 0)
        fprintf(stderr, "rank %d: %ld numbers differ\n", rank, n);
    return n > 0;
}
