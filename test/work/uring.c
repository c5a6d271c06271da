/* uring.c - I/O by io_uring through liburing; counters in uring.want. Exit status 77: not supported by the kernel
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <liburing.h>

static char *buffer;
static struct io_uring ring;

static int opened(const char *name)
{
    int fd = open(work_path(name), O_CREAT | O_RDWR | O_TRUNC, 0644);

    CHECK(fd >= 0);
    return fd;
}

static struct io_uring_sqe *request(uint64_t data)
{
    struct io_uring_sqe *e = io_uring_get_sqe(&ring);

    CHECK(e != NULL);
    e->user_data = data;
    return e;
}

/* Preparing a request clears it, so what tells them apart comes after. */
#define PREPARE(data, call, ...)                                                                                       \
    do {                                                                                                               \
        struct io_uring_sqe *sqe = request(0);                                                                         \
        call(sqe, __VA_ARGS__);                                                                                        \
        sqe->user_data = (data);                                                                                       \
    } while (0)

static int result(uint64_t data)
{
    struct io_uring_cqe *cqe;
    int res;

    CHECK(io_uring_wait_cqe(&ring, &cqe) == 0 && cqe->user_data == data);
    res = cqe->res;
    io_uring_cqe_seen(&ring, cqe);
    return res;
}

/* One after the other. */
static void single(void)
{
    struct iovec iov[2] = { { buffer, 30 }, { buffer + 1, 40 } };
    int fd = opened("single.dat");

    PREPARE(1, io_uring_prep_write, fd, buffer, 100, 0);
    CHECK(io_uring_submit(&ring) == 1 && result(1) == 100);
    PREPARE(2, io_uring_prep_writev, fd, iov, 2, 100); /* the second part is not aligned */
    CHECK(io_uring_submit_and_wait(&ring, 1) == 1 && result(2) == 70);
    PREPARE(3, io_uring_prep_read, fd, buffer, 1000, 50); /* 120 of 1000 */
    CHECK(io_uring_submit(&ring) == 1 && result(3) == 120);
    PREPARE(4, io_uring_prep_fsync, fd, IORING_FSYNC_DATASYNC);
    CHECK(io_uring_submit(&ring) == 1 && result(4) == 0);
    PREPARE(5, io_uring_prep_read, -1, buffer, 10, 0);
    CHECK(io_uring_submit(&ring) == 1 && result(5) == -EBADF);
    PREPARE(6, io_uring_prep_close, fd);
    CHECK(io_uring_submit(&ring) == 1 && result(6) == 0);
}

/* The number of the file that io_uring has closed goes to a pipe: 77 bytes that belong to no file. */
static void reuse(void)
{
    int ends[2];

    CHECK(pipe(ends) == 0 && write(ends[1], buffer, 77) == 77 && read(ends[0], buffer, 77) == 77);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

/* Many at a time, all with the same data, more than the rings hold; the position of the file is used and moves. */
static void many(void)
{
    int fd = opened("many.dat");

    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 8; i++)
            PREPARE(7, io_uring_prep_write, fd, buffer, 10, (uint64_t)(80 * round + 10 * i));
        CHECK(io_uring_submit_and_wait(&ring, 8) == 8);
        for (int i = 0; i < 8; i++)
            CHECK(result(7) == 10);
    }
    PREPARE(8, io_uring_prep_read, fd, buffer, 25, (uint64_t)-1);
    CHECK(io_uring_submit(&ring) == 1 && result(8) == 25 && lseek(fd, 0, SEEK_CUR) == 25);
    CHECK(read(fd, buffer, 5) == 5);
    CHECK(close(fd) == 0);
}

/* Results that are fetched in other ways, and one that is fetched without a call, the last of the ring. */
static void fetches(void)
{
    struct __kernel_timespec limit = { 10, 0 };
    struct io_uring_cqe *cqe[4];
    int fd = opened("fetch.dat");

    PREPARE(1, io_uring_prep_write, fd, buffer, 10, 0);
    CHECK(io_uring_submit(&ring) == 1 && io_uring_wait_cqe_timeout(&ring, cqe, &limit) == 0);
    io_uring_cqe_seen(&ring, cqe[0]);
    PREPARE(2, io_uring_prep_write, fd, buffer, 10, 10);
    CHECK(io_uring_submit(&ring) == 1 && io_uring_wait_cqes(&ring, cqe, 1, &limit, NULL) == 0);
    CHECK(io_uring_peek_batch_cqe(&ring, cqe, 4) == 1);
    io_uring_cq_advance(&ring, 1);
    PREPARE(3, io_uring_prep_write, fd, buffer, 10, 20);
    CHECK(io_uring_submit_and_wait_timeout(&ring, cqe, 1, &limit, NULL) == 1);
    io_uring_cqe_seen(&ring, cqe[0]);
    PREPARE(4, io_uring_prep_write, fd, buffer, 10, 30);
    CHECK(io_uring_submit(&ring) == 1);
    while (io_uring_cq_ready(&ring) == 0)
        usleep(1000);
    CHECK(result(4) == 10 && close(fd) == 0);
}

