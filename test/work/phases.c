/* phases.c - phases that a program names: what is called in each of them, and what is not
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <darshan-phase.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#define THREADS 4
#define CALLS   1000

static char bytes[1 << 16];
static char directory[4096];
static int rank;

static int open_file(const char *name, int flags)
{
    char path[5000];
    int fd;

    snprintf(path, sizeof path, "%s/%s.%d", directory, name, rank);
    fd = open(path, flags, 0644);
    if (fd < 0) {
        perror(path);
        exit(1);
    }
    return fd;
}

static void expect(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    exit(1);
}

/* Two that contain each other: a call is the innermost one's. */
static void nested(int fd)
{
    struct stat st;

    darshan_phase_begin("outer");
    for (int i = 0; i < 10; i++)
        expect(pwrite(fd, bytes, 1000, 1000 * i) == 1000, "written");
    darshan_phase_begin("inner");
    for (int i = 0; i < 7; i++)
        expect(pread(fd, bytes, 500, 500 * i) == 500, "read");
    expect(lseek(fd, 0, SEEK_SET) == 0, "moved");
    usleep(30000);
    darshan_phase_end();
    expect(fsync(fd) == 0, "synced");
    expect(fstat(fd, &st) == 0, "looked at");
    darshan_phase_end();
    expect(pwrite(fd, bytes, 1, 0) == 1, "written in none");
}

static void streams(void)
{
    char path[5000], other[5000];
    FILE *f;

    darshan_phase_begin("streams");
    snprintf(path, sizeof path, "%s/stream.%d", directory, rank);
    snprintf(other, sizeof other, "%s/moved.%d", directory, rank);
    f = fopen(path, "w+");
    expect(f != NULL, "a stream");
    for (int i = 0; i < 100; i++)
        fputs("0123456789", f);
    fflush(f);
    rewind(f);
    for (int i = 0; i < 5; i++)
        expect(fread(bytes, 1, 20, f) == 20, "read");
    fclose(f);
    expect(rename(path, other) == 0, "renamed");
    expect(unlink(other) == 0, "deleted");
    darshan_phase_end();
}

static pthread_barrier_t all;

/* Each in one of its own, then all in one, on files of their own: nobody waits for another one's lock for long. */
static void *thread(void *argument)
{
    const int me = (int)(size_t)argument;
    char name[32];
    int fd;

    snprintf(name, sizeof name, "thread-%d", me);
    fd = open_file(name, O_RDWR | O_CREAT | O_TRUNC);
    darshan_phase_begin(name);
    for (int i = 0; i < 100 * (me + 1); i++)
        expect(pwrite(fd, bytes, 10, 10 * i) == 10, "written");
    darshan_phase_end();
    pthread_barrier_wait(&all);
    darshan_phase_begin("together");
    for (int i = 0; i < CALLS; i++)
        expect(pwrite(fd, bytes, 8, 8 * i) == 8, "written");
    darshan_phase_end();
    close(fd);
    return NULL;
}

static void threads(void)
{
    pthread_t them[THREADS];

    pthread_barrier_init(&all, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&them[i], NULL, thread, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(them[i], NULL);
}

/* What a thread has not ended, its end does, as far as is known. */
static void *leave_open(void *argument)
{
    (void)argument;
    darshan_phase_begin("left");
    close(open_file("left", O_RDWR | O_CREAT));
    return NULL;
}

static void left(void)
{
    pthread_t them[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&them[i], NULL, leave_open, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(them[i], NULL);
    usleep(300000);
}

static void names(int fd)
{
    char name[200];

    memset(name, 'a', sizeof name);
    memcpy(name + 62, "\xc3\xa4", 2); /* of which the first byte alone would fit */
    name[199] = '\0';
    darshan_phase_begin(name);
    expect(pwrite(fd, bytes, 3, 0) == 3, "written");
    darshan_phase_end();
    darshan_phase_begin("a\nb");
    expect(pwrite(fd, bytes, 4, 0) == 4, "written");
    darshan_phase_end();
    darshan_phase_begin("");
    expect(pwrite(fd, bytes, 5, 0) == 5, "written");
    darshan_phase_end();
    darshan_phase_begin(NULL);
    darshan_phase_end(); /* of none */
    expect(pwrite(fd, bytes, 6, 0) == 6, "written in none");
}

/* Deeper than 16 has no name of its own, and all of them end. */
static void deep(int fd)
{
    char name[32];

    for (int i = 1; i <= 20; i++) {
        snprintf(name, sizeof name, "deep-%d", i);
        darshan_phase_begin(name);
    }
    expect(pwrite(fd, bytes, 7, 0) == 7, "written");
    for (int i = 20; i > 1; i--)
        darshan_phase_end();
    expect(pwrite(fd, bytes, 9, 0) == 9, "written");
    darshan_phase_end();
    expect(pwrite(fd, bytes, 11, 0) == 11, "written in none");
}

/* More names than there are places. */
static void many(int fd)
{
    char name[32];

    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 100; i++) {
            snprintf(name, sizeof name, "many-%03d", i);
            darshan_phase_begin(name);
            expect(pwrite(fd, bytes, 13, 0) == 13, "written");
            darshan_phase_end();
        }
}

#ifdef WITH_MPI

/* As IPM has it; they need not contain each other. */
static void controlled(int fd)
{
    MPI_File f;
    char path[5000];

    errno = 4711;
    MPI_Pcontrol(0);
    MPI_Pcontrol(1);
    MPI_Pcontrol(-1);
    MPI_Pcontrol(2);
    MPI_Pcontrol(1, "mpi");
    expect(errno == 4711, "errno is as it was");
    snprintf(path, sizeof path, "%s/mpi", directory);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_write_at(f, 4096 * rank, bytes, 4096, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Pcontrol(1, "crossed");
    expect(pwrite(fd, bytes, 17, 0) == 17, "written");
    MPI_Pcontrol(-1, "mpi");
    expect(pwrite(fd, bytes, 19, 0) == 19, "written");
    MPI_Pcontrol(-1, "no such phase");
    MPI_Pcontrol(-1, "crossed");
    MPI_Pcontrol(5);
    expect(pwrite(fd, bytes, 23, 0) == 23, "written");
    MPI_Pcontrol(-5);
    MPI_Pcontrol(1, "switched off");
    MPI_Pcontrol(1, "too");
    MPI_Pcontrol(0);
    expect(pwrite(fd, bytes, 37, 0) == 37, "written in none");
    if (rank == 0) {
        MPI_Pcontrol(1, "of rank 0");
        expect(pwrite(fd, bytes, 29, 0) == 29, "written");
        MPI_Pcontrol(-1, "of rank 0");
    }
}

#endif

int main(int argc, char **argv)
{
    int fd;

#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    snprintf(directory, sizeof directory, "%s", argc > 1 ? argv[1] : ".");
    darshan_phase_end(); /* of none */
    fd = open_file("file", O_RDWR | O_CREAT | O_TRUNC);
    nested(fd);
    streams();
    threads();
    left();
    names(fd);
#ifdef WITH_MPI
    controlled(fd);
#endif
    deep(fd);
    many(fd);
    darshan_phase_begin("outer"); /* until the end */
    usleep(50000);
    expect(pwrite(fd, bytes, 31, 0) == 31, "written");
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}
