/* threads.c - ns a call of N threads: threads N HOW DIRECTORY
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * HOW: `one` descriptor, own descriptors of one file (`same`), files of their `own`, or own streams of one file
 * (`stream`). All calls are made at a time, on 16 KiB that exist already. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, CALLS = 50000, SIZE = 64 };

static pthread_barrier_t gate;
static const char *how, *directory;
static int one;
static double took[MOST];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int open_file(int number)
{
    static const char zeros[256 * SIZE];
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/threads.%d", directory, strcmp(how, "own") == 0 ? number : 0);
    fd = strcmp(how, "one") == 0 && number > 0 ? one : open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || pwrite(fd, zeros, sizeof zeros, 0) != (ssize_t)sizeof zeros)
        exit(1);
    return fd;
}

static void *call(void *number)
{
    const int me = (int)(long)number, fd = open_file(1 + me);
    FILE *stream = strcmp(how, "stream") == 0 ? fdopen(fd, "r+") : NULL;
    char bytes[SIZE] = { 0 };
    double begin;

    pthread_barrier_wait(&gate);
    begin = now();
    for (int i = 0; i < CALLS; i++)
        if (stream ? fwrite(bytes, 1, SIZE, stream) != SIZE : pwrite(fd, bytes, SIZE, i % 256 * SIZE) != SIZE)
            exit(1);
    took[me] = (now() - begin) / CALLS;
    return NULL;
}

int main(int argc, char **argv)
{
    const int n = argc == 4 ? atoi(argv[1]) : 0;
    pthread_t thread[MOST];
    double sum = 0;

    if (n < 1 || n > MOST)
        return 2;
    how = argv[2];
    directory = argv[3];
    one = open_file(0);
    pthread_barrier_init(&gate, NULL, (unsigned)n);
    for (long i = 0; i < n; i++)
        pthread_create(&thread[i], NULL, call, (void *)i);
    for (int i = 0; i < n; i++) {
        pthread_join(thread[i], NULL);
        sum += took[i];
    }
    printf("%.0f\n", sum / n);
    return 0;
}
