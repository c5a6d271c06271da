/* full.c - does I/O while the file system of its survival file is full, then not, then again, according to its arguments
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * full DATA PLACE STEP...: files go into the directory DATA; PLACE is a directory on the file system that becomes full.
 *   fill, free    all that is left of that file system is taken, and given back; this is not counted
 *   fill-for-good the same, but it stays so when the process is gone
 *   files=N       N further files: each is opened, written to once (10 bytes) and closed
 *   turns=N       N times: fill, 60 files, free, 60 files
 *   open=N        N further files are opened and stay open
 *   use=N         10 bytes to each of the first N of these
 *   write=N       N bytes to the file "one", which is opened for the first time then and stays open
 *   many=N        N writes of 1 byte to it
 *   pause         longer than a bin of a heat map
 *   fork          what follows is done by a child; its parent waits for it, writes to a file "parent" and ends
 *   exec=PROGRAM  goes on if it cannot be executed
 *   kill          by SIGKILL */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unseen.h"

static const char *data, *place;
static int made, opened, descriptor[4096], one = -1, filler = -1;

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static int new_file(const char *name)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/%s", data, name);
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    if (fd < 0)
        fail(path);
    return fd;
}

static void put(int fd, size_t size)
{
    static char bytes[65536];

    if (write(fd, bytes, size) != (ssize_t)size)
        fail("write");
}

static void files(int n)
{
    char name[32];

    for (; n > 0; n--) {
        int fd;

        snprintf(name, sizeof name, "file.%d", made++);
        fd = new_file(name);
        put(fd, 10);
        close(fd);
    }
}

/* By system calls, which the tool does not see. */
static void fill(int for_good)
{
    struct statvfs left;
    char path[4096];

    snprintf(path, sizeof path, "%s/filler", place);
    if (filler < 0)
        filler = (int)unseen(SYS_openat, AT_FDCWD, path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    if (filler < 0 || statvfs(place, &left) != 0 || (!for_good && unseen(SYS_unlink, path) != 0))
        fail(path);
    if (left.f_bavail > 0 && unseen(SYS_fallocate, filler, 0, 0L, (long)(left.f_bavail * left.f_bsize)) != 0)
        fail("fallocate");
}

static void give_back(void)
{
    unseen(SYS_close, filler);
    filler = -1;
}

static void turns(int n)
{
    for (; n > 0; n--) {
        fill(0);
        files(60);
        give_back();
        files(60);
    }
}

static void open_files(int n)
{
    char name[32];

    for (; n > 0; n--) {
        snprintf(name, sizeof name, "open.%d", opened);
        descriptor[opened++] = new_file(name);
    }
}

static void begin_child(void)
{
    const pid_t child = fork();
    int status;

    if (child == 0)
        return;
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail("child");
    put(new_file("parent"), 5);
    exit(0);
}

static void step(const char *what)
{
    const char *equals = strchr(what, '=');
    const int n = equals ? atoi(equals + 1) : 0;

    if (strcmp(what, "fill") == 0)
        fill(0);
    else if (strcmp(what, "fill-for-good") == 0)
        fill(1);
    else if (strcmp(what, "free") == 0)
        give_back();
    else if (strncmp(what, "files=", 6) == 0)
        files(n);
    else if (strncmp(what, "turns=", 6) == 0)
        turns(n);
    else if (strncmp(what, "open=", 5) == 0)
        open_files(n);
    else if (strncmp(what, "use=", 4) == 0)
        for (int i = 0; i < n; i++)
            put(descriptor[i], 10);
    else if (strncmp(what, "write=", 6) == 0 || strncmp(what, "many=", 5) == 0)
        for (int i = 0; i < (what[0] == 'm' ? n : 1); i++) {
            one = one >= 0 ? one : new_file("one");
            put(one, what[0] == 'm' ? 1 : (size_t)n);
        }
    else if (strcmp(what, "pause") == 0)
        usleep(150000);
    else if (strcmp(what, "fork") == 0)
        begin_child();
    else if (strncmp(what, "exec=", 5) == 0)
        execl(equals + 1, equals + 1, (char *)NULL);
    else if (strcmp(what, "kill") == 0)
        raise(SIGKILL);
    else
        exit(3);
}

int main(int argc, char **argv)
{
    data = argv[1];
    place = argv[2];
    for (int i = 3; i < argc; i++)
        step(argv[i]);
    return 0;
}
