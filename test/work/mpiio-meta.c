/* mpiio-meta.c - MPI-IO calls that move no data, ends of split collectives, views; counters for 2 ranks in mpiio-meta.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Run with slow-mpi.c, in which each of them takes longer, it shows whose time is in a record: each is on a file of its
 * own. */
#include "work.h"

#define OK(call) CHECK((call) == MPI_SUCCESS)

static int rank;
static char *buffer;

static MPI_File opened(const char *name)
{
    MPI_File fh;

    OK(MPI_File_open(MPI_COMM_WORLD, work_path(name), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    return fh;
}

/* `call` on a file of the name, and nothing else. */
#define ON_FILE(name, call)                                                                                            \
    do {                                                                                                               \
        MPI_File fh = opened(name);                                                                                    \
        call;                                                                                                          \
        OK(MPI_File_close(&fh));                                                                                       \
    } while (0)

static void metadata(void)
{
    MPI_Offset at;
    MPI_Info info;

    OK(MPI_Info_create(&info));
    ON_FILE("preallocate.meta", OK(MPI_File_preallocate(fh, 1000)));
    ON_FILE("set_size.meta", OK(MPI_File_set_size(fh, 4000)));
    ON_FILE("get_size.meta", OK(MPI_File_get_size(fh, &at)));
    ON_FILE("seek.meta", OK(MPI_File_seek(fh, 10, MPI_SEEK_SET)));
    ON_FILE("seek.fail", CHECK(MPI_File_seek(fh, -1, MPI_SEEK_SET) != MPI_SUCCESS));
    ON_FILE("seek_shared.meta", OK(MPI_File_seek_shared(fh, 100, MPI_SEEK_SET)));
    ON_FILE("get_position_shared.meta", OK(MPI_File_get_position_shared(fh, &at)));
    ON_FILE("set_atomicity.meta", OK(MPI_File_set_atomicity(fh, 0)));
    ON_FILE("set_info.meta", OK(MPI_File_set_info(fh, info)));
    ON_FILE("delete.meta", (void)0);
    OK(MPI_Info_free(&info));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        OK(MPI_File_delete(work_path("delete.meta"), MPI_INFO_NULL));
        CHECK(MPI_File_delete(work_path("never.dat"), MPI_INFO_NULL) != MPI_SUCCESS);
    }
}

/* Only every second block of 8 bytes of a view belongs to a rank: 100 integers are 400 bytes all the same. */
static void view(void)
{
    MPI_File fh = opened("view.dat");
    MPI_Datatype type;

    OK(MPI_Type_vector(50, 2, 4, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_File_set_view(fh, 8 * rank, MPI_INT, type, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(fh, buffer, 100, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(fh, 0, buffer, 0, MPI_INT, MPI_STATUS_IGNORE)); /* counts, with 0 bytes */
    OK(MPI_File_close(&fh));
    OK(MPI_Type_free(&type));
}

/* Both halves are one call, and the time of both is in the log. The files that are read have a size, for Open MPI 4.1
 * waits for ever for a read beyond the end. */
static void split(void)
{
    ON_FILE("all.write", OK(MPI_File_write_all_begin(fh, buffer, 10, MPI_BYTE));
            OK(MPI_File_write_all_end(fh, buffer, MPI_STATUS_IGNORE)));
    ON_FILE("at_all.write", OK(MPI_File_write_at_all_begin(fh, 0, buffer, 10, MPI_BYTE));
            OK(MPI_File_write_at_all_end(fh, buffer, MPI_STATUS_IGNORE)));
    ON_FILE("ordered.write", OK(MPI_File_write_ordered_begin(fh, buffer, 10, MPI_BYTE));
            OK(MPI_File_write_ordered_end(fh, buffer, MPI_STATUS_IGNORE)));
    ON_FILE("all.read", OK(MPI_File_set_size(fh, 100)); OK(MPI_File_read_all_begin(fh, buffer, 10, MPI_BYTE));
            OK(MPI_File_read_all_end(fh, buffer, MPI_STATUS_IGNORE)));
    ON_FILE("at_all.read", OK(MPI_File_set_size(fh, 100)); OK(MPI_File_read_at_all_begin(fh, 0, buffer, 10, MPI_BYTE));
            OK(MPI_File_read_at_all_end(fh, buffer, MPI_STATUS_IGNORE)));
    ON_FILE("ordered.read", OK(MPI_File_set_size(fh, 100)); OK(MPI_File_read_ordered_begin(fh, buffer, 10, MPI_BYTE));
            OK(MPI_File_read_ordered_end(fh, buffer, MPI_STATUS_IGNORE)));
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    buffer = work_buffer(4096);
    metadata();
    view();
    split();
    return work_end();
}
