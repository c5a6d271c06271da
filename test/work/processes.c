/* processes.c - without MPI: a child by fork, one by system, one by exec; all in one log
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <sys/wait.h>

static void put(const char *name, size_t n)
{
    int fd = open(work_path(name), O_CREAT | O_WRONLY | O_APPEND, 0644);

    CHECK(fd >= 0 && write(fd, "0123456789", n) == (ssize_t)n && close(fd) == 0);
}

int main(int argc, char **argv)
{
    int status;
    pid_t pid;

    work_start(&argc, &argv);
    if (argc > 2) {
        put("executed.dat", 4);
        return work_end();
    }
    put("parent.dat", 1);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        put("child.dat", 2);
        exit(6);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 6);
    put("parent.dat", 3);
    pid = vfork();
    if (pid == 0) {
        execl(argv[0], argv[0], argv[1], "executed", (char *)NULL);
        _exit(127);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    pid = vfork();
    if (pid == 0) {
        execl("/nonexistent", "nonexistent", (char *)NULL);
        _exit(9);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 9);
    put("parent.dat", 5);
    return work_end();
}
