/* sins.c - an MPI program without, or with one I/O problem: sins DIRECTORY SIN
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All do what is innocent: every rank writes its part of a shared file in large aligned blocks, and reads it again.
 * What the sin adds is known to the call; test/e2e/t7700-findings.sh has the numbers. */
#include "work.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#define KIB   1024
#define MIB   (1024 * KIB)
#define BLOCK ((size_t)4 * MIB)

static int rank, nprocs;
static char *buffer;

static int make(const char *name, int number, int flags)
{
    char full[64];
    int fd;

    snprintf(full, sizeof full, "%s.%d", name, number);
    fd = open(work_path(full), flags, 0644);
    CHECK(fd >= 0);
    return fd;
}

static void put(int fd, size_t size, int64_t at)
{
    CHECK(pwrite(fd, buffer, size, at) == (ssize_t)size);
}

static void get(int fd, size_t size, int64_t at)
{
    CHECK(pread(fd, buffer, size, at) == (ssize_t)size);
}

/* A file of this rank, of so many blocks. */
static int own(int blocks)
{
    const int fd = make("own", rank, O_CREAT | O_TRUNC | O_RDWR);

    for (int i = 0; i < blocks; i++)
        put(fd, BLOCK, i * (int64_t)BLOCK);
    return fd;
}

static void done(int fd)
{
    CHECK(close(fd) == 0);
}

/* Four blocks a rank. */
static void innocent(void)
{
    const int fd = make("shared", 0, O_CREAT | O_RDWR);
    const int64_t first = rank * 4 * (int64_t)BLOCK;

    for (int i = 0; i < 4; i++)
        put(fd, BLOCK, first + i * (int64_t)BLOCK);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++)
        get(fd, BLOCK, first + i * (int64_t)BLOCK);
    done(fd);
}

/* ------------------------------------------------------------------ sizes, order, repetition */

static void small_writes(void)
{
    const int fd = own(0);

    for (int i = 0; i < 20000; i++)
        put(fd, 1000, i * 1000);
    done(fd);
}

static void small_reads(void)
{
    const int fd = own(5);

    for (int i = 0; i < 20000; i++)
        get(fd, 1000, i * 1000);
    done(fd);
}

static void random_reads(void)
{
    const int fd = own(20);

    for (int i = 320; i > 0; i--)
        get(fd, 256 * KIB, (i - 1) * (int64_t)(256 * KIB));
    done(fd);
}

static void random_writes(void)
{
    const int fd = own(0);

    for (int i = 320; i > 0; i--)
        put(fd, 256 * KIB, (i - 1) * (int64_t)(256 * KIB));
    done(fd);
}

static void rereads(void)
{
    const int fd = own(4);

    for (int i = 0; i < 5 * 4; i++)
        get(fd, BLOCK, i % 4 * (int64_t)BLOCK);
    done(fd);
}

static void rewrites(void)
{
    const int fd = own(4);

    for (int i = 0; i < 4 * 4; i++)
        put(fd, BLOCK, i % 4 * (int64_t)BLOCK);
    done(fd);
}

static void same_data(void)
{
    const int fd = make("shared", 0, O_RDWR);

    for (int i = 0; i < 4 * nprocs; i++)
        get(fd, BLOCK, i * (int64_t)BLOCK);
    done(fd);
}

static void unaligned(void)
{
    const int fd = make("unaligned", 0, O_CREAT | O_RDWR);

    for (int i = 0; i < 40; i++)
        put(fd, 128 * KIB, (rank * 40 + i) * (int64_t)(128 * KIB) + 13);
    done(fd);
}

static void syncs(void)
{
    const int fd = own(0);

    for (int i = 0; i < 50; i++) {
        put(fd, 128 * KIB, i * 128 * KIB);
        CHECK(fsync(fd) == 0);
    }
    done(fd);
}

static void stdio_bulk(void)
{
    char name[64];
    FILE *f;

    snprintf(name, sizeof name, "stream.%d", rank);
    f = fopen(work_path(name), "w");
    CHECK(f);
    for (int i = 0; i < 256 * 64; i++)
        CHECK(fwrite(buffer, 1, KIB, f) == KIB);
    CHECK(fclose(f) == 0);
}

