/* mpi-shared.c - files of all ranks, of some and of one; counters for 4 ranks in mpi-shared.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"
#include "unseen.h"

#include <pthread.h>

static int rank, nprocs;
static char *buffer;

static int make(const char *name)
{
    int fd = open(work_path(name), O_CREAT | O_RDWR, 0644);

    CHECK(fd >= 0);
    return fd;
}

static void put(int fd, size_t n, off_t off)
{
    CHECK(pwrite(fd, buffer, n, off) == (ssize_t)n);
}

/* A file of each rank with its rank in the name. */
static void one_each(void)
{
    char name[32];
    int fd;

    snprintf(name, sizeof name, "own.%d", rank);
    fd = make(name);
    put(fd, 1 + (size_t)rank, 0);
    CHECK(close(fd) == 0);
}

/* `first` to `last` open a file together. */
static void together(const char *name, int first, int last)
{
    int fd;

    if (rank < first || rank > last)
        return;
    fd = make(name);
    put(fd, 10 * ((size_t)rank + 1), rank * 1000);
    CHECK(close(fd) == 0);
}

/* Sizes that are common on one rank, and one that is common on all. */
static void common_sizes(void)
{
    int fd = make("top.dat");

    for (int i = 0; i <= rank; i++)
        put(fd, 50, 0);
    put(fd, 100 + (size_t)rank, 0);
    put(fd, 100 + (size_t)rank, 0);
    CHECK(close(fd) == 0);
}

/* On each rank four sizes are more frequent than the one that is the most frequent of all: of sizes, and of strides. */
static void common_below(void)
{
    int fd = make("below.dat");
    off_t at = 0;

    for (size_t i = 0; i < 4 * 10; i++) {
        const size_t n = 100 + 10 * (size_t)rank + i % 4;

        put(fd, n, at);
        at += (off_t)(2 * n);
    }
    for (int i = 0; i < 6; i++) {
        put(fd, 77, at);
        at += 77 + 7777;
    }
    CHECK(close(fd) == 0);
}

/* Puts 10 bytes into the pipe after a second, by a call that is not seen: mpi-shared.want asks for a quarter of it. */
static void *writer(void *fd)
{
    sleep(1);
    CHECK(unseen(SYS_write, *(int *)fd, "0123456789", 10) == 10);
    return NULL;
}

/* All ranks open a pipe by its name; rank 2 waits in a read: it is the slowest for certain. */
static void slowest(void)
{
    const char *path = work_path("slow.fifo");
    pthread_t thread;
    int fd;

    CHECK(mkfifo(path, 0644) == 0 || errno == EEXIST);
    CHECK((fd = open(path, O_RDWR)) >= 0);
    if (rank == 2) {
        CHECK(pthread_create(&thread, NULL, writer, &fd) == 0);
        CHECK(read(fd, buffer, 10) == 10);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    CHECK(close(fd) == 0);
}

static void stream(void)
{
    FILE *f = fopen(work_path("all.txt"), "a");

    CHECK(f && fprintf(f, "%0*d", rank + 1, 0) == rank + 1 && fclose(f) == 0);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    CHECK(nprocs == 4);
    buffer = work_buffer(4096);
    one_each();
    together("all.dat", 0, 3);
    together("three.dat", 0, 2);
    together("notzero.dat", 1, 3);
    common_sizes();
    common_below();
    if (rank == 2)
        CHECK(puts("one rank speaks") >= 0);
    slowest();
    stream();
    return work_end();
}
