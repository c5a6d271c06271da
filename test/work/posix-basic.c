/* posix-basic.c - opens, reads, writes, seeks, stats and syncs with counters computed by hand in posix-basic.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

static char *buffer;

/* Each edge of the size histogram from both sides, written one behind the other. */
static void edges(void)
{
    static const size_t size[] = { 0,      1,      100,     101,     1024,    1025,    10240,    10241,
                                   102400, 102401, 1048576, 1048577, 4194304, 4194305, 10485760, 10485761 };
    int fd = open(work_path("edges.dat"), O_CREAT | O_WRONLY | O_TRUNC, 0644);

    CHECK(fd >= 0);
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        CHECK(write(fd, buffer, size[i]) == (ssize_t)size[i]);
    CHECK(close(fd) == 0);
}

static void put(int fd, size_t n)
{
    CHECK(write(fd, buffer, n) == (ssize_t)n);
}

static void get(int fd, size_t n)
{
    CHECK(read(fd, buffer, n) == (ssize_t)n);
}

/* Forwards, backwards, strided, and between reading and writing. */
static void sequence(void)
{
    int fd = open(work_path("seq.dat"), O_CREAT | O_RDWR | O_TRUNC, 0644);

    CHECK(fd >= 0);
    put(fd, 10); /* W1 at 0 */
    put(fd, 10); /* W2 at 10 */
    CHECK(lseek(fd, 120, SEEK_SET) == 120);
    put(fd, 10); /* W3 at 120 */
    CHECK(lseek(fd, 100, SEEK_CUR) == 230);
    put(fd, 10); /* W4 at 230 */
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    put(fd, 10);                              /* W5 at 0 */
    put(fd, 10);                              /* W6 at 10 */
    CHECK(pwrite(fd, buffer, 10, 500) == 10); /* W7 at 500 */
    put(fd, 10);                              /* W8 at 20 */
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    get(fd, 5);                               /* R1 at 0 */
    get(fd, 5);                               /* R2 at 5 */
    CHECK(pread(fd, buffer, 5, 105) == 5);    /* R3 */
    CHECK(pread(fd, buffer, 5, 205) == 5);    /* R4 */
    CHECK(pread(fd, buffer, 5, 305) == 5);    /* R5 */
    CHECK(pwrite(fd, buffer, 10, 510) == 10); /* W9 */
    get(fd, 5);                               /* R6 at 10 */
    CHECK(lseek(fd, 0, SEEK_END) == 520);
    CHECK(read(fd, buffer, 5) == 0); /* R7 at 520, the end */
    CHECK(lseek(fd, -1, SEEK_SET) == -1 && errno == EINVAL);
    CHECK(pread(fd, buffer, 5, -1) == -1 && errno == EINVAL);
    CHECK(fsync(fd) == 0 && fsync(fd) == 0 && fdatasync(fd) == 0);
    CHECK(close(fd) == 0);
    CHECK(read(fd, buffer, 5) == -1 && errno == EBADF);
}

/* Memory that is aligned and memory that is not; vectors. */
static void memory(void)
{
    struct iovec odd[2] = { { buffer, 8 }, { buffer + 1, 8 } }, even[2] = { { buffer, 8 }, { buffer + 8, 8 } };
    int fd = open(work_path("mem.dat"), O_CREAT | O_RDWR | O_TRUNC, 0644);

    CHECK(fd >= 0);
    CHECK(write(fd, buffer, 16) == 16 && write(fd, buffer + 1, 16) == 16);
    CHECK(write(fd, buffer + 4, 16) == 16 && write(fd, buffer + 8, 16) == 16);
    CHECK(writev(fd, odd, 2) == 16 && writev(fd, even, 2) == 16);
    CHECK(pwritev(fd, odd, 2, 1000) == 16);
    CHECK(preadv(fd, even, 2, 0) == 16);
    CHECK(lseek(fd, 0, SEEK_SET) == 0 && readv(fd, odd, 2) == 16);
    CHECK(close(fd) == 0);
}

/* More distinct sizes than are told apart, and sizes that are equally frequent. */
static void common_sizes(void)
{
    int fd = creat(work_path("top.dat"), 0600);
    int again[] = { 7, 7, 9, 9, 5 };

    CHECK(fd >= 0);
    for (int n = 1; n <= 32; n++)
        CHECK(pwrite(fd, buffer, n, 0) == n);
    for (int i = 0; i < 10; i++)
        CHECK(pwrite(fd, buffer, 200, 0) == 200);
    for (int i = 0; i < 5; i++)
        CHECK(pwrite(fd, buffer, again[i], 0) == again[i]);
    CHECK(close(fd) == 0);
}

