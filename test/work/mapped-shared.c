/* mapped-shared.c - ranks map one file, and each stores into its own part of it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * mapped-shared DIRECTORY: 16 pages a rank. Even ranks unmap it, odd ones leave that to the end. Counters:
 * mapped-shared.want. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 16

int main(int argc, char **argv)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int rank, n, fd;
    size_t size;
    char *at;

    assert(argc == 2 && chdir(argv[1]) == 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    size = (size_t)n * PAGES * page;
    fd = open("shared", O_RDWR | O_CREAT, 0600);
    assert(fd >= 0 && (rank > 0 || ftruncate(fd, (off_t)size) == 0));
    MPI_Barrier(MPI_COMM_WORLD);
    at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert(at != MAP_FAILED && close(fd) == 0);
    for (size_t i = 0; i < PAGES; i++)
        at[((size_t)rank * PAGES + i) * page] = 1;
    if (rank % 2 == 0)
        assert(munmap(at, size) == 0);
    MPI_Finalize();
    return 0;
}
