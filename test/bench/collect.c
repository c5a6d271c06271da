/* collect.c - calls to be recorded: collect FILE calls CASE N | times CASE | ior SIZE COUNT | rate SECONDS PER_SECOND
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * `calls` makes N calls, to have their instructions counted. `times` prints ns of CPU time a call, the best of some turns.
 * `ior` writes and reads a file in pieces as IOR does, each turn with some computing between, and prints the seconds in
 * calls. `rate` makes so many calls a second and prints how many it made, and the peak of its memory in KiB. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int fd;
static FILE *stream;
static char buffer[1 << 20];
static unsigned chance = 1;

static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(int ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    exit(1);
}

static void call(const char *name, long i)
{
    chance = chance * 1664525 + 1013904223;
    switch (name[0]) {
    case 'w': /* write: one after the other */
        check(pwrite(fd, buffer, 1, i & 0xfffff) == 1, "pwrite");
        break;
    case 'r': /* read: anywhere */
        check(pread(fd, buffer, 1, chance >> 12) == 1, "pread");
        break;
    case 's': /* seek */
        check(lseek(fd, i & 0xfffff, SEEK_SET) >= 0, "lseek");
        break;
    default: /* fputc */
        check(fputc('x', stream) == 'x', "fputc");
    }
}

static void time_calls(const char *name)
{
    const long n = 200000;
    double best = 1e9;

    for (int turn = 0; turn < 15; turn++) {
        const double begin = now(CLOCK_THREAD_CPUTIME_ID);
        double took;

        for (long i = 0; i < n; i++)
            call(name, i);
        took = (now(CLOCK_THREAD_CPUTIME_ID) - begin) / (double)n * 1e9;
        best = took < best ? took : best;
    }
    printf("%.1f\n", best);
}

static void ior(size_t size, long count)
{
    volatile unsigned work = 0;
    double in_calls = 0;

    for (int turn = 0; turn < 6; turn++)
        for (long i = 0; i < count; i++) {
            const off_t at = (off_t)(i * (long)size);
            const double begin = now(CLOCK_MONOTONIC);

            if (turn % 2 == 0)
                check(pwrite(fd, buffer, size, at) == (ssize_t)size, "pwrite");
            else
                check(pread(fd, buffer, size, at) == (ssize_t)size, "pread");
            in_calls += now(CLOCK_MONOTONIC) - begin;
            for (unsigned k = 0; k < 200; k++)
                work += k;
        }
    printf("%.6f\n", in_calls);
}

static void at_rate(double seconds, double per_second)
{
    const double begin = now(CLOCK_MONOTONIC);
    struct rusage used;
    long n = 0;
    double t;

    while ((t = now(CLOCK_MONOTONIC) - begin) < seconds)
        for (long due = (long)(t * per_second) + 100; n < due; n++)
            call(n % 2 ? "w" : "r", n);
    getrusage(RUSAGE_SELF, &used);
    printf("%ld %.1f %ld\n", n, t, used.ru_maxrss);
}

int main(int argc, char **argv)
{
    char name[512];

    check(argc >= 4, "usage");
    fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    snprintf(name, sizeof name, "%.500s.stream", argv[1]);
    stream = fopen(name, "w");
    check(fd >= 0 && stream != NULL && pwrite(fd, buffer, sizeof buffer, 0) == (ssize_t)sizeof buffer, argv[1]);
    if (strcmp(argv[2], "calls") == 0)
        for (long i = 0, n = atol(argv[4]); i < n; i++)
            call(argv[3], i);
    else if (strcmp(argv[2], "times") == 0)
        time_calls(argv[3]);
    else if (strcmp(argv[2], "ior") == 0)
        ior((size_t)atol(argv[3]), atol(argv[4]));
    else
        at_rate(atof(argv[3]), atof(argv[4]));
    return 0;
}
