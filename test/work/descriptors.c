/* descriptors.c - descriptors that are replaced unseen; counters in descriptors.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <dirent.h>
#include <sys/wait.h>

static char *buffer;

/* A pipe that gets number `fd`: its 77 bytes belong to no file. */
static void pipe_at(int fd)
{
    int end[2];

    CHECK(pipe(end) == 0 && (end[0] == fd || end[1] == fd));
    CHECK(write(end[1], buffer, 77) == 77 && read(end[0], buffer, 77) == 77);
    CHECK(close(end[0]) == 0 && close(end[1]) == 0);
}

/* Appending calls go to the end, those with an offset too, but only the others move the position. */
static void appending(void)
{
    int fd = open(work_path("append.dat"), O_CREAT | O_RDWR | O_TRUNC | O_APPEND, 0644);

    CHECK(fd >= 0 && write(fd, buffer, 10) == 10); /* 0..9, position 10 */
    CHECK(pwrite(fd, buffer, 10, 0) == 10);        /* 10..19 in Linux, position 10 */
    CHECK(read(fd, buffer, 5) == 5);               /* 10..14 */
    CHECK(close(fd) == 0);
}

/* A path below a directory that is not recorded is not one below the working directory. */
static void elsewhere(void)
{
    int dir = open("/usr/bin", O_RDONLY | O_DIRECTORY), fd;

    CHECK(dir >= 0 && chdir(work_dir) == 0);
    CHECK((fd = openat(dir, "env", O_RDONLY)) >= 0 && read(fd, buffer, 4) == 4 && close(fd) == 0);
    CHECK(close(dir) == 0);
}

/* The library closes a directory's descriptor by itself. */
static void directory(void)
{
    int fd = open(work_dir, O_RDONLY | O_DIRECTORY);
    DIR *dir = fdopendir(fd);

    CHECK(fd >= 0 && dir && readdir(dir) && closedir(dir) == 0);
    pipe_at(fd);
}

/* A child by vfork shares the memory, but not the descriptors. */
static void borrowed(void)
{
    int fd = open(work_path("vfork.dat"), O_CREAT | O_WRONLY | O_TRUNC, 0644), status;
    pid_t pid;

    CHECK(fd >= 0 && write(fd, buffer, 10) == 10);
    pid = vfork();
    if (pid == 0) {
        close(fd);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(write(fd, buffer, 10) == 10 && close(fd) == 0);
}

/* mkstemp's name is known only when it is there. */
static void temporary(void)
{
    char path[PATH_MAX];
    int fd;

    snprintf(path, sizeof path, "%s/tempXXXXXX", work_dir);
    CHECK((fd = mkstemp(path)) >= 0 && write(fd, buffer, 6) == 6 && close(fd) == 0);
}

/* A stream below which the descriptor is used directly. */
static void below(void)
{
    FILE *f = fopen(work_path("below.dat"), "w");

    CHECK(f && fputs("stream", f) >= 0 && fflush(f) == 0);
    CHECK(write(fileno(f), buffer, 4) == 4 && fsync(fileno(f)) == 0);
    CHECK(fclose(f) == 0);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    buffer = work_buffer(4096);
    appending();
    directory();
    borrowed();
    temporary();
    below();
    elsewhere();
    return work_end();
}
