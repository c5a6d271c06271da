/* h5-many.c - more datasets than fit into memory; counters in h5-many.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <hdf5.h>

#define OK(call) CHECK((call) >= 0)
#define MANY     10000

/* A dataset of 10 ints is opened, written and read; all of them are open at the end. */
int main(int argc, char **argv)
{
    static hid_t dset[MANY];
    const hsize_t ten = 10;
    int ints[10] = { 0 };
    hid_t file, space;
    char name[32];

    work_start(&argc, &argv);
    OK(file = H5Fcreate(work_path("many.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    OK(space = H5Screate_simple(1, &ten, NULL));
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "dataset-%d", i);
        OK(dset[i] = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        OK(H5Dwrite(dset[i], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ints));
    }
    for (int i = 0; i < MANY; i++) {
        OK(H5Dread(dset[i], H5T_NATIVE_INT, space, space, H5P_DEFAULT, ints));
        OK(H5Dclose(dset[i]));
    }
    OK(H5Sclose(space));
    OK(H5Fclose(file));
    return work_end();
}
