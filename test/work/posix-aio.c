/* posix-aio.c - asynchronous I/O; counters in posix-aio.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled with -D_FILE_OFFSET_BITS=64 it calls the names with 64; with -DWITH_LIBAIO and -laio there is Linux' own
 * asynchronous I/O, too. */
#include "work.h"

#include <aio.h>
#include <pthread.h>
#include <signal.h>
#ifdef WITH_LIBAIO
#include <libaio.h>
#endif

static char *buffer;

static struct aiocb request(int fd, off_t offset, size_t n)
{
    struct aiocb block;

    memset(&block, 0, sizeof block);
    block.aio_fildes = fd;
    block.aio_offset = offset;
    block.aio_buf = buffer;
    block.aio_nbytes = n;
    block.aio_sigevent.sigev_notify = SIGEV_NONE;
    return block;
}

static ssize_t finish(struct aiocb *block)
{
    const struct aiocb *list[1] = { block };

    while (aio_error(block) == EINPROGRESS)
        CHECK(aio_suspend(list, 1, NULL) == 0 || errno == EINTR || errno == EAGAIN);
    return aio_return(block);
}

static int opened(const char *name)
{
    int fd = open(work_path(name), O_CREAT | O_RDWR | O_TRUNC, 0644);

    CHECK(fd >= 0);
    return fd;
}

static void single(void)
{
    int fd = opened("single.dat");
    struct aiocb a = request(fd, 0, 100), b = request(fd, 50, 100), bad = request(-1, 0, 10), sync = request(fd, 0, 0);

    CHECK(aio_write(&a) == 0 && finish(&a) == 100); /* 0..99 */
    CHECK(aio_read(&b) == 0 && finish(&b) == 50);   /* 50..99, of 100 that were asked for */
    b = request(fd, 1000, 10);
    CHECK(aio_read(&b) == 0 && finish(&b) == 0); /* at 1000 nothing is there */
    CHECK(aio_write(&bad) == -1 || finish(&bad) == -1);
    CHECK(aio_fsync(O_SYNC, &sync) == 0 && finish(&sync) == 0);
    CHECK(aio_fsync(O_DSYNC, &sync) == 0 && finish(&sync) == 0);
    CHECK(lseek(fd, 0, SEEK_CUR) == 0 && close(fd) == 0);
}

static void *sync_file(void *fd)
{
    CHECK(fsync(*(int *)fd) == 0);
    return NULL;
}

/* Threads sync by themselves the file of a request that is not collected yet, the one that has made it with all signals
 * blocked, as the C library's threads have them. */
static void both(void)
{
    int fd = opened("both.dat");
    struct aiocb a = request(fd, 0, 0);
    pthread_t thread;
    sigset_t all, before;

    CHECK(aio_fsync(O_SYNC, &a) == 0);
    CHECK(sigfillset(&all) == 0 && pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
    CHECK(fsync(fd) == 0 && pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, sync_file, &fd) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(finish(&a) == 0 && close(fd) == 0);
}

/* The descriptor is closed and its number used again before the result is fetched. */
static void late(void)
{
    int fd = opened("late.dat"), other;
    struct aiocb a = request(fd, 0, 70);

    CHECK(aio_write(&a) == 0);
    while (aio_error(&a) == EINPROGRESS)
        usleep(1000);
    CHECK(close(fd) == 0 && (other = opened("other.dat")) == fd);
    CHECK(aio_return(&a) == 70 && close(other) == 0);
}

static void list(void)
{
    int fd = opened("list.dat");
    struct aiocb a = request(fd, 0, 10), b = request(fd, 10, 20), c = request(fd, 0, 30), unread = request(fd, 30, 5);
    struct aiocb *blocks[4] = { &a, NULL, &b, &unread };

    a.aio_lio_opcode = b.aio_lio_opcode = unread.aio_lio_opcode = LIO_WRITE;
    CHECK(lio_listio(LIO_WAIT, blocks, 4, NULL) == 0 && finish(&a) == 10 && finish(&b) == 20);
    c.aio_lio_opcode = LIO_READ;
    blocks[0] = &c;
    CHECK(lio_listio(LIO_NOWAIT, blocks, 2, NULL) == 0 && finish(&c) == 30);
    CHECK(lio_listio(-1, blocks, 1, NULL) == -1 && errno == EINVAL);
    CHECK(close(fd) == 0);
}

#ifdef WITH_LIBAIO
static void kernel(void)
{
    int fd = opened("kernel.dat");
    struct iovec iov[2] = { { buffer, 30 }, { buffer + 1, 40 } };
    struct iocb a, b, c, d, bad, *blocks[5] = { &a, &b, &c, &d, &bad };
    struct io_event events[5];
    io_context_t context = NULL;

    CHECK(io_setup(8, &context) == 0);
    io_prep_pwrite(&a, fd, buffer, 100, 0);
    io_prep_pwritev(&b, fd, iov, 2, 100); /* 70 bytes, the second part not aligned */
    CHECK(io_submit(context, 2, blocks) == 2);
    CHECK(io_getevents(context, 2, 5, events, NULL) == 2);
    io_prep_pread(&c, fd, buffer, 1000, 0); /* 170 are there */
    io_prep_fsync(&d, fd);
    io_prep_pread(&bad, -1, buffer, 10, 0);
    CHECK(io_submit(context, 3, blocks + 2) == 2); /* the last one is refused */
    CHECK(io_getevents(context, 2, 5, events, NULL) == 2);
    CHECK(io_submit(context, 1, blocks + 4) == -EBADF);
    CHECK(io_destroy(context) == 0 && close(fd) == 0);
}
#endif

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    buffer = work_buffer(4096);
    single();
    both();
    late();
    list();
#ifdef WITH_LIBAIO
    kernel();
#endif
    return work_end();
}
