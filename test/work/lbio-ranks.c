/* lbio-ranks.c - what ranks do with files that they share, each checked by reading it again: rounds DIRECTORY
 * SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD  47008
#define RECORDS 10 /* of each rank */
#define ROUNDS  12

static const char *directory;
static int rank, ranks, bad;
static char mine[RECORD], read_back[RECORD];

static void is_true(int condition, const char *what, const char *name)
{
    if (condition)
        return;
    fprintf(stderr, "rank %d: %s: %s\n", rank, name, what);
    bad = 1;
}

static const char *path_of(const char *name)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void fill(char *to, int record, int of)
{
    for (int i = 0; i < RECORD; i++)
        to[i] = (char)(of * 41 + record * 31 + i * 7 + (i >> 8));
}

static off_t place(int record, int of)
{
    return ((off_t)record * ranks + of) * RECORD;
}

/* Every rank its own records between those of the others. */
static void strided(const char *name)
{
    int fd;

    if (rank == 0)
        close(open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0644));
    MPI_Barrier(MPI_COMM_WORLD);
    fd = open(path_of(name), O_RDWR);
    for (int i = 0; i < RECORDS; i++) {
        fill(mine, i, rank);
        is_true(pwrite(fd, mine, RECORD, place(i, rank)) == RECORD, "written", name);
    }
    for (int i = 0; i < RECORDS; i++) {
        fill(mine, i, rank);
        is_true(pread(fd, read_back, RECORD, place(i, rank)) == RECORD && memcmp(mine, read_back, RECORD) == 0,
                "own bytes", name);
    }
    close(fd);
}

static void own_files(void)
{
    char name[32];
    int fd;

    snprintf(name, sizeof name, "own.%d", rank);
    fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (int i = 0; i < RECORDS; i++) {
        fill(mine, i, rank);
        is_true(write(fd, mine, RECORD) == RECORD, "written", name);
    }
    close(fd);
}

/* By MPI-IO; after a sync, or a close and an open, each sees the next rank's. */
static void by_mpi(const char *name, int is_collective, int is_closed)
{
    const int next = (rank + 1) % ranks;
    MPI_File f;

    MPI_File_open(MPI_COMM_WORLD, path_of(name), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_set_size(f, 0);
    for (int i = 0; i < RECORDS; i++) {
        fill(mine, i, rank);
        if (is_collective)
            MPI_File_write_at_all(f, place(i, rank), mine, RECORD, MPI_BYTE, MPI_STATUS_IGNORE);
        else
            MPI_File_write_at(f, place(i, rank), mine, RECORD, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    if (is_closed)
        MPI_File_close(&f);
    else
        MPI_File_sync(f);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_closed)
        MPI_File_open(MPI_COMM_WORLD, path_of(name), MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
    for (int i = 0; i < RECORDS; i++) {
        fill(mine, i, next);
        MPI_File_read_at(f, place(i, next), read_back, RECORD, MPI_BYTE, MPI_STATUS_IGNORE);
        is_true(memcmp(mine, read_back, RECORD) == 0, "another rank's bytes", name);
    }
    MPI_File_close(&f);
}

static void by_view(const char *name)
{
    MPI_Datatype type;
    MPI_File f;
    int number[6400];

    MPI_Type_vector(64, 100, 100 * ranks, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 6400; i++)
        number[i] = rank * 100000 + i;
    MPI_File_open(MPI_COMM_WORLD, path_of(name), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_set_view(f, (MPI_Offset)rank * 400, MPI_INT, type, "native", MPI_INFO_NULL);
    MPI_File_write(f, number, 6400, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Type_free(&type);
}

/* A shorter file than that of the round before, made anew by one rank, written and closed by all, sometimes renamed by
 * one: after a barrier all see all of it. */
static void checkpoint(int round)
{
    static char all[64 * 5000];
    const int part = 5000 - round * 100;
    const char *name = round % 3 == 0 ? "checkpoint" : "temporary";
    struct stat st = { 0 };
    int fd;

    if (rank == 0)
        close(open(path_of("temporary"), O_WRONLY | O_CREAT | O_TRUNC, 0644));
    MPI_Barrier(MPI_COMM_WORLD);
    fd = open(path_of("temporary"), O_WRONLY);
    memset(mine, round + 1 + rank * 40, (size_t)part);
    is_true(pwrite(fd, mine, (size_t)part, (off_t)rank * part) == part, "written", name);
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && round % 3 == 0) {
        char from[4096];

        snprintf(from, sizeof from, "%s", path_of("temporary"));
        rename(from, path_of("checkpoint"));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    fd = open(path_of(name), O_RDONLY);
    is_true(fstat(fd, &st) == 0 && st.st_size == (off_t)ranks * part, "size", name);
    is_true(read(fd, all, sizeof all) == (ssize_t)ranks * part, "length", name);
    for (int i = 0; i < ranks * part; i += 499)
        is_true(all[i] == (char)(round + 1 + i / part * 40), "another rank's bytes", name);
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    directory = argv[1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    strided("strided");
    own_files();
    by_mpi("independent", 0, 0);
    by_mpi("collective", 1, 0);
    by_mpi("closed", 0, 1);
    by_view("view");
    for (int round = 0; round < ROUNDS; round++)
        checkpoint(round);
    MPI_Finalize();
    return bad;
}
