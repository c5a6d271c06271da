/* all-parts.c - a rank of which each part of the extension section has something
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cufile-stand-in.h"
#include <darshan-phase.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[4096] = "x";

static int open_file(const char *directory, const char *name, int rank)
{
    char path[5000];
    int fd;

    snprintf(path, sizeof path, "%s/%s%d", directory, name, rank);
    fd = open(path, O_RDWR | O_CREAT, 0644);
    if (fd < 0)
        exit(1);
    return fd;
}

int main(int argc, char **argv)
{
    CUfileDescr_t descriptor = { .type = 1 };
    CUfileHandle_t handle;
    char *mapped;
    int rank, shared, logged;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    darshan_phase_begin("all");
    descriptor.handle.fd = shared = open_file(argv[1], "shared.", 0);
    for (int i = 0; i < 20; i++) {
        if (pwrite(shared, bytes, sizeof bytes, (off_t)sizeof bytes * (20 * rank + i)) != sizeof bytes)
            return 1;
        usleep(2000); /* a trace has CPU times after a pause */
    }
    logged = open_file(argv[1], "logged.", rank);
    if (write(logged, bytes, sizeof bytes) != sizeof bytes || close(logged) != 0)
        return 1;
    if (cuFileHandleRegister(&handle, &descriptor).err != 0 || cuFileRead(handle, bytes, 10, 0, 0) != 10)
        return 1;
    cuFileHandleDeregister(handle);
    mapped = mmap(NULL, sizeof bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    if (mapped == MAP_FAILED)
        return 1;
    mapped[0] = 'y';
    if (fork() == 0) {
        const int child = open_file(argv[1], "child.", rank);

        _exit(write(child, bytes, 10) != 10);
    }
    wait(NULL);
    close(shared);
    darshan_phase_end();
    MPI_Finalize();
    return 0;
}
