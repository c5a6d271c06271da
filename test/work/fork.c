/* fork.c - forks after MPI_Init; its children are counted with it; counters in fork.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <sys/wait.h>

static void child(int how)
{
    int fd = open(work_path("child.dat"), O_CREAT | O_WRONLY, 0644);

    if (fd < 0 || write(fd, "child", 5) != 5 || close(fd) != 0)
        _exit(1);
    if (how == 0)
        _exit(7);
    if (how == 1)
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
    abort();
}

int main(int argc, char **argv)
{
    int fd, status;

    work_start(&argc, &argv);
    CHECK((fd = open(work_path("parent.dat"), O_CREAT | O_WRONLY | O_TRUNC, 0644)) >= 0);
    CHECK(write(fd, "before", 6) == 6);
    for (int how = 0; how < 2; how++) {
        pid_t pid = fork();

        CHECK(pid >= 0);
        if (pid == 0)
            child(how);
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    CHECK(system("exit 3") >> 8 == 3);
    CHECK(write(fd, "after", 5) == 5 && close(fd) == 0);
    return work_end();
}
