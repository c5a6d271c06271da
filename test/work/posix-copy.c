/* posix-copy.c - copies between descriptors inside the kernel; counters in posix-copy.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <sys/sendfile.h>
#include <sys/socket.h>

static char *buffer;

static int opened(const char *name, size_t size)
{
    int fd = open(work_path(name), O_CREAT | O_RDWR | O_TRUNC, 0644);

    CHECK(fd >= 0 && pwrite(fd, buffer, size, 0) == (ssize_t)size);
    return fd;
}

/* With and without offsets of their own; what has one leaves the position. */
static void ranges(void)
{
    int in = opened("from.dat", 1000), out = opened("to.dat", 0);
    off64_t from = 100, to = 50;

    CHECK(copy_file_range(in, NULL, out, NULL, 200, 0) == 200); /* 0..199 -> 0..199 */
    CHECK(copy_file_range(in, &from, out, &to, 300, 0) == 300); /* 100..399 -> 50..349 */
    CHECK(from == 400 && to == 350);
    CHECK(copy_file_range(in, NULL, out, NULL, 5000, 0) == 800); /* 200..999 -> 200..999 */
    CHECK(copy_file_range(in, NULL, out, NULL, 5000, 0) == 0);   /* at the end: 0 bytes at 1000 */
    CHECK(copy_file_range(in, NULL, -1, NULL, 5000, 0) == -1 && errno == EBADF);
    CHECK(copy_file_range(in, NULL, out, NULL, 10, 12345) == -1 && errno == EINVAL);
    CHECK(lseek(in, 0, SEEK_CUR) == 1000 && lseek(out, 0, SEEK_CUR) == 1000);
    CHECK(close(in) == 0 && close(out) == 0);
}

/* To a file, then to a socket, which is none. */
static void send_file(void)
{
    int in = opened("send.dat", 600), out = opened("sent.dat", 0), pair[2];
    off_t from = 500;

    CHECK(sendfile(out, in, NULL, 400) == 400);  /* 0..399 -> 0..399 */
    CHECK(sendfile(out, in, &from, 400) == 100); /* 500..599 -> 400..499 */
    CHECK(from == 600);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(sendfile(pair[0], in, NULL, 150) == 150); /* 400..549 */
    CHECK(read(pair[1], buffer, 4096) == 150);
    CHECK(sendfile(out, -1, NULL, 10) == -1 && errno == EBADF);
    CHECK(close(pair[0]) == 0 && close(pair[1]) == 0 && close(in) == 0 && close(out) == 0);
}

/* A pipe between two files. */
static void through_pipe(void)
{
    int in = opened("pipe-from.dat", 300), out = opened("pipe-to.dat", 0), ends[2];
    off64_t from = 200, to = 10;

    CHECK(pipe(ends) == 0);
    CHECK(splice(in, NULL, ends[1], NULL, 100, 0) == 100);  /* 0..99 */
    CHECK(splice(ends[0], NULL, out, &to, 100, 0) == 100);  /* 10..109 */
    CHECK(splice(in, &from, ends[1], NULL, 100, 0) == 100); /* 200..299 */
    CHECK(splice(ends[0], NULL, out, NULL, 100, 0) == 100); /* 0..99: the position was left */
    CHECK(to == 110 && from == 300);
    CHECK(splice(in, NULL, out, NULL, 100, 0) == -1 && errno == EINVAL);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0 && close(in) == 0 && close(out) == 0);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    buffer = work_buffer(4096);
    ranges();
    send_file();
    through_pipe();
    return work_end();
}
