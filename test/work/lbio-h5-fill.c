/* lbio-h5-fill.c - ranks write what others filled, and read it before and after the file is closed: lbio-h5-fill DIRECTORY
 * SPDX-License-Identifier: BSD-3-Clause */
#include <hdf5.h>
#include <stdio.h>

#define SETS  20
#define WIDTH 30000 /* of each rank */
#define CHUNK 1000

static int rank, ranks, numbers[WIDTH];

/* The part of rank `of`, in memory and in the set. */
static void select_part(int of, hid_t memory_and_all[2])
{
    const hsize_t all = (hsize_t)ranks * WIDTH, at = (hsize_t)of * WIDTH, n = WIDTH;

    memory_and_all[0] = H5Screate_simple(1, &n, NULL);
    memory_and_all[1] = H5Screate_simple(1, &all, NULL);
    H5Sselect_hyperslab(memory_and_all[1], H5S_SELECT_SET, &at, NULL, &n, NULL);
}

static void write_part(hid_t set, int of, int first)
{
    hid_t space[2];

    select_part(of, space);
    for (int i = 0; i < WIDTH; i++)
        numbers[i] = first + of * WIDTH + i;
    H5Dwrite(set, H5T_NATIVE_INT, space[0], space[1], H5P_DEFAULT, numbers);
    H5Sclose(space[0]);
    H5Sclose(space[1]);
}

static long differ_in_part(hid_t set, int of, int first)
{
    hid_t space[2];
    long n = 0;

    select_part(of, space);
    n += H5Dread(set, H5T_NATIVE_INT, space[0], space[1], H5P_DEFAULT, numbers) < 0;
    for (int i = 0; i < WIDTH; i++)
        n += numbers[i] != first + of * WIDTH + i;
    H5Sclose(space[0]);
    H5Sclose(space[1]);
    return n;
}

static hid_t make_set(hid_t file, const char *name)
{
    const hsize_t all = (hsize_t)ranks * WIDTH, chunk = CHUNK;
    const hid_t space = H5Screate_simple(1, &all, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    const int fill = -7;
    hid_t set;

    H5Pset_chunk(how, 1, &chunk);
    H5Pset_fill_value(how, H5T_NATIVE_INT, &fill);
    set = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

int main(int argc, char **argv)
{
    char path[4096], name[20];
    hid_t access, file;
    long n = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(path, sizeof path, "%s/filled.h5", argv[1]);
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    for (int i = 0; i < SETS; i++) {
        hid_t set;

        snprintf(name, sizeof name, "set %d", i);
        set = make_set(file, name);
        MPI_Barrier(MPI_COMM_WORLD);
        write_part(set, (rank + 1 + i) % ranks, i);
        H5Fflush(file, H5F_SCOPE_GLOBAL);
        MPI_Barrier(MPI_COMM_WORLD);
        n += differ_in_part(set, rank, i);
        H5Dclose(set);
    }
    H5Fclose(file);
    MPI_Barrier(MPI_COMM_WORLD);
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
    for (int i = 0; i < SETS; i++) {
        hid_t set;

        snprintf(name, sizeof name, "set %d", i);
        set = H5Dopen2(file, name, H5P_DEFAULT);
        n += differ_in_part(set, rank, i);
        H5Dclose(set);
    }
    H5Fclose(file);
    H5Pclose(access);
    MPI_Finalize();
    if (n > 0)
        fprintf(stderr, "rank %d: %ld numbers differ\n", rank, n);
    return n > 0;
}
