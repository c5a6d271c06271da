/* posix-edges.c - calls that fail, move nothing or get invalid arguments; counters in posix-edges.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * And descriptors that change hands unseen. */
#include "work.h"
#include "unseen.h"

#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

static char *buffer;

static int opened(const char *name)
{
    int fd = open(work_path(name), O_CREAT | O_RDWR | O_TRUNC, 0644);

    CHECK(fd >= 0);
    return fd;
}

/* Nothing is moved: it counts, with size 0. It fails: it does not. */
static void nothing(void)
{
    int fd = opened("nothing.dat"), only;

    CHECK(write(fd, buffer, 0) == 0);   /* 0 at 0: ends at -1 */
    CHECK(read(fd, buffer, 100) == 0);  /* 0 at 0 */
    CHECK(write(fd, buffer, 10) == 10); /* 0..9 */
    CHECK(read(fd, buffer, 100) == 0);  /* at the end: 0 at 10 */
    CHECK(write(fd, (void *)8, 10) == -1 && errno == EFAULT);
    CHECK(pread(fd, buffer, 10, -5) == -1 && errno == EINVAL);
    CHECK(readv(fd, NULL, -1) == -1 && errno == EINVAL);
    CHECK(lseek(fd, -1, SEEK_SET) == -1 && errno == EINVAL);
    CHECK((only = open(work_path("nothing.dat"), O_RDONLY)) >= 0);
    CHECK(write(only, buffer, 10) == -1 && errno == EBADF && close(only) == 0);
    CHECK(close(fd) == 0 && close(fd) == -1 && errno == EBADF);
    CHECK(read(fd, buffer, 10) == -1 && errno == EBADF && fsync(fd) == -1 && lseek(fd, 0, SEEK_SET) == -1);
    CHECK(dup2(-1, 5) == -1 && errno == EBADF && dup(-1) == -1 && fcntl(-1, F_DUPFD, 0) == -1);
}

static void bad_names(void)
{
    const char *null = NULL;

    CHECK(open(null, O_RDONLY) == -1 && errno == EFAULT);
    CHECK(openat(AT_FDCWD, null, O_RDONLY) == -1 && errno == EFAULT);
    CHECK(open("", O_RDONLY) == -1 && errno == ENOENT);
    CHECK(open(work_dir, O_WRONLY) == -1 && errno == EISDIR);
    CHECK(open(work_path("missing.dat"), O_RDONLY) == -1 && errno == ENOENT);
    CHECK(fopen(work_path("missing.dat"), "r") == NULL && errno == ENOENT);
}

/* Offsets: one that is none, a hole, the end whatever is given. */
static void offsets(void)
{
    struct iovec iov = { buffer, 10 };
    int fd = opened("offsets.dat");

    CHECK(pwritev2(fd, &iov, 1, -1, 0) == 10);          /* 0..9, position 10 */
    CHECK(pwritev2(fd, &iov, 1, 100, 0) == 10);         /* 100..109 */
    CHECK(pwritev2(fd, &iov, 1, 0, RWF_APPEND) == 10);  /* 110..119 */
    CHECK(pwritev2(fd, &iov, 1, -1, RWF_APPEND) == 10); /* 120..129, position 130 */
    CHECK(preadv2(fd, &iov, 1, -1, 0) == 0);            /* 0 at 130 */
    CHECK(preadv2(fd, &iov, 1, 100, 0) == 10);          /* 100..109 */
    CHECK(lseek(fd, 0, SEEK_CUR) == 130);
    CHECK(lseek(fd, 0, SEEK_DATA) == 0 && lseek(fd, 0, SEEK_HOLE) >= 10);
    CHECK(lseek(fd, 1000, SEEK_DATA) == -1 && errno == ENXIO);
    CHECK(lseek(fd, 5000, SEEK_SET) == 5000 && write(fd, buffer, 10) == 10); /* 5000..5009 */
    CHECK(close(fd) == 0);
}

