/* heat.c - I/O at times known to a tenth of a second: heat DIRECTORY; heat maps in t6100-heatmap.sh
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks end 0.15 s after one another; the last one has no I/O. */
#include "work.h"

int main(int argc, char **argv)
{
    int rank = 0, ranks = 1, fd;
    char name[32], buffer[1000] = "";
    FILE *stream;

    work_start(&argc, &argv);
#ifdef WITH_MPI
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS);
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks) == MPI_SUCCESS);
#endif
    snprintf(name, sizeof name, "rank.%d", rank);
    if (rank < ranks - 1 || ranks == 1) {
        CHECK((fd = open(work_path(name), O_CREAT | O_RDWR | O_TRUNC, 0644)) >= 0);
        CHECK(write(fd, buffer, 1000) == 1000);
        CHECK(write(fd, buffer, 0) == 0);
        usleep(600000);
        CHECK(pread(fd, buffer, 300, 0) == 300);
        CHECK(close(fd) == 0);
        CHECK((stream = fopen(work_path(name), "a")) != NULL);
        CHECK(fwrite(buffer, 1, 7, stream) == 7);
        CHECK(fclose(stream) == 0);
    }
    usleep(150000 * (unsigned)rank);
    return work_end();
}
