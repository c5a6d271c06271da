/* threads.c - two threads on one file and on one each; counters in threads.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <pthread.h>

enum { CALLS = 20000, SIZE = 64 };

static int shared;
static pthread_barrier_t barrier;

static void *work(void *number)
{
    const int self = *(int *)number;
    char name[32], path[PATH_MAX], buffer[SIZE] = "";
    int own;

    snprintf(name, sizeof name, "own.%d", self);
    CHECK((own = open(work_path_in(path, name), O_CREAT | O_WRONLY | O_TRUNC, 0644)) >= 0);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < CALLS; i++) {
        CHECK(pwrite(shared, buffer, SIZE, (2L * i + self) * SIZE) == SIZE);
        CHECK(write(own, buffer, SIZE) == SIZE);
    }
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < CALLS; i++)
        CHECK(read(shared, buffer, SIZE) == SIZE);
    CHECK(close(own) == 0);
    return NULL;
}

int main(int argc, char **argv)
{
    static int number[2] = { 0, 1 };
    pthread_t thread[2];

    work_start(&argc, &argv);
    CHECK((shared = open(work_path("shared.dat"), O_CREAT | O_RDWR | O_TRUNC, 0644)) >= 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&thread[i], NULL, work, &number[i]) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(close(shared) == 0);
    return work_end();
}
