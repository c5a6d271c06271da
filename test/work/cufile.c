/* cufile.c - calls of cuFile with known counts: synchronous, queued on a stream, in batches, by threads, of a child, failing ones
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#include "cufile-stand-in.h"

#define EXPECT(what)                                                                                                   \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "cufile.c:%d: " #what "\n", __LINE__);                                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static char gpu[1 << 20];
static const char *directory;
static int rank;

static int open_file(const char *name, int flags)
{
    char path[5000];
    int fd;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    fd = open(path, O_RDWR | O_CREAT | flags, 0644);
    EXPECT(fd >= 0);
    return fd;
}

static CUfileHandle_t register_file(int fd)
{
    CUfileDescr_t d = { .type = 1, .handle.fd = fd };
    CUfileHandle_t handle = NULL;

    EXPECT(cuFileHandleRegister(&handle, &d).err == 0);
    return handle;
}

static void finish(int fd, CUfileHandle_t handle)
{
    cuFileHandleDeregister(handle);
    close(fd);
}

/* Three writes of 100,000 bytes; two reads of 50,000 and one that finds half of what it asks for; two that fail. */
static void move_synchronously(void)
{
    const int fd = open_file("sync", 0);
    CUfileHandle_t h = register_file(fd);

    for (int i = 0; i < 3; i++)
        EXPECT(cuFileWrite(h, gpu, 100000, 100000 * i, 0) == 100000);
    for (int i = 0; i < 2; i++)
        EXPECT(cuFileRead(h, gpu, 50000, 50000 * i, 0) == 50000);
    EXPECT(cuFileRead(h, gpu, 100000, 250000, 0) == 50000);
    EXPECT(cuFileRead(h, gpu, 100000, -1, 0) < 0);
    EXPECT(cuFileWrite(h, gpu, 100000, -1, 0) < 0);
    finish(fd, h);
}

/* A header by POSIX calls, which is in the file's traffic, and the rest by cuFile. */
static void move_both_ways(void)
{
    const int fd = open_file("both", 0);
    CUfileHandle_t h;

    EXPECT(pwrite(fd, gpu, 512, 0) == 512);
    h = register_file(fd);
    EXPECT(cuFileWrite(h, gpu, 1 << 20, 512, 0) == 1 << 20);
    EXPECT(pread(fd, gpu, 512, 0) == 512);
    EXPECT(cuFileRead(h, gpu, 1 << 20, 512, 0) == 1 << 20);
    finish(fd, h);
}

/* Two writes of 8,192 bytes, five reads, of which one asks for twice of what there is, and one fails. */
static void queue_on_stream(void)
{
    const int fd = open_file("async", 0);
    CUfileHandle_t h = register_file(fd);
    size_t size = 8192;
    off_t offset = 0, wrong = -1, in_buffer = 0;
    ssize_t bytes[8] = { 0 };

    for (int i = 0; i < 2; i++)
        EXPECT(cuFileWriteAsync(h, gpu, &size, &offset, &in_buffer, &bytes[i], NULL).err == 0);
    for (int i = 2; i < 6; i++)
        EXPECT(cuFileReadAsync(h, gpu, &size, &offset, &in_buffer, &bytes[i], NULL).err == 0);
    EXPECT(cuFileReadAsync(h, gpu, &size, &wrong, &in_buffer, &bytes[6], NULL).err != 0);
    offset = 4096;
    EXPECT(cuFileReadAsync(h, gpu, &size, &offset, &in_buffer, &bytes[7], NULL).err == 0);
    standin_synchronize();
    EXPECT(bytes[0] == 8192 && bytes[5] == 8192 && bytes[7] == 4096);
    finish(fd, h);
}

/* Of eight requests: three writes of 2,000 bytes and two reads of 1,500 whose end is seen, the second one short (500); one
 * that fails; two reads of 1,500 whose end is not asked for. Then three that are not accepted. */
