/* mpi-traced.c - MPI-IO at offsets given by a view, the file pointers and arguments; segments in mpi-traced.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The view of rank r of n: every n-th int from byte 100 + 4 * r on. */
#include "work.h"

#define OK(call) CHECK((call) == MPI_SUCCESS)

static void view(const char *path, int rank, int ranks)
{
    int data[2] = { 1, 2 };
    MPI_File file;
    MPI_Datatype every;
    MPI_Request request;

    OK(MPI_Type_create_resized(MPI_INT, 0, 4 * ranks, &every));
    OK(MPI_Type_commit(&every));
    OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    OK(MPI_File_set_view(file, 100 + 4 * rank, MPI_INT, every, "native", MPI_INFO_NULL));
    OK(MPI_File_write(file, data, 2, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at(file, 5, data, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_write_all(file, data, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_iwrite(file, data, 1, MPI_INT, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_File_write_all_begin(file, data, 1, MPI_INT));
    OK(MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE));
    OK(MPI_File_seek(file, 1, MPI_SEEK_SET));
    OK(MPI_File_read(file, data, 2, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 2, data, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_read(file, data, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&every));
}

/* Where the shared pointer was is known to the file system only. */
static void shared(const char *path)
{
    char byte = 'x';
    MPI_File file;

    OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    OK(MPI_File_write_shared(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    OK(MPI_File_write_ordered(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    int rank, ranks;

    work_start(&argc, &argv);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    view(work_path("view.dat"), rank, ranks);
    shared(work_path("shared.dat"));
    return work_end();
}
