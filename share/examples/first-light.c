/* first-light.c - a small MPI program that does I/O in four ways, for a first look at what the tool shows
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     first-light [DIRECTORY]
 *
 * writes into DIRECTORY (default: the current one)
 *     shared.dat     one file for all ranks, by collective MPI-IO
 *     rank-N.dat     a file per process, by POSIX calls
 *     field.h5       one dataset, by a collective write of parallel HDF5    (with -DWITH_HDF5)
 *     field.nc       one variable, by a collective write of PnetCDF         (with -DWITH_PNETCDF)
 * and reads the first two again. */
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef WITH_HDF5
#include <hdf5.h>
#endif
#ifdef WITH_PNETCDF
#include <pnetcdf.h>
#endif

#define BLOCK  (1 << 20) /* bytes a rank writes at a time */
#define BLOCKS 4         /* times it does so */
#define SMALL  4096      /* bytes of a POSIX write */

static int rank, nranks;

/* Ends the job with a message if `good` is false. */
static void must(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "first-light: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* DIRECTORY/NAME, in a buffer that the next call uses again. */
static const char *path(const char *dir, const char *format, ...)
{
    static char text[4096];
    va_list args;
    int n = snprintf(text, sizeof text, "%s/", dir);

    va_start(args, format);
    if (n > 0 && (size_t)n < sizeof text)
        vsnprintf(text + n, sizeof text - n, format, args);
    va_end(args);
    return text;
}

/* Every rank's blocks in turn: block 0 of ranks 0, 1, 2, ..., then block 1. Written, then read. */
static void shared_file(const char *dir, char *block)
{
    MPI_File file;
    MPI_Offset at;

    must(MPI_File_open(MPI_COMM_WORLD, path(dir, "shared.dat"), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                       &file) == MPI_SUCCESS,
         "cannot open shared.dat");
    for (int i = 0; i < 2 * BLOCKS; i++) {
        at = ((MPI_Offset)(i % BLOCKS) * nranks + rank) * BLOCK;
        if (i < BLOCKS)
            must(MPI_File_write_at_all(file, at, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS,
                 "cannot write shared.dat");
        else
            must(MPI_File_read_at_all(file, at, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS,
                 "cannot read shared.dat");
    }
    MPI_File_close(&file);
}

static void file_per_process(const char *dir, char *block)
{
    int fd = open(path(dir, "rank-%d.dat", rank), O_CREAT | O_TRUNC | O_RDWR, 0644);

    must(fd >= 0, "cannot open the rank's own file");
    for (int i = 0; i < BLOCK / SMALL; i++)
        must(write(fd, block + i * SMALL, SMALL) == SMALL, "cannot write the rank's own file");
    must(lseek(fd, 0, SEEK_SET) == 0, "cannot seek in the rank's own file");
    must(read(fd, block, BLOCK) == BLOCK, "cannot read the rank's own file");
    close(fd);
}

#ifdef WITH_HDF5
static void hdf5_file(const char *dir, const char *block)
{
    hsize_t all[2] = { nranks, BLOCK / sizeof(double) }, mine[2] = { 1, all[1] }, start[2] = { rank, 0 };
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
    hid_t file, space, memory, set;

    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    file = H5Fcreate(path(dir, "field.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    must(file >= 0, "cannot create field.h5");
    space = H5Screate_simple(2, all, NULL);
    memory = H5Screate_simple(2, mine, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, mine, NULL);
    set = H5Dcreate2(file, "field", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    must(set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, block) >= 0, "cannot write field.h5");
    H5Dclose(set);
    H5Sclose(memory);
    H5Sclose(space);
    must(H5Fclose(file) >= 0, "cannot close field.h5");
    H5Pclose(transfer);
    H5Pclose(access);
}
#endif

#ifdef WITH_PNETCDF
static void pnetcdf_file(const char *dir, const char *block)
{
    MPI_Offset start[2] = { rank, 0 }, count[2] = { 1, BLOCK / sizeof(double) };
    int file, dims[2], var;

    must(ncmpi_create(MPI_COMM_WORLD, path(dir, "field.nc"), NC_CLOBBER | NC_64BIT_OFFSET, MPI_INFO_NULL, &file) ==
             NC_NOERR,
         "cannot create field.nc");
    must(ncmpi_def_dim(file, "rank", nranks, &dims[0]) == NC_NOERR &&
             ncmpi_def_dim(file, "x", count[1], &dims[1]) == NC_NOERR &&
             ncmpi_def_var(file, "field", NC_DOUBLE, 2, dims, &var) == NC_NOERR && ncmpi_enddef(file) == NC_NOERR,
         "cannot define field.nc");
    must(ncmpi_put_vara_double_all(file, var, start, count, (const double *)block) == NC_NOERR,
         "cannot write field.nc");
    must(ncmpi_close(file) == NC_NOERR, "cannot close field.nc");
}
#endif

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    char *block;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    block = calloc(1, BLOCK); /* zero bytes are zeros as doubles too */
    must(block != NULL, "no memory");

    shared_file(dir, block);
    file_per_process(dir, block);
#ifdef WITH_HDF5
    hdf5_file(dir, block);
#endif
#ifdef WITH_PNETCDF
    pnetcdf_file(dir, block);
#endif
    free(block);
    MPI_Finalize();
    return 0;
}
