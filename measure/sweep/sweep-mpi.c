/* sweep-mpi.c - measures the access modes of MPI-IO; started by darshan-sweep (mpi.h)
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file is unlinked once all ranks have opened it. Its directory is removed by darshan-sweep. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "measure/sweep/mpi.h"

struct sweep {
    const char *directory;
    long long request, size, reserve;
    int samples, wanted, rank, ranks;
    char *buffer;
    char name[4300];
};

/* Removed on a signal. */
static char file_name[4300], directory_name[4200];

static void on_signal(int number)
{
    unlink(file_name);
    rmdir(directory_name);
    _exit(128 + number);
}

static void quit(const char *what)
{
    fprintf(stderr, "darshan-sweep: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void must(int rc, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;

    if (rc == MPI_SUCCESS)
        return;
    MPI_Error_string(rc, text, &n);
    fprintf(stderr, "darshan-sweep: %s: %s\n", what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Opened by all, then unlinked. */
static MPI_File open_file(struct sweep *s, int *fd)
{
    MPI_File f;

    *fd = -1;
    if (s->rank == 0) {
        snprintf(s->name, sizeof s->name, "%s/file", s->directory);
        *fd = open(s->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (*fd < 0)
            quit("cannot create a file in the directory");
    }
    MPI_Bcast(s->name, sizeof s->name, MPI_CHAR, 0, MPI_COMM_WORLD);
    must(MPI_File_open(MPI_COMM_WORLD, s->name, MPI_MODE_RDWR, MPI_INFO_NULL, &f), "MPI_File_open");
    MPI_Barrier(MPI_COMM_WORLD);
    if (s->rank == 0)
        unlink(s->name);
    return f;
}

static void check_room(const struct sweep *s)
{
    struct statvfs fs;

    if (s->rank == 0 && statvfs(s->directory, &fs) == 0 &&
        (double)fs.f_bavail * (double)fs.f_frsize < (double)s->size + (double)s->reserve)
        quit("the file system has too little space left");
}

/* Rank 0 queries the whole file. */
static double resident(int fd, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), n = (size + page - 1) / page;
    unsigned char *in = malloc(n);
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    size_t there = 0;
    int ok = in && map != MAP_FAILED && mincore(map, size, in) == 0;

    for (size_t i = 0; ok && i < n; i++)
        there += in[i] & 1;
    if (map != MAP_FAILED)
        munmap(map, size);
    free(in);
    return ok ? (double)there / (double)n : -1;
}

static void one_call(const struct sweep *s, MPI_File f, int mode, int is_write, long long number)
{
    const MPI_Offset at = number * s->request;
    const int n = (int)s->request;
    MPI_Request request;
    MPI_Status status;
    int rc;

    switch (mode) {
    case DSN_MPI_NONBLOCKING:
        rc = is_write ? MPI_File_iwrite_at(f, at, s->buffer, n, MPI_BYTE, &request)
                      : MPI_File_iread_at(f, at, s->buffer, n, MPI_BYTE, &request);
        must(rc, "nonblocking access");
        rc = MPI_Wait(&request, &status);
        break;
    case DSN_MPI_COLLECTIVE:
        rc = is_write ? MPI_File_write_at_all(f, at, s->buffer, n, MPI_BYTE, &status)
                      : MPI_File_read_at_all(f, at, s->buffer, n, MPI_BYTE, &status);
        break;
    case DSN_MPI_SHARED:
        rc = is_write ? MPI_File_write_shared(f, s->buffer, n, MPI_BYTE, &status)
                      : MPI_File_read_shared(f, s->buffer, n, MPI_BYTE, &status);
        break;
    case DSN_MPI_ORDERED:
        rc = is_write ? MPI_File_write_ordered(f, s->buffer, n, MPI_BYTE, &status)
                      : MPI_File_read_ordered(f, s->buffer, n, MPI_BYTE, &status);
        break;
    default:
        rc = is_write ? MPI_File_write_at(f, at, s->buffer, n, MPI_BYTE, &status)
                      : MPI_File_read_at(f, at, s->buffer, n, MPI_BYTE, &status);
    }
    must(rc, "access");
}

/* All ranks read or write the file once, with alternating requests. */
static void move_all(const struct sweep *s, MPI_File f, int mode, int is_write)
{
    const long long calls = s->size / s->request / s->ranks;

    for (long long i = 0; i < calls; i++)
        one_call(s, f, mode, is_write, i * s->ranks + s->rank);
    if (is_write)
        must(MPI_File_sync(f), "MPI_File_sync");
}

static void fill(const struct sweep *s, int fd)
{
    for (long long at = 0; s->rank == 0 && at < s->size; at += s->request)
        if (pwrite(fd, s->buffer, (size_t)s->request, (off_t)at) != (ssize_t)s->request)
            quit("a file in the directory cannot be written");
    if (s->rank == 0)
        fsync(fd);
}

static void sample(struct sweep *s, int mode, int is_write)
{
    double begin, seconds, share = -1;
    MPI_File f;
    int fd;

    check_room(s);
    f = open_file(s, &fd);
    if (mode == DSN_MPI_ATOMIC && MPI_File_set_atomicity(f, 1) != MPI_SUCCESS) {
        MPI_File_close(&f); /* not supported everywhere */
        if (s->rank == 0)
            close(fd);
        return;
    }
    if (!is_write) {
        fill(s, fd);
        if (s->rank == 0) {
            posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
            share = resident(fd, (size_t)s->size);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    move_all(s, f, mode, is_write);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime() - begin;
    if (s->rank == 0) {
        if (is_write)
            share = resident(fd, (size_t)s->size);
        printf("%d %d %lld %.9f %.6f\n", mode, is_write, s->size / s->request / s->ranks * s->ranks * s->request,
               seconds, share);
        fflush(stdout);
        close(fd);
    }
    MPI_File_close(&f);
}

int main(int argc, char **argv)
{
    struct sweep s = { 0 };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
    if (argc != 7)
        quit("sweep-mpi is started by darshan-sweep --mpi");
    if (s.rank == 0) {
        printf("ranks %d\n", s.ranks);
        fflush(stdout);
    }
    s.directory = argv[1];
    s.request = strtoll(argv[2], NULL, 10);
    s.size = strtoll(argv[3], NULL, 10);
    s.samples = (int)strtol(argv[4], NULL, 10);
    s.wanted = (int)strtol(argv[5], NULL, 10);
    s.reserve = strtoll(argv[6], NULL, 10);
    if (s.samples == 0) { /* only to find out which MPI it is built with */
        MPI_Finalize();
        return 0;
    }
    if (s.wanted & DSN_MPI_WANTS_NODES) {
        dsn_mpi_serve(s.directory, (uint64_t)s.size, (uint64_t)s.reserve);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
        return 0;
    }
    snprintf(directory_name, sizeof directory_name, "%s", s.directory);
    snprintf(file_name, sizeof file_name, "%s/file", s.directory);
    signal(SIGTERM, on_signal);
    if (s.request < 1 || s.request > INT32_MAX || s.size / s.request / s.ranks < 1 || s.samples < 1)
        quit("the file is too small for a request of each rank: give a larger --file or a smaller --request");
    s.buffer = malloc((size_t)s.request);
    if (!s.buffer)
        quit("out of memory");
    memset(s.buffer, 1 + s.rank, (size_t)s.request);
    for (int i = 0; i < s.samples; i++)
        for (int mode = 0; mode < DSN_NMODES_MPI; mode++)
            for (int is_write = 0; is_write < 2; is_write++)
                if (s.wanted >> is_write & 1)
                    sample(&s, mode, is_write);
    free(s.buffer);
    MPI_Finalize();
    return 0;
}
