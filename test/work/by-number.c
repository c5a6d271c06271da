/* by-number.c - calls made by number, with syscall(), each once more by the function of the same name
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * by-number function|number DIRECTORY: what is counted is the same. Prints the results. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_number;
static char bytes[65536];

/* Both have the same arguments here. */
#define CALL(name, ...)          (by_number ? syscall(SYS_##name, __VA_ARGS__) : (long)name(__VA_ARGS__))
#define CALL_AS(call, name, ...) (by_number ? syscall(SYS_##call, __VA_ARGS__) : (long)name(__VA_ARGS__))
#define SHOW(what, value)        show(what, (long)(value))

static void show(const char *what, long value)
{
    printf("%s %ld %s\n", what, value, value < 0 ? strerror(errno) : "");
}

static int opened(const char *path, int flags)
{
    const long fd = CALL(openat, AT_FDCWD, path, flags, 0644);

    SHOW(path, fd >= 0);
    return (int)fd;
}

static void move_bytes(int fd)
{
    const struct iovec iov[2] = { { bytes, 300 }, { bytes + 1000, 200 } };

    SHOW("write", CALL(write, fd, bytes, 1000));
    SHOW("pwrite64", CALL(pwrite64, fd, bytes, 500, 4000));
    SHOW("writev", CALL(writev, fd, iov, 2));
    SHOW("pwritev", CALL(pwritev, fd, iov, 2, 8000L));
    if (by_number)
        SHOW("pwritev2", syscall(SYS_pwritev2, fd, iov, 2, 9000L, 0L, 0));
    else
        SHOW("pwritev2", pwritev2(fd, iov, 2, 9000L, 0));
    SHOW("lseek", CALL(lseek, fd, 10L, SEEK_SET));
    SHOW("read", CALL(read, fd, bytes, 700));
    SHOW("pread64", CALL(pread64, fd, bytes, 100, 4000L));
    SHOW("readv", CALL(readv, fd, iov, 2));
    SHOW("preadv", CALL(preadv, fd, iov, 1, 20L));
    SHOW("fsync", CALL(fsync, fd));
    SHOW("fdatasync", CALL(fdatasync, fd));
    SHOW("fallocate", CALL(fallocate, fd, 0, 0L, 20000L));
    SHOW("ftruncate", CALL(ftruncate, fd, 15000L));
    SHOW("flock", CALL(flock, fd, LOCK_EX));
}

static void name_files(const char *name)
{
    struct stat st;
    struct statx stx;

    SHOW("fstatat", CALL_AS(newfstatat, fstatat, AT_FDCWD, name, &st, 0));
    SHOW("statx", CALL(statx, AT_FDCWD, name, 0, STATX_BASIC_STATS, &stx));
    SHOW("faccessat", by_number ? syscall(SYS_faccessat, AT_FDCWD, name, R_OK) : faccessat(AT_FDCWD, name, R_OK, 0));
    SHOW("renameat2", by_number ? syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, "moved", 0)
                                : renameat2(AT_FDCWD, name, AT_FDCWD, "moved", 0));
    SHOW("unlinkat", CALL(unlinkat, AT_FDCWD, "moved", 0));
#ifdef SYS_open
    SHOW("stat", CALL(stat, "data", &st));
    SHOW("rename", CALL(rename, "copy", "copy2"));
    SHOW("unlink", CALL(unlink, "copy2"));
#endif
}

/* Numbers that are given again after a close that went unseen: what goes through them is no file's. */
static void reuse(void)
{
    const int kinds = 8;

    for (int kind = 0; kind < kinds; kind++) {
        int fd = opened("reused", O_CREAT | O_RDWR), pair[2] = { -1, -1 }, again = -1;
        char path[] = "/dev/zero";

        SHOW("raw close", by_number ? syscall(SYS_close, fd) : close(fd));
        switch (kind) {
        case 0:
            again = (int)CALL_AS(pipe2, pipe2, pair, 0), again = pair[0];
            break;
        case 1:
            again = (int)CALL(socket, AF_UNIX, SOCK_STREAM, 0);
            break;
        case 2:
            again = (int)CALL(epoll_create1, 0);
            break;
        case 3:
            again = (int)CALL_AS(eventfd2, eventfd, 5, 0);
            break;
        case 4:
            again = (int)CALL(timerfd_create, CLOCK_MONOTONIC, 0);
            break;
        case 5:
            again = (int)CALL(dup, 0);
            break;
        case 6:
            again = (int)CALL(openat, AT_FDCWD, path, O_RDONLY, 0);
            break;
        case 7:
            again = (int)CALL(fcntl, 0, F_DUPFD, 3);
            break;
        }
        SHOW("the same number", again == fd);
        if (kind == 3 || kind == 6)
            SHOW("read", CALL(read, again, bytes, 8));
        CALL(close, again);
        if (pair[1] >= 0)
            CALL(close, pair[1]);
    }
}

static void *wait_by_number(void *fd)
{
    char c;

    syscall(SYS_read, *(int *)fd, &c, 1); /* no point of cancellation */
    return &bytes;
}

static void cancel_nothing(void)
{
    int pair[2];
    pthread_t thread;
    void *result;

    if (pipe(pair) != 0 || pthread_create(&thread, NULL, wait_by_number, &pair[0]) != 0)
        exit(1);
    pthread_cancel(thread);
    if (write(pair[1], "x", 1) != 1)
        exit(1);
    pthread_join(thread, &result);
    SHOW("not cancelled", result == &bytes);
    close(pair[0]);
    close(pair[1]);
}

int main(int argc, char **argv)
{
    int fd, copy;

    by_number = argc > 2 && strcmp(argv[1], "number") == 0;
    if (argc < 3 || chdir(argv[2]) != 0)
        return 1;
    fd = opened("data", O_CREAT | O_RDWR | O_TRUNC);
    move_bytes(fd);
    copy = opened("copy", O_CREAT | O_RDWR | O_TRUNC);
    SHOW("sendfile", CALL(lseek, fd, 0L, SEEK_SET) + CALL(sendfile, copy, fd, NULL, 3000));
    SHOW("copy_file_range", CALL(copy_file_range, fd, NULL, copy, NULL, 2000, 0));
    SHOW("dup", CALL(close, CALL(dup, copy)));
    SHOW("dup3", CALL(close, CALL(dup3, copy, 100, 0)));
    SHOW("append", CALL(fcntl, copy, F_SETFL, O_APPEND));
    SHOW("write", CALL(write, copy, bytes, 10));
    SHOW("bad", CALL(write, -1, bytes, 10));
    SHOW("close", CALL(close, copy));
    SHOW("close again", CALL(close, copy));
    SHOW("close", CALL(close, fd));
    for (int i = 0; i < 300; i++) {
        char name[32];

        snprintf(name, sizeof name, "many%d", i);
        fd = (int)CALL(openat, AT_FDCWD, name, O_CREAT | O_WRONLY, 0644);
        CALL(write, fd, bytes, i);
        CALL(close, fd);
    }
    close(opened("named", O_CREAT | O_WRONLY));
    name_files("named");
    reuse();
    cancel_nothing();
    return 0;
}
