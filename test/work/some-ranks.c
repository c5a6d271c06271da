/* some-ranks.c - instrumented and other ranks, one of which may be late for MPI_Init
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     some-ranks DIR [RANK SECONDS]
 *
 * Each writes a file of its own; collective calls that make communicators are where ranks that MPI does not see alike would wait
 * for ever. */
#include "work.h"

static int launched_as(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    rank = rank ? rank : getenv("PMI_RANK");
    return rank ? atoi(rank) : 0;
}

int main(int argc, char **argv)
{
    MPI_Comm copy, half;
    MPI_Request request;
    char name[PATH_MAX];
    FILE *f;

    if (argc > 3 && launched_as() == atoi(argv[2]))
        sleep((unsigned)atoi(argv[3]));
    work_start(&argc, &argv);
    CHECK(MPI_Ibarrier(MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
    CHECK(MPI_Comm_split(copy, launched_as() % 2, 0, &half) == MPI_SUCCESS);
    snprintf(name, sizeof name, "%s/rank%d.dat", work_dir, launched_as());
    CHECK((f = fopen(name, "w")) && fputs("abcdef", f) >= 0 && fclose(f) == 0);
    CHECK(MPI_Barrier(half) == MPI_SUCCESS);
    CHECK(MPI_Comm_free(&half) == MPI_SUCCESS && MPI_Comm_free(&copy) == MPI_SUCCESS);
    return work_end();
}
