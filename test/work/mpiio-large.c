/* mpiio-large.c - MPI-IO calls with large counts, for an MPI that has them; counters for 2 ranks in mpiio-large.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The bytes are few, but the counts are of the large type. One of each kind of the 28. */
#include "work.h"

#define OK(call) CHECK((call) == MPI_SUCCESS)

#if MPI_VERSION >= 4

static char *buffer;
static MPI_Request request;

static void wait_for_it(void)
{
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void blocking(MPI_File fh, MPI_Count n)
{
    OK(MPI_File_write_c(fh, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at_c(fh, 0, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_shared_c(fh, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_all_c(fh, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at_all_c(fh, 0, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_ordered_c(fh, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_c(fh, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_c(fh, 0, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_shared_c(fh, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_all_c(fh, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all_c(fh, 0, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_ordered_c(fh, buffer, n, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void split(MPI_File fh, MPI_Count n)
{
    OK(MPI_File_write_all_begin_c(fh, buffer, n, MPI_BYTE));
    OK(MPI_File_write_all_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at_all_begin_c(fh, 0, buffer, n, MPI_BYTE));
    OK(MPI_File_write_at_all_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_write_ordered_begin_c(fh, buffer, n, MPI_BYTE));
    OK(MPI_File_write_ordered_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_read_all_begin_c(fh, buffer, n, MPI_BYTE));
    OK(MPI_File_read_all_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all_begin_c(fh, 0, buffer, n, MPI_BYTE));
    OK(MPI_File_read_at_all_end(fh, buffer, MPI_STATUS_IGNORE));
    OK(MPI_File_read_ordered_begin_c(fh, buffer, n, MPI_BYTE));
    OK(MPI_File_read_ordered_end(fh, buffer, MPI_STATUS_IGNORE));
}

static void nonblocking(MPI_File fh, MPI_Count n)
{
    OK(MPI_File_iwrite_c(fh, buffer, n, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iwrite_at_c(fh, 0, buffer, n, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iwrite_shared_c(fh, buffer, n, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iwrite_all_c(fh, buffer, n, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iwrite_at_all_c(fh, 0, buffer, n, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iread_c(fh, buffer, n, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iread_at_c(fh, 0, buffer, n, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iread_shared_c(fh, buffer, n, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iread_all_c(fh, buffer, n, MPI_BYTE, &request));
    wait_for_it();
    OK(MPI_File_iread_at_all_c(fh, 0, buffer, n, MPI_BYTE, &request));
    wait_for_it();
}

int main(int argc, char **argv)
{
    MPI_File fh;

    work_start(&argc, &argv);
    buffer = work_buffer(4096);
    OK(MPI_File_open(MPI_COMM_WORLD, work_path("large.dat"), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    OK(MPI_File_set_size(fh, 100000));
    blocking(fh, 10);
    split(fh, 20);
    nonblocking(fh, 30);
    OK(PMPI_File_write_at_c(fh, 0, buffer, 40, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
    return work_end();
}

#else
#error "this MPI has no large counts"
#endif
