/* h5-basic.c - HDF5 on 4 ranks with counters computed by hand in h5-basic.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <hdf5.h>
#include <malloc.h>

#define OK(call) CHECK((call) >= 0)

static int rank;
static double buffer[1024];

static hid_t space_of(int n, const hsize_t *dims)
{
    hid_t space;

    OK(space = H5Screate_simple(n, dims, NULL));
    return space;
}

/* 8 x 16 ints: each rank writes its two rows and reads everything. */
static void contiguous(hid_t file)
{
    const hsize_t dims[2] = { 8, 16 }, start[2] = { 2 * (hsize_t)rank, 0 }, count[2] = { 2, 16 };
    hid_t space = space_of(2, dims), memory = space_of(2, count), dset;

    OK(dset = H5Dcreate2(file, "contiguous", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    OK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    OK(H5Dwrite(dset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, buffer));
    OK(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer));
    OK(H5Dclose(dset));
    OK(H5Sclose(space));
    OK(H5Sclose(memory));
}

/* 4 x 6 x 8 doubles in chunks of 1 x 3 x 4, in a group: each rank 2 x (2 blocks of 2) of a layer, collectively. */
static void chunked(hid_t file)
{
    const hsize_t dims[3] = { 4, 6, 8 }, chunk[3] = { 1, 3, 4 }, some = 8;
    const hsize_t start[3] = { (hsize_t)rank, 0, 0 }, stride[3] = { 1, 3, 4 }, count[3] = { 1, 2, 2 };
    const hsize_t block[3] = { 1, 1, 2 };
    hid_t space = space_of(3, dims), memory = space_of(1, &some), list, group, dset, transfer;

    OK(list = H5Pcreate(H5P_DATASET_CREATE));
    OK(H5Pset_chunk(list, 3, chunk));
    OK(group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    OK(dset = H5Dcreate2(group, "chunked", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT));
    OK(H5Oclose(dset));
    OK(dset = H5Oopen(file, "./group//chunked", H5P_DEFAULT));
    OK(H5Oclose(group));
    OK(transfer = H5Pcreate(H5P_DATASET_XFER));
#ifdef WITH_MPI
    OK(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE));
#endif
    OK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block));
    OK(H5Dwrite(dset, H5T_NATIVE_DOUBLE, memory, space, transfer, buffer));
    OK(H5Dread(dset, H5T_NATIVE_DOUBLE, memory, space, transfer, buffer));
    if (H5Dflush(dset) < 0) /* HDF5 1.14.5 refuses it with more than one rank */
        puts("H5Dflush is refused");
    OK(H5Fflush(dset, H5F_SCOPE_LOCAL));
    OK(H5Dclose(dset));
    OK(H5Pclose(transfer));
    OK(H5Pclose(list));
    OK(H5Sclose(space));
    OK(H5Sclose(memory));
}

