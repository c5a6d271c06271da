/* generations.c - each process writes a file and spawns the next one; the first ends before that
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * generations FILE MS [FILE MS]...: a byte to FILE; then the rest of the arguments are another process's, made by
 * posix_spawn, which is waited for after so many milliseconds; not at all where they are negative. */
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
    const int ms = argc > 2 ? atoi(argv[2]) : 0, fd = argc > 2 ? open(argv[1], O_CREAT | O_WRONLY, 0644) : -1;
    int status = 0;
    pid_t pid = 0;

    if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0)
        return 1;
    if (argc > 4) {
        argv[2] = argv[0];
        if (posix_spawn(&pid, argv[0], NULL, NULL, argv + 2, environ) != 0)
            return 1;
    }
    usleep((useconds_t)abs(ms) * 1000);
    if (pid && ms >= 0 && (waitpid(pid, &status, 0) != pid || status != 0))
        return 1;
    return 0;
}