/* ------------------------------------------------------------------ metadata */

static void small_files(void)
{
    for (int i = 0; i < 200; i++) {
        const int fd = make("small", rank * 200 + i, O_CREAT | O_WRONLY);

        put(fd, 4096, 0);
        done(fd);
    }
}

static void reopens(void)
{
    done(own(1));
    for (int i = 0; i < 5000; i++)
        done(make("own", rank, O_RDWR));
}

static void seek_storm(void)
{
    const int fd = own(16);

    for (int i = 0; i < 256; i++) {
        for (int k = 0; k < 40; k++)
            CHECK(lseek(fd, i * 256 * KIB, SEEK_SET) == i * 256 * KIB);
        CHECK(read(fd, buffer, 256 * KIB) == 256 * KIB);
    }
    done(fd);
}

static void stat_storm(void)
{
    struct stat st;
    char name[64];

    done(own(1));
    snprintf(name, sizeof name, "own.%d", rank);
    for (int i = 0; i < 10000; i++)
        CHECK(stat(work_path(name), &st) == 0);
}

static void opens_without_data(void)
{
    for (int i = 0; i < 1000; i++)
        done(make("empty", rank * 1000 + i, O_CREAT | O_RDWR));
}

/* Each file a few times, by every rank: no single call is to blame. */
static void metadata(void)
{
    for (int i = 0; i < 200; i++) {
        for (int k = 0; k < 9; k++) {
            const int fd = make("many", i, O_CREAT | O_RDWR);

            if (k == 0) {
                CHECK(ftruncate(fd, 4096) == 0);
                get(fd, 1, 0);
            }
            done(fd);
        }
    }
}

/* A file of each rank is changed and written back ten times, through a mapping. */
static void mapped(void)
{
    const int fd = own(1);
    char *at = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    CHECK(at != MAP_FAILED);
    done(fd);
    for (int i = 0; i < 10; i++) {
        memset(at, i, BLOCK);
        CHECK(msync(at, BLOCK, MS_SYNC) == 0);
    }
    CHECK(munmap(at, BLOCK) == 0);
}

/* Opens and closes a file with all ranks. */
static void together(int number)
{
    char name[64];
    MPI_File f;

    snprintf(name, sizeof name, "together.%d", number);
    CHECK(MPI_File_open(MPI_COMM_WORLD, work_path(name), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) ==
          MPI_SUCCESS);
    CHECK(MPI_File_close(&f) == MPI_SUCCESS);
}

static void metadata_together(void)
{
    for (int i = 0; i < 100; i++)
        together(i);
}

/* Rank 3 computes for longer than the others. */
static void open_waiting(void)
{
    for (int i = 0; i < 3; i++) {
        if (rank == 3)
            sleep(3);
        together(i);
    }
}

/* ------------------------------------------------------------------ ranks */

static void uneven_data(void)
{
    if (rank == 0)
        done(own(48));
}

/* Every second of eight ranks gathers for its neighbour. */
static void own_aggregation(void)
{
    const int fd = rank % 4 == 0 ? own(8) : -1;

    if (fd >= 0)
        done(fd);
}

static void be_slow(int sig)
{
    const struct timespec half = { 0, 500000000 };

    (void)sig;
    nanosleep(&half, NULL);
}

/* As many bytes as the others, but each write takes half a second: a signal arrives in it, and its handler sleeps. */
static void straggler(void)
{
    const struct itimerval soon = { .it_value.tv_usec = 200 };
    const struct sigaction slow = { .sa_handler = be_slow, .sa_flags = SA_RESTART };
    const int fd = make("own", rank, O_CREAT | O_TRUNC | O_RDWR);

    CHECK(sigaction(SIGALRM, &slow, NULL) == 0);
    for (int i = 0; i < 4; i++) {
        CHECK(rank > 0 || setitimer(ITIMER_REAL, &soon, NULL) == 0);
        put(fd, BLOCK, i * (int64_t)BLOCK);
    }
    done(fd);
}

static void one_rank(void)
{
    if (rank == 0)
        done(own(32));
}

/* ------------------------------------------------------------------ MPI-IO */

static MPI_File open_all(const char *name)
{
    MPI_File f;

    CHECK(MPI_File_open(MPI_COMM_WORLD, work_path(name), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f) ==
          MPI_SUCCESS);
    return f;
}