static void opens(void)
{
    const char *path = work_path("open.dat");
    int dir = open(work_dir, O_RDONLY | O_DIRECTORY), fd;

    CHECK(dir >= 0);
    CHECK((fd = open(path, O_CREAT | O_WRONLY, 0640)) >= 0 && close(fd) == 0);
    CHECK((fd = open(path, O_RDONLY)) >= 0 && close(fd) == 0);
    CHECK((fd = openat(AT_FDCWD, path, O_RDONLY)) >= 0 && close(fd) == 0);
    CHECK((fd = openat(dir, "open.dat", O_RDONLY)) >= 0 && close(fd) == 0);
    CHECK((fd = creat(path, 0600)) >= 0 && close(fd) == 0);
    CHECK(open(path, O_CREAT | O_EXCL | O_WRONLY, 0644) == -1 && errno == EEXIST);
    CHECK(open(work_path("missing.dat"), O_RDONLY) == -1 && errno == ENOENT);
    CHECK(close(dir) == 0);
}

/* One file by several names, and one that only looks the same when ".." is understood. */
static void paths(void)
{
    static const char *const name[] = { "path.dat", "./path.dat", "sub/../path.dat" };
    int fd = creat(work_path("path.dat"), 0644);

    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(mkdir(work_path("sub"), 0755) == 0 || errno == EEXIST);
    CHECK((fd = open(work_path("/path.dat"), O_RDONLY)) >= 0 && close(fd) == 0);
    CHECK((fd = open(work_path("././/./path.dat"), O_RDONLY)) >= 0 && close(fd) == 0);
    CHECK(chdir(work_dir) == 0);
    for (int i = 0; i < 3; i++)
        CHECK((fd = open(name[i], O_RDONLY)) >= 0 && close(fd) == 0);
    CHECK((fd = open("/proc/self/status", O_RDONLY)) >= 0 && close(fd) == 0);
    CHECK((fd = open("/dev/null", O_RDWR)) >= 0 && write(fd, buffer, 10) == 10 && close(fd) == 0);
    CHECK((fd = open("/etc/passwd", O_RDONLY)) >= 0 && read(fd, buffer, 1) == 1 && close(fd) == 0);
}

static void small_cases(void)
{
    int fd = creat(work_path("zero.dat"), 0644);

    CHECK(fd >= 0 && write(fd, buffer, 0) == 0 && write(fd, buffer, 1) == 1 && close(fd) == 0);
    CHECK((fd = creat(work_path("one.dat"), 0644)) >= 0);
    CHECK(pwrite(fd, buffer, 1, 1) == 1 && pwrite(fd, buffer, 1, 2) == 1 && close(fd) == 0);
    CHECK((fd = creat(work_path("reopen.dat"), 0644)) >= 0 && write(fd, buffer, 10) == 10 && close(fd) == 0);
    CHECK((fd = open(work_path("reopen.dat"), O_WRONLY)) >= 0);
    CHECK(pwrite(fd, buffer, 10, 10) == 10 && close(fd) == 0);
    CHECK((fd = open(work_path("big.dat"), O_CREAT | O_RDWR, 0644)) >= 0);
    CHECK(pwrite(fd, buffer, 1, 5LL << 30) == 1 && pread(fd, buffer, 2, 5LL << 30) == 1 && close(fd) == 0);
    CHECK(unlink(work_path("big.dat")) == 0);
    CHECK((fd = open(work_path("one.dat"), O_RDONLY)) >= 0);
    CHECK(write(fd, buffer, 1) == -1 && errno == EBADF && close(fd) == 0);
}

/* statonly.dat is made by a call that is not I/O, so that only the stats are seen of it. */
static void stats(void)
{
    const char *path = work_path("statonly.dat");
    struct stat st;
    int fd;

    CHECK(mknod(path, S_IFREG | 0644, 0) == 0 || errno == EEXIST);
    CHECK(stat(path, &st) == 0 && lstat(path, &st) == 0);
    CHECK(stat(work_path("missing.dat"), &st) == -1 && errno == ENOENT);
    CHECK(stat(work_dir, &st) == 0 && S_ISDIR(st.st_mode));
    CHECK((fd = creat(work_path("fstat.dat"), 0644)) >= 0);
    CHECK(fstat(fd, &st) == 0 && fstat(fd, &st) == 0 && close(fd) == 0);
    CHECK(fstat(fd, &st) == -1 && errno == EBADF);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    buffer = work_buffer(11 << 20);
    edges();
    sequence();
    memory();
    common_sizes();
    opens();
    small_cases();
    stats();
    paths();
    return work_end();
}
