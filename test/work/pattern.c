/* pattern.c - reads or writes a region of a file in a known pattern, to verify simulations
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * pattern FILE random|loop|write COUNT SIZE REGION [THINK_US [PERIOD]]: COUNT requests of SIZE bytes, at random multiples
 * of SIZE in REGION bytes, or one after another around it; computes so long between them, or after every PERIOD of them.
 * Writes end with fsync. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void compute(long us)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

int main(int argc, char **argv)
{
    const int is_write = argc > 2 && strcmp(argv[2], "write") == 0,
              is_random = argc > 2 && strcmp(argv[2], "random") == 0;
    const long count = argc > 5 ? atol(argv[3]) : 0, size = argc > 5 ? atol(argv[4]) : 0;
    const long places = size > 0 ? atol(argv[5]) / size : 0, think = argc > 6 ? atol(argv[6]) : 0;
    const long period = argc > 7 ? atol(argv[7]) : 1;
    uint64_t state = 12345;
    char *buffer;
    int fd;

    if (places <= 0 || !(buffer = calloc(1, (size_t)size)) ||
        (fd = open(argv[1], is_write ? O_WRONLY | O_CREAT : O_RDONLY, 0644)) < 0)
        return 2;
    for (long i = 0; i < count; i++) {
        const off_t at =
            (is_random ? (long)((state = state * 6364136223846793005u + 1442695040888963407u) >> 33) % places
                       : i % places) *
            size;

        if ((is_write ? pwrite(fd, buffer, (size_t)size, at) : pread(fd, buffer, (size_t)size, at)) != size)
            return 1;
        if (think > 0 && i % period == period - 1)
            compute(think);
    }
    free(buffer);
    return (is_write && fsync(fd) != 0) || close(fd) != 0;
}
