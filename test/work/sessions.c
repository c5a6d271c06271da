/* sessions.c - uses MPI by sessions only, without MPI_Init
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#if MPI_VERSION >= 4
static void write_file(int rank)
{
    char name[32];
    int fd;

    snprintf(name, sizeof name, "rank%d.dat", rank);
    CHECK((fd = open(work_path(name), O_CREAT | O_WRONLY, 0644)) >= 0);
    CHECK(write(fd, "abcdef", 6) == 6 && close(fd) == 0);
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank;

    work_dir = argv[argc - 1];
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
    CHECK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
    CHECK(MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS);
    MPI_Comm_rank(comm, &rank);
    write_file(rank);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}
#else
int main(void)
{
    return 77; /* this MPI has none */
}
#endif
