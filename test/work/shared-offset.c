/* shared-offset.c - files whose position a program shares with others that it starts in every way
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * shared-offset DIRECTORY: 100 bytes by this process, 100 by the other one, 100 by this one again, in each file.
 * shared-offset DIRECTORY DESCRIPTOR: 100 bytes, as the other one.
 * shared-offset DIRECTORY DESCRIPTOR OFFSET: 100 bytes, twice, at that offset, which does not matter if it appends. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char bytes[100];

static void die(const char *why)
{
    perror(why);
    exit(1);
}

static int move_bytes(int fd, int reads)
{
    return (reads ? read(fd, bytes, sizeof bytes) : write(fd, bytes, sizeof bytes)) == (ssize_t)sizeof bytes;
}

static int descriptor;

static int cloned(void *unused)
{
    (void)unused;
    return !move_bytes(descriptor, 0);
}

static pid_t start(const char *way, const char *self, int fd)
{
    static char stack[256 * 1024] __attribute__((aligned(64)));
    char number[16], write_it[] = "write", command[4096];
    char *arguments[] = { (char *)self, write_it, number, NULL };
    pid_t child = 0;

    snprintf(number, sizeof number, "%d", fd);
    snprintf(command, sizeof command, "exec '%s' write %d", self, fd);
    if (strcmp(way, "fork") == 0 || strcmp(way, "append") == 0 || strcmp(way, "read") == 0) {
        child = fork();
        if (child == 0)
            _exit(!move_bytes(fd, strcmp(way, "read") == 0));
    } else if (strcmp(way, "vfork") == 0) {
        child = vfork();
        if (child == 0) {
            execv(self, arguments);
            _exit(9);
        }
    } else if (strcmp(way, "clone") == 0) {
        descriptor = fd;
        child = clone(cloned, stack + sizeof stack, SIGCHLD, NULL);
    } else if (strcmp(way, "spawn") == 0) {
        if (posix_spawn(&child, self, NULL, NULL, arguments, environ) != 0)
            die("posix_spawn");
    } else if (strcmp(way, "system") == 0) {
        if (system(command) != 0)
            die("system");
    } else if (strcmp(way, "popen") == 0) {
        FILE *pipe = popen(command, "r");

        if (!pipe || pclose(pipe) != 0)
            die("popen");
    }
    return child;
}

int main(int argc, char **argv)
{
    static const char *const ways[] = { "fork", "append", "read", "vfork", "clone", "spawn", "system", "popen" };
    char path[4096];
    int status;

    if (argc == 4)
        return pwrite(atoi(argv[2]), bytes, sizeof bytes, atol(argv[3])) != (ssize_t)sizeof bytes ||
               pwrite(atoi(argv[2]), bytes, sizeof bytes, atol(argv[3])) != (ssize_t)sizeof bytes;
    if (argc == 3)
        return !move_bytes(atoi(argv[2]), 0);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const int reads = strcmp(ways[i], "read") == 0, appends = strcmp(ways[i], "append") == 0;
        int fd;
        pid_t child;

        snprintf(path, sizeof path, "%s/by-%s", argv[1], ways[i]);
        fd = open(path, O_CREAT | O_RDWR | (appends ? O_APPEND : 0), 0644);
        if (fd < 0 || (reads && ftruncate(fd, 300) != 0) || !move_bytes(fd, reads))
            die(path);
        child = start(ways[i], argv[0], fd);
        if (child < 0 || (child > 0 && (waitpid(child, &status, 0) != child || status != 0)))
            die(ways[i]);
        if (!move_bytes(fd, reads) || lseek(fd, 0, SEEK_CUR) != 300)
            die("position");
        close(fd);
    }
    return 0;
}
