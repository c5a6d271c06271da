/* small-stack.c - I/O in a thread with the smallest possible stack; counters in small-stack.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <pthread.h>

static void *work(void *path)
{
    struct stat st;
    FILE *f;
    int fd;

    CHECK((fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0644)) >= 0);
    CHECK(write(fd, "123", 3) == 3 && close(fd) == 0 && stat(path, &st) == 0);
    CHECK((f = fopen(path, "r")) != NULL && fgetc(f) == '1' && fclose(f) == 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_attr_t attr;
    pthread_t thread;

    work_start(&argc, &argv);
    CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) == 0);
    CHECK(pthread_create(&thread, &attr, work, strdup(work_path("small.dat"))) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return work_end();
}
