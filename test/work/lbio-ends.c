/* lbio-ends.c - a child that writes and ends, and a descriptor that can neither read nor write
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * lbio-ends FILE HOW   prints what the parent reads after the child has ended by HOW: quick_exit, open (quick_exit
 *                      without close), _exit, exit
 * lbio-ends FILE 3     access mode 3, for ioctl, and one that writes; prints what the calls returned */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int end(const char *path, const char *how)
{
    char text[100];
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), status;
    const pid_t pid = fork();

    if (pid == 0) {
        if (write(fd, "hello", 5) != 5)
            _exit(1);
        if (strcmp(how, "open") != 0)
            close(fd);
        if (strcmp(how, "_exit") == 0)
            _exit(0);
        if (strcmp(how, "exit") == 0)
            exit(0);
        quick_exit(0);
    }
    waitpid(pid, &status, 0);
    fd = open(path, O_RDONLY);
    printf("%d %d\n", status, (int)read(fd, text, sizeof text));
    return 0;
}

int main(int argc, char **argv)
{
    int none, fd, first, second, synced, closed, refused;

    if (argc != 3)
        return 2;
    if (strcmp(argv[2], "3") != 0)
        return end(argv[1], argv[2]);
    close(open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600));
    none = open(argv[1], 3);
    fd = open(argv[1], O_RDWR);
    first = (int)write(fd, "first", 5);
    sleep(3); /* replay begins meanwhile */
    second = (int)write(fd, "second", 6);
    synced = fsync(fd);
    closed = close(fd);
    refused = (int)write(none, "no", 2);
    printf("%d %d %d %d %d\n", first, second, synced, closed, refused);
    return 0;
}
