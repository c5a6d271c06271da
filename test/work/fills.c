/* fills.c - writes 10 bytes to each of 2,000 files, then optionally allocates memory until it is killed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * fills DIRECTORY [grow] */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE ((size_t)1 << 20)

int main(int argc, char **argv)
{
    char path[4096];

    for (int i = 0; i < 2000; i++) {
        int fd;

        snprintf(path, sizeof path, "%s/file.%d", argv[1], i);
        fd = open(path, O_CREAT | O_WRONLY, 0600);
        if (fd < 0 || write(fd, "0123456789", 10) != 10 || close(fd) != 0)
            return 2;
    }
    while (argc > 2) {
        char *volatile more = malloc(PIECE);

        if (more)
            memset(more, 1, PIECE);
    }
    return 0;
}