/* Requests that are prepared, and handed in only after others have been waited for. Told apart as later ones are. */
static void late(void)
{
    struct __kernel_timespec limit = { 0, 1000000 };
    struct io_uring_cqe *cqe;
    int fd = opened("late.dat");

    for (uint64_t i = 0; i < 3; i++)
        PREPARE(i, io_uring_prep_write, fd, buffer, 10, 10 * i);
    CHECK(io_uring_peek_batch_cqe(&ring, &cqe, 1) == 0);
    CHECK(io_uring_wait_cqe_timeout(&ring, &cqe, &limit) == -ETIME);
    CHECK(io_uring_peek_cqe(&ring, &cqe) == -EAGAIN);
    CHECK(io_uring_submit(&ring) == 3 && result(0) == 10 && result(1) == 10 && result(2) == 10);
    for (uint64_t i = 0; i < 3; i++)
        PREPARE(i, io_uring_prep_read, fd, buffer, 5, 10 * i);
    CHECK(io_uring_submit(&ring) == 3 && result(0) == 5 && result(1) == 5 && result(2) == 5);
    CHECK(close(fd) == 0);
}

#define ON_SLOT(data, call, slot, ...)                                                                                 \
    do {                                                                                                               \
        struct io_uring_sqe *sqe = request(0);                                                                         \
        call(sqe, slot, __VA_ARGS__);                                                                                  \
        sqe->flags |= IOSQE_FIXED_FILE;                                                                                \
        sqe->user_data = (data);                                                                                       \
    } while (0)

/* Registered files, whose descriptors are closed, replaced and taken out. */
static void registered(void)
{
    int fd[2] = { opened("slot0.dat"), opened("slot1.dat") }, other = opened("slot2.dat"), none = -1;

    CHECK(io_uring_register_files(&ring, fd, 2) == 0 && close(fd[1]) == 0);
    ON_SLOT(1, io_uring_prep_write, 0, buffer, 100, 0);
    ON_SLOT(2, io_uring_prep_write, 1, buffer, 200, 50);
    CHECK(io_uring_submit(&ring) == 2 && result(1) + result(2) == 300);
    ON_SLOT(3, io_uring_prep_read, 0, buffer, 1000, 40);
    CHECK(io_uring_submit(&ring) == 1 && result(3) == 60);
    ON_SLOT(4, io_uring_prep_write, 2, buffer, 100, 0); /* there is no such slot */
    CHECK(io_uring_submit(&ring) == 1 && result(4) == -EBADF);
    CHECK(io_uring_register_files_update(&ring, 0, &other, 1) == 1);
    ON_SLOT(5, io_uring_prep_write, 0, buffer, 70, 0);
    CHECK(io_uring_submit(&ring) == 1 && result(5) == 70);
    CHECK(io_uring_register_files_update(&ring, 0, &none, 1) == 1);
    ON_SLOT(6, io_uring_prep_write, 0, buffer, 80, 0);
    CHECK(io_uring_submit(&ring) == 1 && result(6) == -EBADF);
    CHECK(io_uring_unregister_files(&ring) == 0 && close(fd[0]) == 0 && close(other) == 0);
}

static struct io_uring_sqe *last_prepared(void)
{
    return &ring.sq.sqes[(ring.sq.sqe_tail - 1) & *ring.sq.kring_mask];
}

/* Files that the ring opens: as descriptors, and in its slots, used by requests submitted with the open. */
static void opened_by_ring(void)
{
    char path[4][4096];
    int fd;

    for (int i = 0; i < 4; i++)
        snprintf(path[i], sizeof path[i], "%s",
                 work_path((const char *[]){ "ring.dat", "direct.dat", "chosen.dat", "no/file" }[i]));
    PREPARE(1, io_uring_prep_openat, AT_FDCWD, path[0], O_CREAT | O_RDWR, 0600);
    CHECK(io_uring_submit(&ring) == 1 && (fd = result(1)) >= 0);
    CHECK(write(fd, buffer, 11) == 11);
    PREPARE(2, io_uring_prep_write, fd, buffer, 22, (uint64_t)-1);
    CHECK(io_uring_submit(&ring) == 1 && result(2) == 22);
    PREPARE(3, io_uring_prep_close, fd);
    CHECK(io_uring_submit(&ring) == 1 && result(3) == 0);
    reuse();
    CHECK(io_uring_register_files_sparse(&ring, 10) == 0);
    PREPARE(1, io_uring_prep_openat_direct, AT_FDCWD, path[1], O_CREAT | O_RDWR, 0600, 9);
    last_prepared()->flags |= IOSQE_IO_LINK;
    ON_SLOT(1, io_uring_prep_write, 9, buffer, 33, 0);
    last_prepared()->flags |= IOSQE_IO_LINK;
    PREPARE(1, io_uring_prep_close_direct, 9);
    CHECK(io_uring_submit(&ring) == 3);
    CHECK(result(1) + result(1) + result(1) == 33);
    PREPARE(2, io_uring_prep_openat_direct, AT_FDCWD, path[2], O_CREAT | O_RDWR, 0600, 0);
    last_prepared()->file_index = IORING_FILE_INDEX_ALLOC; /* which liburing has only since 2.4 */
    CHECK(io_uring_submit(&ring) == 1 && (fd = result(2)) >= 0 && fd < 10);
    ON_SLOT(3, io_uring_prep_write, fd, buffer, 44, 0);
    CHECK(io_uring_submit(&ring) == 1 && result(3) == 44);
    PREPARE(4, io_uring_prep_openat_direct, AT_FDCWD, path[3], O_RDWR, 0, 5);
    CHECK(io_uring_submit(&ring) == 1 && result(4) < 0);
    CHECK(io_uring_unregister_files(&ring) == 0);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    buffer = work_buffer(4096);
    if (io_uring_queue_init(8, &ring, 0) < 0)
        return 77;
    single();
    reuse();
    many();
    late();
    registered();
    opened_by_ring();
    fetches();
    io_uring_queue_exit(&ring);
    return work_end();
}
