/* million.c - opens, writes, reads and removes a very large number of files; prints its memory and time
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * million DIRECTORY FILES THREADS: KiB at most resident, milliseconds. */
#include "work.h"

#include <pthread.h>
#include <time.h>

static int files, threads;

static void *work(void *argument)
{
    const int me = (int)(intptr_t)argument;
    char path[PATH_MAX], bytes[32] = "";
    int fd;

    for (int i = me; i < files; i += threads) {
        snprintf(path, sizeof path, "%s/%d", work_dir, i);
        CHECK((fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0644)) >= 0);
        CHECK(write(fd, bytes, 1 + (size_t)i % 31) == 1 + i % 31 && pread(fd, bytes, 1, 0) == 1);
        CHECK(close(fd) == 0 && unlink(path) == 0);
    }
    return NULL;
}

static long resident(void)
{
    char line[256];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");

    CHECK(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1)
            break;
    fclose(f);
    return kib;
}

int main(int argc, char **argv)
{
    pthread_t thread[64];
    struct timespec from, to;

    work_start(&argc, &argv);
    CHECK(argc == 4);
    files = atoi(argv[2]);
    threads = atoi(argv[3]);
    CHECK(threads >= 1 && threads <= 64);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (intptr_t i = 0; i < threads; i++)
        CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < threads; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%ld %ld\n", resident(), (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000);
    return work_end();
}
