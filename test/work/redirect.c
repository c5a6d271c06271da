/* redirect.c - redirected standard output; counters in redirect.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

int main(int argc, char **argv)
{
    int fd;

    work_start(&argc, &argv);
    CHECK(printf("%d\n", 100) == 4 && fflush(stdout) == 0);
    CHECK((fd = open(work_path("out.txt"), O_CREAT | O_WRONLY | O_TRUNC, 0644)) >= 0);
    CHECK(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO && close(fd) == 0);
    CHECK(printf("%d\n", 10000) == 6 && fflush(stdout) == 0);
    CHECK(write(STDOUT_FILENO, "direct\n", 7) == 7);
    CHECK(freopen(work_path("again.txt"), "w", stdout) == stdout);
    CHECK(printf("%d\n", 1000000) == 8 && fflush(stdout) == 0);
    return work_end();
}
