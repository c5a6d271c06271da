/* copy-given.c - copies what is left of standard input to standard output inside the kernel; says how long the calls took
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    double took = 0, begin;
    ssize_t n;

    do {
        begin = now();
        n = copy_file_range(0, NULL, 1, NULL, 16 << 20, 0);
        took += now() - begin;
    } while (n > 0);
    fprintf(stderr, "%.9f\n", took);
    return n < 0;
}
