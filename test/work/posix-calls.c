/* posix-calls.c - each POSIX call once, by the symbols that compilers and options generate
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled plainly, with -D_FILE_OFFSET_BITS=64 and with -O2 -D_FORTIFY_SOURCE=2 it calls other symbols each time
 * (open, open64, __open_2; read, __read_chk; ...) and must be counted alike. Flags and sizes go through volatile
 * variables, so that the fortified forms are not optimised away. */
#include "work.h"

static volatile int no_flags = 0;
static volatile size_t eight = 8;

int main(int argc, char **argv)
{
    char buffer[64] = "0123456789abcdef";
    struct iovec iov = { buffer, 8 };
    struct stat st;
    int fd;

    work_start(&argc, &argv);
    CHECK((fd = open(work_path("calls.dat"), O_CREAT | O_RDWR | O_TRUNC, 0644)) >= 0);
    CHECK(write(fd, buffer, eight) == 8);
    CHECK(pwrite(fd, buffer, eight, 8) == 8);
    CHECK(lseek(fd, 16, SEEK_SET) == 16);
    CHECK(writev(fd, &iov, 1) == 8);
    CHECK(pwritev(fd, &iov, 1, 24) == 8);
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    CHECK(read(fd, buffer, eight) == 8);
    CHECK(pread(fd, buffer, eight, 8) == 8);
    CHECK(lseek(fd, 16, SEEK_SET) == 16);
    CHECK(readv(fd, &iov, 1) == 8);
    CHECK(preadv(fd, &iov, 1, 24) == 8);
    CHECK(fstat(fd, &st) == 0 && st.st_size == 32);
    CHECK(stat(work_path("calls.dat"), &st) == 0 && lstat(work_path("calls.dat"), &st) == 0);
    CHECK(fsync(fd) == 0 && fdatasync(fd) == 0);
    CHECK(close(fd) == 0);
    CHECK((fd = open(work_path("calls.dat"), O_RDONLY | no_flags)) >= 0 && close(fd) == 0);
    CHECK((fd = openat(AT_FDCWD, work_path("calls.dat"), O_RDONLY | no_flags)) >= 0 && close(fd) == 0);
    CHECK((fd = creat(work_path("creat.dat"), 0644)) >= 0 && close(fd) == 0);
    return work_end();
}
