/* nc-basic.c - PnetCDF on 4 ranks in every shape, with counters computed by hand in nc-basic.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <pnetcdf.h>

#define OK(call) CHECK((call) == NC_NOERR)

static int rank, file;
static int ints[256];
static double doubles[256];

/* One variable for each kind of call; all of 4 x 6 ints but "deep", "records" and "scalar". */
enum { BLOCKING, COLLECTIVE, NONBLOCKING, BUFFERED, DEEP, RECORDS, SCALAR, NVARS };
static const char *const names[NVARS] = { "blocking", "collective", "nonblocking", "buffered",
                                          "deep",     "records",    "scalar" };
static int var[NVARS];

static void define(void)
{
    int dims[7], deep[7], unlimited;

    OK(ncmpi_def_dim(file, "y", 4, &dims[0]));
    OK(ncmpi_def_dim(file, "x", 6, &dims[1]));
    OK(ncmpi_def_dim(file, "two", 2, &deep[0]));
    for (int i = 1; i < 7; i++)
        deep[i] = deep[0];
    OK(ncmpi_def_dim(file, "time", NC_UNLIMITED, &unlimited));
    for (int i = BLOCKING; i <= BUFFERED; i++)
        OK(ncmpi_def_var(file, names[i], NC_INT, 2, dims, &var[i]));
    OK(ncmpi_def_var(file, names[DEEP], NC_BYTE, 7, deep, &var[DEEP]));
    dims[0] = unlimited;
    OK(ncmpi_def_var(file, names[RECORDS], NC_DOUBLE, 2, dims, &var[RECORDS]));
    OK(ncmpi_def_var(file, names[SCALAR], NC_SHORT, 0, NULL, &var[SCALAR]));
    OK(ncmpi_enddef(file));
}

/* Independent: each shape once, 24 + 1 + 6 + 3 + 3 + 2 + 2 ints written, as many read. */
static void blocking(void)
{
    const MPI_Offset start[2] = { rank, 0 }, row[2] = { 1, 6 }, half[2] = { 1, 3 }, every_second[2] = { 1, 2 };
    const MPI_Offset map[2] = { 6, 1 };
    MPI_Offset one[2] = { rank, 5 }, other[2] = { rank, 1 }, *starts[2] = { one, other };
    const int v = var[BLOCKING];
    MPI_Datatype two;

    OK(ncmpi_begin_indep_data(file));
    OK(ncmpi_put_var_int(file, v, ints));
    OK(ncmpi_put_var1(file, v, start, ints, 1, MPI_INT));
    OK(ncmpi_put_vara_short(file, v, start, row, (short *)ints));
    OK(ncmpi_put_vars_double(file, v, start, half, every_second, doubles));
    OK(ncmpi_put_varm_int(file, v, start, half, NULL, map, ints));
    OK(ncmpi_put_varn_int(file, v, 2, starts, NULL, ints));
    OK(ncmpi_get_var_int(file, v, ints));
    OK(ncmpi_get_var1_long(file, v, start, (long *)doubles));
    OK(ncmpi_get_vara(file, v, start, row, ints, 6, MPI_INT));
    OK(ncmpi_get_vars_float(file, v, start, half, every_second, (float *)ints));
    OK(ncmpi_get_varm_int(file, v, start, half, every_second, map, ints));
    OK(ncmpi_get_varn_int(file, v, 2, starts, NULL, ints));
    OK(ncmpi_end_indep_data(file));
    CHECK(MPI_Type_contiguous(2, MPI_INT, &two) == MPI_SUCCESS && MPI_Type_commit(&two) == MPI_SUCCESS);
    OK(ncmpi_put_vard_all(file, v, two, ints, 2, MPI_INT));
    OK(ncmpi_get_vard_all(file, v, two, ints, 2, MPI_INT));
    CHECK(MPI_Type_free(&two) == MPI_SUCCESS);
}

static void collective(void)
{
    const MPI_Offset start[2] = { rank, 0 }, row[2] = { 1, 6 };
    MPI_Offset first[2] = { rank, 0 }, second[2] = { rank, 3 }, n_first[2] = { 1, 2 }, n_second[2] = { 1, 3 };
    MPI_Offset *starts[2] = { first, second }, *counts[2] = { n_first, n_second };
    const int v = var[COLLECTIVE];

    OK(ncmpi_put_vara_int_all(file, v, start, row, ints));
    OK(ncmpi_put_vara_all(file, v, start, row, ints, 6, MPI_INT));
    OK(ncmpi_put_varn_int_all(file, v, 2, starts, counts, ints)); /* 2 + 3 */
    OK(ncmpi_get_vara_int_all(file, v, start, row, ints));
    OK(ncmpi_get_var_int_all(file, v, ints));
    CHECK(ncmpi_get_vara_int_all(file, v, start, (const MPI_Offset[2]){ 9, 9 }, ints) != NC_NOERR);
}