/* Closed without a call that is seen; the number goes to something else, whose bytes belong to no file. */
static void reused(void)
{
    int pair[2], fd = opened("reused.dat");
    eventfd_t count = 1;

    CHECK(write(fd, buffer, 10) == 10 && unseen(SYS_close, fd) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pair[0] == fd);
    CHECK(write(pair[0], buffer, 77) == 77 && read(pair[1], buffer, 77) == 77);
    CHECK(close(pair[0]) == 0 && close(pair[1]) == 0);
    fd = opened("reused.dat");
    CHECK(unseen(SYS_close, fd) == 0 && pipe2(pair, O_CLOEXEC) == 0 && pair[0] == fd);
    CHECK(write(pair[1], buffer, 77) == 77 && read(pair[0], buffer, 77) == 77);
    CHECK(close(pair[0]) == 0 && close(pair[1]) == 0);
    fd = opened("reused.dat");
    CHECK(unseen(SYS_close, fd) == 0 && eventfd(0, 0) == fd);
    CHECK(write(fd, &count, sizeof count) == 8 && read(fd, &count, sizeof count) == 8 && close(fd) == 0);
    fd = opened("reused.dat");
    CHECK(unseen(SYS_close, fd) == 0 && epoll_create1(0) == fd && lseek(fd, 0, SEEK_CUR) <= 0 && close(fd) == 0);
    fd = opened("reused.dat");
    CHECK(unseen(SYS_close, fd) == 0 && socket(AF_UNIX, SOCK_STREAM, 0) == fd && write(fd, "x", 1) == -1);
    CHECK(close(fd) == 0);
}

/* The stream closes the descriptor that it was made of. */
static void stream(void)
{
    int pair[2], fd = opened("stream.dat");
    FILE *f = fdopen(fd, "w");

    CHECK(f && fputs("12345", f) >= 0 && fflush(f) == 0 && write(fd, buffer, 10) == 10 && fclose(f) == 0);
    CHECK(pipe(pair) == 0 && pair[0] == fd && write(pair[1], buffer, 77) == 77 && read(pair[0], buffer, 77) == 77);
    CHECK(close(pair[0]) == 0 && close(pair[1]) == 0);
    CHECK((f = fopen(work_path("mode.dat"), "w")) != NULL && fputs("123", f) >= 0);
    CHECK(freopen(NULL, "a", f) == f && fputs("45", f) >= 0); /* the same file in another mode */
    CHECK(freopen(work_path("next.dat"), "w", f) == f && fputs("6", f) >= 0 && fclose(f) == 0);
    CHECK(fdopen(-1, "r") == NULL && errno == EBADF);
}

/* A file without a name has its mode, and counts under its directory. */
static void nameless(void)
{
    char path[PATH_MAX];
    struct stat st;
    int fd;

    umask(0);
    snprintf(path, sizeof path, "%s/nameless", work_dir);
    CHECK(mkdir(path, 0755) == 0);
    fd = open(path, O_TMPFILE | O_RDWR, 0640);
    CHECK(fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0640);
    CHECK(write(fd, buffer, 33) == 33 && close(fd) == 0);
}

/* What a child that is spawned does with its descriptors changes nothing here. */
static void spawned(void)
{
    char *const arguments[] = { "true", NULL }, *const environment[] = { NULL };
    int fd = opened("spawned.dat"), status;
    posix_spawn_file_actions_t actions;
    pid_t child;

    CHECK(posix_spawn_file_actions_init(&actions) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&actions, fd, 1) == 0);
    CHECK(posix_spawn_file_actions_addclose(&actions, fd) == 0);
    CHECK(posix_spawn(&child, "/bin/true", &actions, NULL, arguments, environment) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(posix_spawn_file_actions_destroy(&actions) == 0);
    CHECK(write(fd, buffer, 10) == 10 && close(fd) == 0);
}

/* Opened before anything is recorded: by whoever started us (given.c has more of that), or before MPI_Init. */
static void before(int early)
{
    if (early >= 0)
        CHECK(write(early, buffer, 10) == 10 && close(early) == 0);
#ifndef WITH_MPI
    if (fcntl(7, F_GETFD) >= 0)
        CHECK(write(7, buffer, 10) == 10);
#endif
}

int main(int argc, char **argv)
{
    int early = -1;

#ifdef WITH_MPI
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/early.dat", argv[1]);
    CHECK((early = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644)) >= 0);
#endif
    work_start(&argc, &argv);
    buffer = work_buffer(4096);
    before(early);
    nothing();
    bad_names();
    offsets();
    reused();
    stream();
    nameless();
    spawned();
    return work_end();
}
