/* call-sites.c - calls from places that are known: functions that others call, in one loop, in threads, through libraries
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Arguments: a directory; "many": so many calls that not all are looked at; "files": 3,000 more files than these, which is more
 * than there are records for; "killed": it ends so. What is expected is in
 * test/e2e/t1100-call-sites.sh, where the lines are found by the comments behind them. */
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static char buffer[1000];

/* Two functions with the same frame call a third one. */
static APART int put(int fd, size_t n, off_t at)
{
    const ssize_t done = pwrite(fd, buffer, n, at); /* line: put */

    return done == (ssize_t)n ? 0 : 1;
}

static APART int save_first(int fd)
{
    int failed = 0;

    for (int i = 0; i < 40; i++)
        failed += put(fd, 100, i * 100); /* line: first */
    return failed;
}

static APART int save_second(int fd)
{
    int failed = 0;

    for (int i = 0; i < 30; i++)
        failed += put(fd, 200, i * 200); /* line: second */
    return failed;
}

static APART int descend(int fd, int depth)
{
    int failed = depth > 0 ? descend(fd, depth - 1) : put(fd, 10, 0); /* line: deep */

    return failed + (buffer[0] != 0); /* not a tail call */
}

static APART int alternate(int fd)
{
    int failed = 0;

    for (int i = 0; i < 50; i++) {
        failed += read(fd, buffer, 1) != 1; /* line: one */
        failed += read(fd, buffer, 2) != 2; /* line: two */
        failed += lseek(fd, 0, SEEK_SET) != 0;
    }
    return failed;
}

static APART int print(FILE *f, long n)
{
    int failed = 0;

    for (long i = 0; i < n; i++) {
        failed += fprintf(f, "%d\n", 1) != 2; /* line: print */
        failed += fputs("abc\n", f) < 0;      /* line: puts */
    }
    return failed;
}

static void *run_thread(void *fd)
{
    static int failed;

    for (int i = 0; i < 100; i++)
        failed += pread(*(int *)fd, buffer, 5, i) != 5; /* line: thread */
    return failed ? fd : NULL;
}

static int open_at(const char *directory, const char *name, int rank)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s.%d", directory, name, rank);
    return open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static APART int make_files(const char *directory)
{
    int failed = 0;

    for (int i = 0; i < 3000; i++) {
        const int fd = open_at(directory, "one", i);

        failed += write(fd, buffer, 9) != 9; /* line: file */
        close(fd);
    }
    return failed;
}

#ifdef WITH_MPI
static APART int together(const char *directory)
{
    char path[4096];
    int rank, failed = 0;
    MPI_File f;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/shared", directory);
    failed += MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) != MPI_SUCCESS;
    for (int i = 0; i < 20; i++) {
        const MPI_Offset at = rank * 100000 + i * 1000;

        failed += MPI_File_write_at(f, at, buffer, 1000, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS; /* line: mpi */
    }
    return failed + (MPI_File_close(&f) != MPI_SUCCESS);
}
#endif

int main(int argc, char **argv)
{
    const int is_killed = argc > 2 && strcmp(argv[2], "killed") == 0;
    const long many = argc > 2 && strcmp(argv[2], "many") == 0 ? 200000 : 100;
    int rank = 0, failed = 0, fd, own;
    pthread_t thread[3];
    char path[4096];
    FILE *f;

#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    failed += together(argv[1]);
#endif
    fd = open_at(argv[1], "data", rank);
    failed += save_first(fd) + save_second(fd) + descend(fd, 3) + alternate(fd);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, run_thread, &fd);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    close(fd);
    snprintf(path, sizeof path, "%s/text.%d", argv[1], rank);
    f = fopen(path, "w");
    failed += !f || print(f, many);
    if (f)
        fclose(f);
    if (rank == 0) {
        own = open_at(argv[1], "own", rank);
        failed += save_first(own);
        close(own);
    }
    if (argc > 2 && strcmp(argv[2], "files") == 0)
        failed += make_files(argv[1]);
    if (is_killed)
        raise(SIGKILL);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return failed != 0;
}
