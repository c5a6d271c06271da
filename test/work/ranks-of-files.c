/* ranks-of-files.c - files that all ranks open, and some read or write: the test has the counts for 4 ranks
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#define OK(call) CHECK((call) == MPI_SUCCESS)
#define BLOCK    4096

static int rank;
static char *buffer;

static int open_all(const char *name)
{
    const int fd = open(work_path(name), O_CREAT | O_RDWR, 0644);

    CHECK(fd >= 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return fd;
}

/* Ranks 0 and 2 write, 2 most of all; then 1, 2 and 3 read, and 0 reads where nothing is. */
static void some(void)
{
    const int fd = open_all("some.dat");

    for (int i = 0; rank % 2 == 0 && i < (rank == 2 ? 4000 : 1); i++)
        CHECK(pwrite(fd, buffer, BLOCK, (off_t)i * BLOCK) == BLOCK);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(pread(fd, buffer, BLOCK, rank == 0 ? (off_t)1 << 40 : 0) == (rank == 0 ? 0 : BLOCK));
    CHECK(close(fd) == 0);
}

static void none(void)
{
    CHECK(close(open_all("none.dat")) == 0);
}

/* Every rank in a stream, rank 3 not. */
static void stream(void)
{
    FILE *f = fopen(work_path("stream.dat"), "a+");

    CHECK(f && (rank == 3 || fwrite(buffer, 1, 10, f) == 10) && fclose(f) == 0);
}

/* Each rank writes its part through MPI-IO. */
static void collective(void)
{
    MPI_File f;

    OK(MPI_File_open(MPI_COMM_WORLD, work_path("collective.dat"), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
    OK(MPI_File_write_at_all(f, (MPI_Offset)rank * BLOCK, buffer, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    buffer = work_buffer(BLOCK);
    some();
    none();
    stream();
    collective();
    return work_end();
}
