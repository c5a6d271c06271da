/* apart.c - ranks that do not communicate between MPI_Init and MPI_Finalize
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * apart DIRECTORY [RANK KIB [FILES]]: each rank writes 4096 bytes to each of own.<rank>.0, .1 and .2 there, or as many as are asked
 * for. Behind that RANK allows itself so much more address space than it has. */
#include "work.h"

#include <sys/resource.h>

static void write_files(int rank, int n)
{
    char name[32], *bytes = work_buffer(4096);

    for (int i = 0; i < n; i++) {
        int fd;

        snprintf(name, sizeof name, "own.%d.%d", rank, i);
        fd = open(work_path(name), O_CREAT | O_WRONLY, 0644);
        CHECK(fd >= 0 && write(fd, bytes, 4096) == 4096 && close(fd) == 0);
    }
    free(bytes);
}

/* What there is already stays. */
static void allow_only(long kib)
{
    struct rlimit limit;
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    CHECK(f && fscanf(f, "%ld", &pages) == 1 && fclose(f) == 0);
    limit.rlim_cur = limit.rlim_max = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + kib * 1024);
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

int main(int argc, char **argv)
{
    int rank;

    work_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    write_files(rank, argc > 4 ? atoi(argv[4]) : 3);
    if (argc > 3 && rank == atoi(argv[2]))
        allow_only(atol(argv[3]));
    MPI_Finalize();
    return 0;
}
