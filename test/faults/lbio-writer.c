/* lbio-writer.c - writes records to a shared file and to one of its own until it is killed: DIRECTORY RANK RANKS PROGRESS
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * PROGRESS holds the number of records that both writes have returned for. Record i is of bytes rank * 41 + i * 31. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORD 4700

static int open_or_end(const char *directory, const char *name, int number)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/%s.%d", directory, name, number);
    fd = open(path, O_RDWR | O_CREAT, 0644);
    if (fd < 0)
        exit(1);
    return fd;
}

int main(int argc, char **argv)
{
    const int rank = argc > 4 ? atoi(argv[2]) : 0, ranks = argc > 4 ? atoi(argv[3]) : 1;
    const int progress = open(argv[4], O_RDWR | O_CREAT, 0644);
    int shared = open_or_end(argv[1], "shared", 0), own = open_or_end(argv[1], "own", rank);
    volatile int64_t *done;
    char bytes[RECORD];

    if (progress < 0 || ftruncate(progress, sizeof *done) != 0)
        return 1;
    done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED, progress, 0);
    if (done == MAP_FAILED)
        return 1;
    for (int i = 0; i < 20000; i++) {
        memset(bytes, rank * 41 + i * 31, sizeof bytes);
        if (pwrite(shared, bytes, RECORD, ((off_t)i * ranks + rank) * RECORD) != RECORD ||
            pwrite(own, bytes, RECORD, (off_t)i * RECORD) != RECORD)
            return 2;
        *done = i + 1;
        if (i % 200 == 199) {
            close(own);
            own = open_or_end(argv[1], "own", rank);
        }
        if (i % 333 == 332)
            fsync(shared);
    }
    return 0;
}