static void submit_batch(void)
{
    const int fd = open_file("batch", 0);
    CUfileHandle_t h = register_file(fd);
    CUfileBatchHandle_t batch;
    CUfileIOParams_t p[8];
    CUfileIOEvents_t events[8];
    unsigned n = 6;

    for (int i = 0; i < 8; i++) {
        memset(&p[i], 0, sizeof p[i]);
        p[i].mode = 1;
        p[i].fh = h;
        p[i].opcode = i < 3;
        p[i].u.batch.devPtr_base = gpu;
        p[i].u.batch.size = i < 3 ? 2000 : 1500;
        p[i].u.batch.file_offset = i < 3 ? 2000 * i : i == 4 ? 5500 : i == 5 ? -1 : 0;
        p[i].cookie = &p[i];
    }
    EXPECT(cuFileBatchIOSetUp(&batch, 8).err == 0);
    EXPECT(cuFileBatchIOSubmit(batch, 8, p, 0).err == 0);
    EXPECT(cuFileBatchIOGetStatus(batch, 1, &n, events, NULL).err == 0 && n == 6);
    EXPECT(events[4].ret == 500 && events[5].status == 0x40);
    EXPECT(cuFileBatchIOSubmit(batch, 3, p, 1).err != 0);
    cuFileBatchIODestroy(batch);
    finish(fd, h);
}

/* A hundred batches of 32 reads of 10 bytes with one cookie for all; every second one is never asked for. */
static void submit_many(void)
{
    const int fd = open_file("many", 0);
    CUfileHandle_t h = register_file(fd);
    CUfileIOParams_t p[32];
    CUfileIOEvents_t events[40];

    EXPECT(cuFileWrite(h, gpu, 10, 0, 0) == 10);
    memset(p, 0, sizeof p);
    for (int i = 0; i < 32; i++) {
        p[i].mode = 1;
        p[i].fh = h;
        p[i].u.batch.devPtr_base = gpu;
        p[i].u.batch.size = 10;
    }
    for (int i = 0; i < 100; i++) {
        CUfileBatchHandle_t batch;
        unsigned n = 40;

        EXPECT(cuFileBatchIOSetUp(&batch, 32).err == 0 && cuFileBatchIOSubmit(batch, 32, p, 0).err == 0);
        if (i % 2)
            EXPECT(cuFileBatchIOGetStatus(batch, 32, &n, events, NULL).err == 0 && n == 33);
        cuFileBatchIODestroy(batch);
    }
    finish(fd, h);
}

static void *read_ten(void *handle)
{
    static char own[4][4096];
    static int next;
    char *at = own[__atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST) % 4];

    for (int i = 0; i < 10; i++)
        EXPECT(cuFileRead(handle, at, 4096, 4096 * i, 0) == 4096);
    return NULL;
}

static void move_by_threads(void)
{
    const int fd = open_file("threads", 0);
    CUfileHandle_t h = register_file(fd);
    pthread_t thread[4];

    EXPECT(cuFileWrite(h, gpu, 40960, 0, 0) == 40960);
    for (int i = 0; i < 4; i++)
        EXPECT(pthread_create(&thread[i], NULL, read_ten, h) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    finish(fd, h);
}

static void fork_child(void)
{
    int status;

    if (fork() == 0) {
        const int fd = open_file("child", 0);
        CUfileHandle_t h = register_file(fd);

        EXPECT(cuFileWrite(h, gpu, 10000, 0, 0) == 10000);
        finish(fd, h);
        _exit(0);
    }
    EXPECT(wait(&status) > 0 && status == 0);
}

/* What has no record: a descriptor that is none, a handle that was deregistered. */
static void fail(void)
{
    const int fd = open_file("refused", O_APPEND);
    CUfileDescr_t d = { .type = 1, .handle.fd = fd }, none = { .type = 1, .handle.fd = -1 };
    CUfileHandle_t h = NULL;

    EXPECT(cuFileHandleRegister(&h, &d).err != 0 && cuFileHandleRegister(&h, &none).err != 0);
    EXPECT(cuFileRead(NULL, gpu, 100, 0, 0) < 0);
    close(fd);
}

int main(int argc, char **argv)
{
    int fd;
    CUfileHandle_t h;
    char mine[4200];

#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    fd = argc > 1 ? 0 : -1;
    EXPECT(fd == 0);
    directory = argv[1];
    fd = open_file("shared", 0); /* all ranks, one block each */
    h = register_file(fd);
    EXPECT(cuFileBufRegister(gpu, sizeof gpu, 0).err == 0 && cuFileBufRegister(NULL, 1, 0).err != 0);
    EXPECT(cuFileWrite(h, gpu, 65536, 65536 * rank, 0) == 65536);
    finish(fd, h);
    snprintf(mine, sizeof mine, "%s/own.%d", argv[1], rank);
    mkdir(mine, 0755);
    directory = mine;
    move_synchronously();
    move_both_ways();
    queue_on_stream();
    submit_batch();
    submit_many();
    move_by_threads();
    fork_child();
    fail();
    EXPECT(cuFileBufDeregister(gpu).err == 0);
#ifdef KILLED
    raise(SIGKILL);
#endif
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}
