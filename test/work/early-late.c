/* early-late.c - a library that does I/O before all others are initialised and after they have been unloaded
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void touch(const char *what)
{
    const int fd = open("early-late.dat", O_CREAT | O_WRONLY | O_APPEND, 0644);
    FILE *f = fopen("early-late.dat", "r");

    if (fd < 0 || !f || write(fd, what, 1) != 1 || close(fd) != 0 || fgetc(f) == EOF || fclose(f) != 0)
        _exit(9);
}

static void at_exit(void)
{
    touch("x");
}

__attribute__((constructor(101))) static void early(void)
{
    touch("e");
    atexit(at_exit);
}

__attribute__((destructor(101))) static void late(void)
{
    touch("l");
}
