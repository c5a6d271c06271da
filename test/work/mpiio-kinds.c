/* mpiio-kinds.c - every kind of MPI-IO data call; counters for 4 ranks in mpiio-kinds.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#define OK(call) CHECK((call) == MPI_SUCCESS)

static int rank;
static char *buffer;
static MPI_Request request;

/* The file is as long as all accesses reach: Open MPI 4.1 waits for ever for a nonblocking read beyond the end. */
static MPI_File open_comm(const char *name, MPI_Comm comm)
{
    MPI_File fh;

    OK(MPI_File_open(comm, work_path(name), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    OK(MPI_File_set_size(fh, 10000));
    return fh;
}

static void wait_for_it(void)
{
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void split(void)
{
    MPI_File fh = open_comm("split.dat", MPI_COMM_WORLD);

    OK(MPI_File_write_all_begin(fh, buffer, 10, MPI_BYTE));
    OK(MPI_File_write_all_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at_all_begin(fh, 100 * rank, buffer, 20, MPI_BYTE));
    OK(MPI_File_write_at_all_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_read_all_begin(fh, buffer, 30, MPI_BYTE));
    OK(MPI_File_read_all_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all_begin(fh, 100 * rank, buffer, 40, MPI_BYTE));
    OK(MPI_File_read_at_all_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
}

static void nonblocking(void)
{
    MPI_File fh = open_comm("nb.dat", MPI_COMM_WORLD);

    OK(MPI_File_iwrite(fh, buffer, 10, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iwrite_at(fh, 100 * rank, buffer, 20, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iwrite_all(fh, buffer, 30, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iwrite_at_all(fh, 100 * rank, buffer, 40, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iread(fh, buffer, 1, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iread_at(fh, 0, buffer, 2, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iread_all(fh, buffer, 3, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iread_at_all(fh, 0, buffer, 4, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_close(&fh));
}

/* The position that all ranks share: one after the other in some order, or in the order of ranks. */
static void shared_position(void)
{
    MPI_File fh = open_comm("shared.dat", MPI_COMM_WORLD);

    OK(MPI_File_write_shared(fh, buffer, 10, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_ordered(fh, buffer, 20, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET));
    OK(MPI_File_read_shared(fh, buffer, 10, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_ordered(fh, buffer, 20, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
}

/* A type with holes: 3 blocks of 2 integers are 24 bytes of data. */
static void derived_type(void)
{
    MPI_File fh = open_comm("type.dat", MPI_COMM_WORLD);
    MPI_Datatype vector;

    OK(MPI_Type_vector(3, 2, 5, MPI_INT, &vector));
    OK(MPI_Type_commit(&vector));
    OK(MPI_File_write_at(fh, rank * 1000, buffer, 2, vector, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
    OK(MPI_Type_free(&vector));
}

/* What is asked for counts, not what is there. */
static void end_of_file(void)
{
    MPI_File fh = open_comm("eof.dat", MPI_COMM_WORLD);

    OK(MPI_File_read_at(fh, 9990, buffer, 123, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
}

static void pairs(void)
{
    MPI_Comm pair;
    MPI_File fh;

    OK(MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair));
    fh = open_comm(rank < 2 ? "pair.0" : "pair.1", pair);
    OK(MPI_File_write_at_all(fh, 10 * rank, buffer, 1 + rank, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
    OK(MPI_Comm_free(&pair));
}

/* The other name of each function, as profiling libraries use it: counted once all the same. */
static void profiling_names(void)
{
    MPI_File fh;

    OK(PMPI_File_open(MPI_COMM_WORLD, work_path("pmpi.dat"), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    OK(PMPI_File_write_at(fh, 100 * rank, buffer, 10, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at_all(fh, 100 * rank, buffer, 20, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(PMPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    int provided;

    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK(argc >= 2);
    work_dir = argv[1];
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    buffer = work_buffer(4096);
    split();
    nonblocking();
    shared_position();
    derived_type();
    end_of_file();
    pairs();
    profiling_names();
    return work_end();
}
