/* write-cost.c - what a write costs the program that makes it, and what memory the process has afterwards
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * write-cost PATH WRITES BYTES STRIDE: prints the median of the microseconds that a write takes, the resident memory of
 * the process in bytes, and how much of it the writes have added. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static long resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (!f || fscanf(f, "%*s %ld", &pages) != 1)
        exit(1);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv)
{
    const int fd = argc == 5 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644) : -1;
    const long writes = fd >= 0 ? atol(argv[2]) : 0, bytes = fd >= 0 ? atol(argv[3]) : 0;
    double *us = calloc((size_t)writes + 1, sizeof *us);
    char *data = malloc((size_t)bytes + 1);
    long before, after;

    if (writes < 1 || !us || !data)
        return 2;
    memset(data, 1, (size_t)bytes);
    memset(us, 0, (size_t)(writes + 1) * sizeof *us);
    before = resident();
    for (long i = 0; i < writes; i++) {
        const double begun = now();

        if (pwrite(fd, data, (size_t)bytes, i * atol(argv[4])) != bytes)
            return 1;
        us[i] = now() - begun;
    }
    after = resident();
    qsort(us, (size_t)writes, sizeof *us, by_size);
    printf("{\"us\": %.3f, \"resident\": %ld, \"grown\": %ld}\n", us[writes / 2], after, after - before);
    return close(fd) == 0 ? 0 : 1;
}