/* 100 shorts: three points, two pieces of different length, nothing. */
static void selections(hid_t file)
{
    const hsize_t dims = 100, points[3] = { 10 * rank, 10 * rank + 5, 10 * rank + 1 }, two = 2, three = 3, five = 5;
    const hsize_t first = 10 * (hsize_t)rank, second = first + 5;
    hid_t space = space_of(1, &dims), m3 = space_of(1, &three), m5 = space_of(1, &five), dset;

    OK(dset = H5Dcreate2(file, "/selections", H5T_NATIVE_SHORT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    OK(H5Sselect_elements(space, H5S_SELECT_SET, 3, points));
    OK(H5Dwrite(dset, H5T_NATIVE_SHORT, m3, space, H5P_DEFAULT, buffer));
    OK(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &two, NULL));
    OK(H5Sselect_hyperslab(space, H5S_SELECT_OR, &second, NULL, &three, NULL));
    OK(H5Dwrite(dset, H5T_NATIVE_SHORT, m5, space, H5P_DEFAULT, buffer));
    OK(H5Sselect_none(space));
    OK(H5Sselect_none(m3));
    OK(H5Dwrite(dset, H5T_NATIVE_SHORT, m3, space, H5P_DEFAULT, buffer));
    OK(H5Dclose(dset));
    OK(H5Sclose(space));
    OK(H5Sclose(m3));
    OK(H5Sclose(m5));
}

/* Seven dimensions, of which a log has five. */
static void deep(hid_t file)
{
    const hsize_t dims[7] = { 2, 2, 2, 2, 2, 2, 2 }, chunk[7] = { 1, 1, 1, 2, 2, 2, 1 };
    const hsize_t start[7] = { (hsize_t)rank & 1 }, count[7] = { 1, 2, 2, 2, 2, 2, 2 };
    hid_t space = space_of(7, dims), memory = space_of(7, count), list, dset;

    OK(list = H5Pcreate(H5P_DATASET_CREATE));
    OK(H5Pset_chunk(list, 7, chunk));
    OK(H5Pset_fill_time(list, H5D_FILL_TIME_ALLOC));
    OK(dset = H5Dcreate2(file, "deep", H5T_NATIVE_CHAR, space, H5P_DEFAULT, list, H5P_DEFAULT));
    OK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    OK(H5Dread(dset, H5T_NATIVE_CHAR, memory, space, H5P_DEFAULT, buffer));
    OK(H5Dclose(dset));
    OK(H5Pclose(list));
    OK(H5Sclose(space));
    OK(H5Sclose(memory));
}

static void shared(void)
{
    hid_t access, file;

    OK(access = H5Pcreate(H5P_FILE_ACCESS));
#ifdef WITH_MPI
    OK(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
#endif
    OK(file = H5Fcreate(work_path("shared.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access));
    contiguous(file);
    chunked(file);
    selections(file);
    deep(file);
    OK(H5Fclose(file));
    OK(file = H5Fopen(work_path("shared.h5"), H5F_ACC_RDONLY, access));
    OK(H5Fclose(file));
    OK(H5Pclose(access));
}

/* A file of the rank's own by a relative name, and the directory is left: calls of 1.6, and a dataset that grows. */
static void own(void)
{
    const hsize_t ten = 10, twenty = 20, no_end = H5S_UNLIMITED;
    char name[32];
    hid_t file, space, list, dset;

    snprintf(name, sizeof name, "own-%d.h5", rank);
    CHECK(chdir(work_dir) == 0);
    OK(file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CHECK(chdir("/") == 0);
    OK(space = H5Screate_simple(1, &ten, &no_end));
    OK(list = H5Pcreate(H5P_DATASET_CREATE));
    OK(H5Pset_chunk(list, 1, &ten));
    OK(dset = H5Dcreate1(file, "grows", H5T_NATIVE_INT64, space, list));
    OK(H5Dwrite(dset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer));
    OK(H5Dset_extent(dset, &twenty));
    OK(H5Dwrite(dset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer));
    OK(H5Iinc_ref(dset));
    CHECK(H5Idec_ref(dset) == 1);
    OK(H5Dread(dset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer)); /* it is still open */
    CHECK(H5Idec_ref(dset) == 0);
    OK(H5Pclose(list));
    OK(H5Sclose(space));
    OK(H5Fclose(file));
}

static herr_t never(hid_t stack, void *data)
{
    (void)stack;
    (void)data;
    return 0;
}

static herr_t never_1(void *data)
{
    (void)data;
    return 0;
}

/* What the library keeps of errors and how it reports them is as without the tool. */
static void errors(void)
{
    H5E_auto2_t report = NULL;
    H5E_auto1_t report_1 = NULL;
    void *data = NULL;
    int known;
    hid_t file;

    OK(H5Eset_auto2(H5E_DEFAULT, never, &rank));
    CHECK(H5Fopen(work_path("there is none"), H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    CHECK(H5Eget_num(H5E_DEFAULT) > 0);
    OK(file = H5Fcreate(work_path("errors.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CHECK(H5Eget_num(H5E_DEFAULT) == 0);
    OK(H5Eget_auto2(H5E_DEFAULT, &report, &data));
    CHECK(report == never && data == &rank);
    OK(H5Eset_auto1(never_1, &known));
    OK(H5Fflush(file, H5F_SCOPE_LOCAL));
    OK(H5Fclose(file));
    OK(H5Eget_auto1(&report_1, &data));
    CHECK(report_1 == never_1 && data == &known);
}

/* Nothing that the tool asks for stays: neither objects of the file, nor the memory of dataspaces and lists. */
static void leaks(void)
{
    const hsize_t dims = 8;
    hid_t file, space = space_of(1, &dims), type, dset;
    size_t before = 0;

    OK(file = H5Fcreate(work_path("leaks.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    OK(type = H5Tcopy(H5T_NATIVE_INT));
    OK(H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    OK(dset = H5Dcreate2(file, "data", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    OK(H5Dclose(dset));
    OK(H5Tclose(type));
    for (int i = 0; i < 2100; i++) {
        if (i == 100) /* the library's own lists have grown by now */
            before = mallinfo2().uordblks;
        OK(dset = H5Dopen2(file, "data", H5P_DEFAULT));
        OK(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer));
        OK(H5Dclose(dset));
    }
    CHECK(mallinfo2().uordblks < before + 50000); /* 25 bytes each */
    CHECK(H5Fget_obj_count(file, H5F_OBJ_ALL) == 1);
    OK(H5Sclose(space));
    OK(H5Fclose(file));
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
#ifdef WITH_MPI
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    shared();
    own();
    if (rank == 0) {
        errors();
        leaks();
    }
    return work_end();
}
