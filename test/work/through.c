/* through.c - preloaded after the tool: reports on stderr that a rank has left it, and exits there
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whatever MPI would wait for. */
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int MPI_Finalize(void)
{
    char line[32];
    int rank, n;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = snprintf(line, sizeof line, "through %d\n", rank);
    if (write(STDERR_FILENO, line, (size_t)n) != n)
        return 1;
    syscall(SYS_exit_group, 0);
    return 0;
}
