/* settings.c - a little of everything that settings are about: names, modules, alignment, stdio
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each rank writes 8 bytes to data.dat from memory that is aligned to 4 bytes but not to 8, one byte to plug.so and
 * to keep.so, five bytes through a stream to text.txt, and reads a byte of /etc/passwd. "handler" as a second argument:
 * the files are opened in a signal handler. */
#include "work.h"

#include <signal.h>

static void put(const char *name, const char *bytes, size_t n)
{
    int fd;

    CHECK((fd = open(work_path(name), O_CREAT | O_WRONLY, 0644)) >= 0);
    CHECK(write(fd, bytes, n) == (ssize_t)n && close(fd) == 0);
}

static void work(int signal)
{
    static char buffer[16] __attribute__((aligned(8))) = "0123456789abcde";
    int fd;

    (void)signal;
    put("data.dat", buffer + 4, 8);
    put("plug.so", "x", 1);
    put("keep.so", "x", 1);
    CHECK((fd = open("/etc/passwd", O_RDONLY)) >= 0);
    CHECK(read(fd, buffer, 1) == 1 && close(fd) == 0);
}

int main(int argc, char **argv)
{
    FILE *f;

    work_start(&argc, &argv);
    if (argc > 2 && strcmp(argv[2], "handler") == 0) {
        CHECK(signal(SIGUSR1, work) != SIG_ERR);
        CHECK(raise(SIGUSR1) == 0);
    } else {
        work(0);
    }
    CHECK((f = fopen(work_path("text.txt"), "w")) != NULL && fputs("line\n", f) >= 0 && fclose(f) == 0);
    return work_end();
}
