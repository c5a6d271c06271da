/* stalls.c - to be preloaded: a rank stalls or dies while the log is written
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * STALL_CALL names the call (of MPI: Isend, Irecv; of the C library: pwrite, fsync, unlink; of the kernel: renameat2) and STALL_AT which of them after MPI_Finalize was called, from 1 on; or, in MPI_Init
 * as well, Comm_idup, by which it begins for us, and link, by which the survival file of a rank gets its name. Before it rank
 * STALL_RANK (1) sleeps STALL_SECONDS, or is killed if that is 0; behind it, with STALL_BEHIND set. A rank that is killed
 * makes the file STALL_KILLED, where that is set. From
 * MPI_Finalize on MPI_File_open is said on stderr. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <dlfcn.h>

static int rank = -1, calls;

static int number(const char *name, int otherwise)
{
    const char *value = getenv(name);

    return value ? atoi(value) : otherwise;
}

/* Whether this is the call. */
static int is_it(const char *call)
{
    const char *which = getenv("STALL_CALL");

    return rank >= 0 && rank == number("STALL_RANK", 1) && which && strcmp(which, call) == 0 &&
           ++calls == number("STALL_AT", 1);
}

static int is_it_early(const char *call)
{
    const int before = rank;
    int begun = 0, it;

    PMPI_Initialized(&begun);
    if (begun && rank < 0)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    it = is_it(call);
    rank = before;
    return it;
}

static void stall(void)
{
    if (number("STALL_SECONDS", 0) > 0) {
        sleep((unsigned)number("STALL_SECONDS", 0));
        return;
    }
    if (getenv("STALL_KILLED"))
        syscall(SYS_openat, AT_FDCWD, getenv("STALL_KILLED"), O_CREAT | O_WRONLY, 0600);
    kill(getpid(), SIGKILL);
}

int MPI_Finalize(void)
{
    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize");

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return next();
}

#define STALLS(type, name, call, parameters, arguments) STALLS_IF(is_it(#call), type, name, parameters, arguments)
#define STALLS_EARLY(type, name, call, parameters, arguments)                                                          \
    STALLS_IF(is_it_early(#call), type, name, parameters, arguments)

#define STALLS_IF(is_the_call, type, name, parameters, arguments)                                                      \
    type name parameters                                                                                               \
    {                                                                                                                  \
        static type(*next) parameters;                                                                                 \
        const int it = is_the_call, is_behind = getenv("STALL_BEHIND") != NULL;                                        \
        type result;                                                                                                   \
        if (!next)                                                                                                     \
            next = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                                        \
        if (it && !is_behind)                                                                                          \
            stall();                                                                                                   \
        result = next arguments;                                                                                       \
        if (it && is_behind)                                                                                           \
            stall();                                                                                                   \
        return result;                                                                                                 \
    }

#define STALLS_MPI(name, parameters, arguments) STALLS(int, PMPI_##name, name, parameters, arguments)

STALLS_MPI(Isend, (const void *buf, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r),
           (buf, n, type, to, tag, comm, r))
STALLS_MPI(Irecv, (void *buf, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r),
           (buf, n, type, from, tag, comm, r))
int PMPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *f)
{
    int (*next)(MPI_Comm, const char *, int, MPI_Info, MPI_File *) =
        (int (*)(MPI_Comm, const char *, int, MPI_Info, MPI_File *))dlsym(RTLD_NEXT, "PMPI_File_open");

    if (rank >= 0)
        fprintf(stderr, "MPI-IO in MPI_Finalize: %s\n", path);
    return next(comm, path, mode, info, f);
}

STALLS(ssize_t, pwrite, pwrite, (int fd, const void *buf, size_t n, off_t at), (fd, buf, n, at))
STALLS(ssize_t, pwrite64, pwrite, (int fd, const void *buf, size_t n, off64_t at), (fd, buf, n, at))
STALLS(int, fsync, fsync, (int fd), (fd))
STALLS_EARLY(int, link, link, (const char *from, const char *to), (from, to))
STALLS_EARLY(int, PMPI_Comm_idup, Comm_idup, (MPI_Comm comm, MPI_Comm *copy, MPI_Request *r), (comm, copy, r))

/* Calls that go to the kernel without a function of their own. */
long syscall(long what, ...)
{
    static long (*next)(long, ...);
    const int it = what == SYS_renameat2 && is_it("renameat2"), is_behind = getenv("STALL_BEHIND") != NULL;
    long a[6], result;
    va_list arguments;

    va_start(arguments, what);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (!next)
        next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (it && !is_behind)
        stall();
    result = next(what, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (it && is_behind)
        stall();
    return result;
}

STALLS(int, unlink, unlink, (const char *path), (path))
