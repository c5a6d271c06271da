/* stalls.c - a library to be preloaded: rank 1 stalls or dies while the log is being made
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * STALL_CALL names the call of MPI (Isend, Irecv, File_open, File_write_at_all) and STALL_AT which of them after
 * MPI_Finalize was called, from 1 on; then rank 1 sleeps STALL_SECONDS, or is killed if that is 0. With LOSE set rank
 * 1's
 * part of MPI_File_write_at_all is not written. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dlfcn.h>

static int rank = -1, calls;

static void stall(const char *call)
{
    const char *which = getenv("STALL_CALL");

    if (rank != 1 || !which || strcmp(which, call) != 0 || ++calls != atoi(getenv("STALL_AT")))
        return;
    if (atoi(getenv("STALL_SECONDS")) == 0)
        raise(SIGKILL);
    sleep((unsigned)atoi(getenv("STALL_SECONDS")));
}

int MPI_Finalize(void)
{
    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize");

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return next();
}

#define STALLS(name, parameters, arguments)                                                                            \
    int PMPI_##name parameters                                                                                         \
    {                                                                                                                  \
        static int(*next) parameters;                                                                                  \
        if (!next)                                                                                                     \
            next = (int(*) parameters)dlsym(RTLD_NEXT, "PMPI_" #name);                                                 \
        stall(#name);                                                                                                  \
        return next arguments;                                                                                         \
    }

STALLS(Isend, (const void *buf, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r),
       (buf, n, type, to, tag, comm, r))
STALLS(Irecv, (void *buf, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r),
       (buf, n, type, from, tag, comm, r))
STALLS(File_open, (MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *f), (comm, path, mode, info, f))
STALLS(File_write_at_all, (MPI_File f, MPI_Offset at, const void *buf, int n, MPI_Datatype type, MPI_Status *status),
       (f, at, buf, rank == 1 && getenv("LOSE") ? 0 : n, type, status))
