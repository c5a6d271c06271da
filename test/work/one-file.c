/* one-file.c - writes a line to a file, by POSIX calls or by a stream, which also reads it
 * SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int plain(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    return fd < 0 || write(fd, "line\n", 5) != 5 || close(fd) != 0;
}

static int stream(const char *path)
{
    char line[16] = "";
    FILE *f = fopen(path, "w+");

    return !f || fputs("line\n", f) < 0 || fseek(f, 0, SEEK_SET) != 0 || !fgets(line, sizeof line, f) || fclose(f) != 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    return strcmp(argv[1], "stream") == 0 ? stream(argv[2]) : plain(argv[2]);
}