static void independent(void)
{
    MPI_File f = open_all("independent");

    for (int i = 0; i < 2000; i++)
        CHECK(MPI_File_write_at(f, (MPI_Offset)(i * nprocs + rank) * 8 * KIB, buffer, 8 * KIB, MPI_BYTE,
                                MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_File_close(&f) == MPI_SUCCESS);
}

/* Interleaved pieces of 80 bytes, written collectively without buffering: OMPIO does so of itself for few ranks. */
static void collective_small(void)
{
    MPI_Info info;
    MPI_Datatype pieces;
    MPI_File f;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "disable");
    MPI_Info_set(info, "romio_ds_write", "disable");
    MPI_Type_vector(40000, 80, 80 * nprocs, MPI_BYTE, &pieces);
    MPI_Type_commit(&pieces);
    CHECK(MPI_File_open(MPI_COMM_WORLD, work_path("pieces"), MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &f) ==
          MPI_SUCCESS);
    CHECK(MPI_File_set_view(f, (MPI_Offset)rank * 80, MPI_BYTE, pieces, "native", info) == MPI_SUCCESS);
    CHECK(MPI_File_write_all(f, buffer, 40000 * 80, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_File_close(&f) == MPI_SUCCESS);
    MPI_Type_free(&pieces);
    MPI_Info_free(&info);
}

/* Holes between the pieces: what is not written has to be read. */
static void read_modify_write(void)
{
    MPI_File f = open_all("sieved");
    MPI_Datatype holes;

    MPI_Type_vector(8192, 64, 64 * nprocs, MPI_BYTE, &holes);
    MPI_Type_commit(&holes);
    CHECK(MPI_File_set_view(f, (MPI_Offset)rank * 64, MPI_BYTE, holes, "native", MPI_INFO_NULL) == MPI_SUCCESS);
    for (int i = 0; i < 64; i++)
        CHECK(MPI_File_write(f, buffer, 8192 * 64, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_File_close(&f) == MPI_SUCCESS);
    MPI_Type_free(&holes);
}

static const struct sin {
    const char *name;
    void (*commit)(void); /* NULL: none */
    int alone;            /* without what is innocent */
} sins[] = {
    { "innocent", NULL, 0 },
    { "small-writes", small_writes, 0 },
    { "small-reads", small_reads, 0 },
    { "random-reads", random_reads, 0 },
    { "random-writes", random_writes, 0 },
    { "rereads", rereads, 0 },
    { "rewrites", rewrites, 0 },
    { "same-data", same_data, 0 },
    { "unaligned", unaligned, 0 },
    { "syncs", syncs, 0 },
    { "stdio-bulk", stdio_bulk, 0 },
    { "small-files", small_files, 0 },
    { "reopens", reopens, 0 },
    { "seek-storm", seek_storm, 0 },
    { "stat-storm", stat_storm, 0 },
    { "opens-without-data", opens_without_data, 0 },
    { "metadata", metadata, 1 },
    { "metadata:together", metadata_together, 1 },
    { "memory-mapped", mapped, 1 },
    { "open-waiting", open_waiting, 0 },
    { "uneven-data", uneven_data, 0 },
    { "own-aggregation", own_aggregation, 1 },
    { "straggler", straggler, 0 },
    { "one-rank", one_rank, 1 },
    { "collective-small", collective_small, 0 },
    { "independent", independent, 0 },
    { "read-modify-write", read_modify_write, 0 },
};

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    buffer = calloc(1, BLOCK);
    CHECK(buffer && argc == 3);
    for (size_t i = 0; i < sizeof sins / sizeof sins[0]; i++) {
        if (strcmp(argv[2], sins[i].name) != 0)
            continue;
        if (!sins[i].alone)
            innocent();
        MPI_Barrier(MPI_COMM_WORLD);
        if (sins[i].commit)
            sins[i].commit();
        MPI_Barrier(MPI_COMM_WORLD);
        free(buffer);
        MPI_Finalize();
        return 0;
    }
    fprintf(stderr, "sins: there is no sin %s\n", argv[2]);
    MPI_Abort(MPI_COMM_WORLD, 2);
}
