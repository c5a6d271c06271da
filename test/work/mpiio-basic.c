/* mpiio-basic.c - MPI-IO on 4 ranks with counters computed by hand in mpiio-basic.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#define OK(call) CHECK((call) == MPI_SUCCESS)

static int rank, nprocs;
static char *buffer;

static MPI_File open_all(const char *name, MPI_Comm comm, MPI_Info info)
{
    MPI_File fh;

    OK(MPI_File_open(comm, work_path(name), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh));
    return fh;
}

/* Each rank another amount: 100, 400, 900, 1600 bytes. */
static void variance(void)
{
    MPI_File fh = open_all("var.dat", MPI_COMM_WORLD, MPI_INFO_NULL);
    int n = 100 * (rank + 1) * (rank + 1);

    OK(MPI_File_write_at(fh, rank * 10000, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
}

/* Collective calls with and without explicit offsets, a view, hints. */
static void collective(void)
{
    MPI_Info info;
    MPI_File fh;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "cb_nodes", "1"));
    fh = open_all("coll.dat", MPI_COMM_WORLD, info);
    OK(MPI_File_set_view(fh, rank * 4000, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(fh, buffer, 250, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at_all(fh, 250, buffer, 500, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_sync(fh));
    OK(MPI_File_seek(fh, 0, MPI_SEEK_SET));
    OK(MPI_File_read_all(fh, buffer, 250, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(fh, 250, buffer, 250, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", info));
    OK(MPI_File_close(&fh));
    OK(MPI_Info_free(&info));
}

/* Independent calls, with and without explicit offsets. */
static void independent(void)
{
    MPI_File fh = open_all("indep.dat", MPI_COMM_WORLD, MPI_INFO_NULL);

    OK(MPI_File_seek(fh, rank * 1000, MPI_SEEK_SET));
    OK(MPI_File_write(fh, buffer, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at(fh, rank * 1000 + 100, buffer, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_seek(fh, rank * 1000, MPI_SEEK_SET));
    OK(MPI_File_read(fh, buffer, 50, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(fh, rank * 1000, buffer, 101, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at(fh, rank * 1000, buffer, 0, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
}

/* Calls that return before the data is moved. */
static void later(void)
{
    MPI_File fh = open_all("later.dat", MPI_COMM_WORLD, MPI_INFO_NULL);
    MPI_Request request;

    OK(MPI_File_iwrite_at(fh, rank * 1000, buffer, 200, MPI_BYTE, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_File_iread_at(fh, rank * 1000, buffer, 200, MPI_BYTE, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at_all_begin(fh, rank * 1000, buffer, 300, MPI_BYTE));
    OK(MPI_File_write_at_all_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all_begin(fh, rank * 1000, buffer, 300, MPI_BYTE));
    OK(MPI_File_read_at_all_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
}

/* A file a rank, and one file that each rank opens for itself. */
static void alone(void)
{
    char name[32];
    MPI_File fh;

    snprintf(name, sizeof name, "self.%d", rank);
    fh = open_all(name, MPI_COMM_SELF, MPI_INFO_NULL);
    OK(MPI_File_write_at(fh, 0, buffer, 10 * (rank + 1), MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
    fh = open_all("each.dat", MPI_COMM_SELF, MPI_INFO_NULL);
    OK(MPI_File_write_at(fh, rank * 100, buffer, 7, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
}

/* A call that fails counts for nothing. */
static void failure(void)
{
    MPI_File fh;

    CHECK(MPI_File_open(MPI_COMM_SELF, work_path("missing.dat"), MPI_MODE_RDONLY, MPI_INFO_NULL, &fh) != MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &nprocs));
    CHECK(nprocs == 4);
    buffer = work_buffer(4096);
    variance();
    collective();
    independent();
    later();
    alone();
    failure();
    return work_end();
}
