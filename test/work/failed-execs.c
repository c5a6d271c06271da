/* failed-execs.c - files and streams between executions that fail
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * failed-execs DIRECTORY ROUNDS */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int make(const char *path, const char *text, mode_t mode)
{
    const int fd = open(path, O_CREAT | O_WRONLY, mode);

    return fd >= 0 && write(fd, text, 1) == 1 && close(fd) == 0;
}

int main(int argc, char **argv)
{
    char path[4096], program[4096];
    char *args[] = { program, NULL };

    if (argc != 3)
        return 2;
    snprintf(program, sizeof program, "%s/no-program", argv[1]);
    if (!make(program, "\001", 0755))
        return 1;
    for (int i = 0; i < atoi(argv[2]); i++) {
        FILE *f;

        snprintf(path, sizeof path, "%s/file.%d", argv[1], i);
        if (!make(path, "x", 0644))
            return 1;
        snprintf(path, sizeof path, "%s/stream.%d", argv[1], i);
        f = fopen(path, "w");
        if (!f || fputs("text", f) < 0 || fclose(f) != 0)
            return 1;
        execv(program, args); /* ENOEXEC */
    }
    return 0;
}
