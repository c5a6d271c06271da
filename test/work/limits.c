/* limits.c - exhausted resources when the log is written; counters in limits.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * limits DIRECTORY HOW: "files" no descriptor is left, "stderr" descriptor 2 is a data file of the program, "abort" the
 * last rank calls MPI_Abort, "late" it finalizes 3 s after the others, "none" nothing of this. */
#include "work.h"

int main(int argc, char **argv)
{
    const char *how;
    int rank = 0, nprocs = 1, fd;

    work_start(&argc, &argv);
    CHECK(argc > 2);
    how = argv[2];
#ifdef WITH_MPI
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
#endif
    CHECK((fd = open(work_path("limits.dat"), O_CREAT | O_WRONLY, 0644)) >= 0);
    CHECK(pwrite(fd, "data", 4, 4 * rank) == 4 && close(fd) == 0);
    if (strcmp(how, "files") == 0) {
        while (open("/dev/null", O_RDONLY) >= 0)
            continue;
        CHECK(errno == EMFILE);
    }
    if (strcmp(how, "stderr") == 0) {
        close(STDERR_FILENO);
        CHECK(open(work_path("precious.dat"), O_CREAT | O_WRONLY | O_TRUNC, 0644) == STDERR_FILENO);
        CHECK(write(STDERR_FILENO, "precious", 8) == 8);
    }
#ifdef WITH_MPI
    if (strcmp(how, "abort") == 0 && rank == nprocs - 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
#endif
    if (strcmp(how, "late") == 0 && rank == nprocs - 1)
        sleep(8);
    return work_end();
}
