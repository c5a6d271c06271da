/* measure.c - time, memory and output size of a command: measure RUNS COMMAND [ARGUMENT]...
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints "<seconds> <bytes of output> <KiB at most>": the median of the runs' processor times, which other load on the
 * machine hardly changes, with output going to /dev/null; the bytes are counted in a run of their own. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_RUNS 99

static double seconds_of(const struct rusage *u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

/* Starts the command with output to `fd`. */
static pid_t start(char **command, int fd)
{
    const pid_t child = fork();

    if (child != 0)
        return child;
    dup2(fd, STDOUT_FILENO);
    close(fd);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

/* 0: it failed. */
static int finish(pid_t child, struct rusage *usage)
{
    int status;

    return child > 0 && wait4(child, &status, 0, usage) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* -1: it failed. */
static long long count_output(char **command)
{
    static char buffer[1 << 16];
    struct rusage usage;
    long long n = 0;
    ssize_t got;
    pid_t child;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    child = start(command, ends[1]);
    close(ends[1]);
    while ((got = read(ends[0], buffer, sizeof buffer)) > 0)
        n += got;
    close(ends[0]);
    return finish(child, &usage) ? n : -1;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const int runs = argc > 2 ? atoi(argv[1]) : 0;
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    double seconds[MAX_RUNS];
    struct rusage usage;
    long most = 0;
    long long bytes;

    if (runs < 1 || runs > MAX_RUNS || null < 0) {
        fprintf(stderr, "Usage: measure RUNS COMMAND [ARGUMENT]...\n");
        return 1;
    }
    bytes = count_output(argv + 2);
    for (int i = 0; i < runs; i++) {
        if (bytes < 0 || !finish(start(argv + 2, null), &usage)) {
            fprintf(stderr, "measure: %s failed\n", argv[2]);
            return 1;
        }
        seconds[i] = seconds_of(&usage);
        most = usage.ru_maxrss > most ? usage.ru_maxrss : most;
    }
    qsort(seconds, (size_t)runs, sizeof seconds[0], by_size);
    printf("%.4f %lld %ld\n", seconds[runs / 2], bytes, most);
    return 0;
}
