/* posix-dup.c - the file and offset that a descriptor refers to: dup, re-use, append
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

static char *buffer;

static int make(const char *name, int flags)
{
    int fd = open(work_path(name), O_CREAT | flags, 0644);

    CHECK(fd >= 0);
    return fd;
}

static void put(int fd, size_t n)
{
    CHECK(write(fd, buffer, n) == (ssize_t)n);
}

/* Traffic over a pipe that got descriptor `fd`: none of it belongs to the file that had the number before. */
static void pipe_at(int fd)
{
    int end[2];

    CHECK(pipe(end) == 0 && (end[0] == fd || end[1] == fd));
    put(end[1], 77);
    CHECK(read(end[0], buffer, 77) == 77);
    CHECK(close(end[0]) == 0 && close(end[1]) == 0);
}

/* All descriptors of one open share one position. */
static void shared_position(void)
{
    int fd = make("dup.dat", O_WRONLY | O_TRUNC), copy = dup(fd), more[4];

    put(fd, 10);   /* at 0 */
    put(copy, 10); /* at 10 */
    CHECK(lseek(copy, 100, SEEK_SET) == 100);
    put(fd, 10); /* at 100 */
    CHECK((more[0] = dup2(fd, 200)) == 200);
    CHECK((more[1] = dup3(fd, 201, O_CLOEXEC)) == 201);
    CHECK((more[2] = fcntl(fd, F_DUPFD, 300)) >= 300);
    CHECK((more[3] = fcntl(fd, F_DUPFD_CLOEXEC, 400)) >= 400);
    for (int i = 0; i < 4; i++)
        put(more[i], 10); /* at 110, 120, 130, 140 */
    CHECK(dup(-1) == -1 && errno == EBADF);
    CHECK(fcntl(fd, F_GETFD) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(close(more[i]) == 0);
    CHECK(close(copy) == 0 && close(fd) == 0);
}

static void survives_close(void)
{
    int fd = make("dupclose.dat", O_WRONLY | O_TRUNC), copy = dup(fd);

    put(fd, 10);
    CHECK(close(fd) == 0);
    put(copy, 10); /* at 10 */
    CHECK(close(copy) == 0);
}

/* dup2 onto an open descriptor closes what stood there. */
static void replaced(void)
{
    int a = make("repl-a.dat", O_WRONLY | O_TRUNC), b = make("repl-b.dat", O_WRONLY | O_TRUNC);

    CHECK(dup2(a, b) == b);
    put(b, 10);
    CHECK(close(b) == 0);
    pipe_at(b);
    put(a, 10);
    CHECK(close(a) == 0);
}

static void two_opens(void)
{
    int one = make("two.dat", O_WRONLY | O_TRUNC), two = make("two.dat", O_WRONLY);

    put(one, 10); /* at 0 */
    put(two, 10); /* at 0 as well */
    CHECK(close(one) == 0 && close(two) == 0);
}

static void append(void)
{
    int fd = make("app.dat", O_WRONLY | O_TRUNC);

    put(fd, 100);
    CHECK(close(fd) == 0);
    fd = make("app.dat", O_WRONLY | O_APPEND);
    put(fd, 10); /* at 100 */
    put(fd, 10); /* at 110 */
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    put(fd, 10); /* at 120, whatever the position */
    CHECK(lseek(fd, 0, SEEK_CUR) == 130 && close(fd) == 0);
}

static void reused(void)
{
    FILE *stream;
    int fd = make("reuse.dat", O_WRONLY | O_TRUNC);

    CHECK(close(fd) == 0);
    pipe_at(fd);
    fd = make("fdopen.dat", O_WRONLY | O_TRUNC);
    CHECK((stream = fdopen(fd, "w")) && fputs("hello", stream) >= 0 && fclose(stream) == 0);
    pipe_at(fd);
}

/* Positional calls leave the position alone. */
static void positional(void)
{
    int fd = make("pos.dat", O_RDWR | O_TRUNC);

    put(fd, 100);
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    CHECK(pread(fd, buffer, 10, 50) == 10);
    CHECK(read(fd, buffer, 10) == 10); /* at 0 */
    CHECK(close(fd) == 0);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    buffer = work_buffer(4096);
    shared_position();
    survives_close();
    replaced();
    two_opens();
    append();
    reused();
    positional();
    return work_end();
}
