/* ledger.c - processes or ranks that write and read continuously, and count returned calls in a shared file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ledger DIRECTORY SECONDS [PROCESSES]: process i writes 7 bytes at a time to DIRECTORY/data.i, reads 3 after each third
 * write, puts a character into DIRECTORY/text.i after each, and has its place i in DIRECTORY/ledger: calls that have
 * returned of each of these. Built with -DMPI each rank does that; the number is the rank's. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef MPI
#include <mpi.h>
#endif

struct place {
    atomic_long written, read, put;
};

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int work(const char *directory, int i, double for_seconds, struct place *mine)
{
    const double begin = seconds();
    char path[4096], bytes[8] = "";
    FILE *text;
    int fd;

    snprintf(path, sizeof path, "%s/data.%d", directory, i);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    snprintf(path, sizeof path, "%s/text.%d", directory, i);
    text = fopen(path, "w");
    if (fd < 0 || !text)
        return 1;
    for (long n = 1; n % 1000 != 0 || seconds() - begin < for_seconds; n++) {
        if (pwrite(fd, bytes, 7, n % 64 * 7) != 7)
            return 1;
        atomic_fetch_add(&mine->written, 1);
        if (fputc('x', text) == EOF)
            return 1;
        atomic_fetch_add(&mine->put, 1);
        if (n % 3 == 0 && pread(fd, bytes, 3, 0) == 3)
            atomic_fetch_add(&mine->read, 1);
    }
    return fclose(text) != 0 || close(fd) != 0;
}

int main(int argc, char **argv)
{
    const int n = argc > 3 ? atoi(argv[3]) : 1;
    char path[4096];
    struct place *place;
    int fd, failed = 0, status, rank = 0;

    if (argc < 3)
        return 2;
#ifdef MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    snprintf(path, sizeof path, "%s/ledger", argv[1]);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return 1;
    place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (place == MAP_FAILED)
        return 1;
    for (int i = 1; i < n; i++)
        if (fork() == 0)
            _exit(work(argv[1], i, atof(argv[2]), &place[i]));
    failed = work(argv[1], rank, atof(argv[2]), &place[rank]);
    while (wait(&status) > 0)
        failed |= status;
#ifdef MPI
    MPI_Finalize();
#endif
    return failed != 0;
}