/* Posted one by one, done by one wait. */
static void nonblocking(void)
{
    const MPI_Offset start[2] = { rank, 0 }, row[2] = { 1, 6 };
    const int v = var[NONBLOCKING], b = var[BUFFERED];
    int request[3], status[3], none = 0;

    OK(ncmpi_iput_vara_int(file, v, start, row, ints, &request[0]));
    OK(ncmpi_iput_var1_int(file, v, start, ints, &request[1]));
    OK(ncmpi_wait_all(file, 2, request, status));
    OK(ncmpi_iput_vara_int(file, v, start, row, ints, &request[0])); /* cancelled: by number, and all that are left */
    OK(ncmpi_iput_var1_int(file, v, start, ints, &request[1]));
    OK(ncmpi_iget_vara_int(file, v, start, row, ints, &request[2]));
    OK(ncmpi_cancel(file, 1, &request[1], status));
    OK(ncmpi_cancel(file, NC_PUT_REQ_ALL, NULL, NULL));
    OK(ncmpi_cancel(file, NC_GET_REQ_ALL, NULL, NULL));
    OK(ncmpi_iget_vara(file, v, start, row, ints, 6, MPI_INT, &request[0]));
    OK(ncmpi_iget_var_int(file, v, ints + 6, &request[1]));
    OK(ncmpi_wait_all(file, 2, request, status));
    OK(ncmpi_buffer_attach(file, 1000));
    OK(ncmpi_bput_vara_int(file, b, start, row, ints, &request[0]));
    OK(ncmpi_bput_vars_int(file, b, start, (const MPI_Offset[2]){ 1, 3 }, (const MPI_Offset[2]){ 1, 2 }, ints,
                           &request[1]));
    OK(ncmpi_wait_all(file, 2, request, status));
    OK(ncmpi_buffer_detach(file));
    OK(ncmpi_begin_indep_data(file));
    OK(ncmpi_wait(file, 0, &none, &none));
    OK(ncmpi_end_indep_data(file));
    CHECK(ncmpi_wait(file, 0, &none, &none) != NC_NOERR); /* not in the mode of independent data */
}

/* Seven dimensions of 2; records, of which there are three; one number. */
static void shapes(void)
{
    const MPI_Offset start[7] = { rank / 2, rank % 2 }, count[7] = { 1, 1, 2, 2, 2, 2, 2 };
    const MPI_Offset record[2] = { 0, 0 }, records[2] = { 3, 6 };

    OK(ncmpi_put_vara_schar_all(file, var[DEEP], start, count, (signed char *)ints));
    OK(ncmpi_put_vara_double_all(file, var[RECORDS], record, records, doubles));
    OK(ncmpi_get_var_double_all(file, var[RECORDS], doubles));
    OK(ncmpi_put_var_int_all(file, var[SCALAR], ints));
}

/* Two files are open at a time, in which the same number is another variable. */
static void two_files(void)
{
    int other, x, a;
    const MPI_Offset none = 0;

    OK(ncmpi_create(MPI_COMM_WORLD, work_path("other.nc"), NC_CLOBBER, MPI_INFO_NULL, &other));
    OK(ncmpi_def_dim(other, "x", 10, &x));
    OK(ncmpi_def_var(other, "a", NC_CHAR, 1, &x, &a));
    CHECK(a == var[BLOCKING]);
    OK(ncmpi_enddef(other));
    OK(ncmpi_put_var_text_all(other, a, (char *)ints));
    OK(ncmpi_redef(other));
    OK(ncmpi_enddef(other));
    OK(ncmpi_sync(other));
    OK(ncmpi_close(other));
    OK(ncmpi_open(MPI_COMM_WORLD, work_path("other.nc"), NC_NOWRITE, MPI_INFO_NULL, &other));
    OK(ncmpi_inq_varid(other, "a", &a));
    CHECK(ncmpi_inq_varid(other, "there is none", &x) != NC_NOERR);
    OK(ncmpi_get_var1_text_all(other, a, &none, (char *)ints));
    OK(ncmpi_close(other));
    CHECK(ncmpi_open(MPI_COMM_WORLD, work_path("none.nc"), NC_NOWRITE, MPI_INFO_NULL, &other) != NC_NOERR);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    OK(ncmpi_create(MPI_COMM_WORLD, work_path("basic.nc"), NC_CLOBBER, MPI_INFO_NULL, &file));
    define();
    two_files();
    blocking();
    collective();
    nonblocking();
    shapes();
    OK(ncmpi_close(file));
    return work_end();
}
