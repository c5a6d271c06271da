/* traced.c - two threads, and many operations that can be identified by their offsets: traced DIRECTORY OPERATIONS
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each thread writes OPERATIONS times 8 bytes into a file of both, at every second place, and as often reads 4 bytes
 * of its own file, one place after the other. */
#include "work.h"

#include <pthread.h>

static int shared;
static long operations;
static pthread_barrier_t barrier; /* a thread that has ended may give the next one its id */

static void *work(void *number)
{
    const int self = *(int *)number;
    char name[32], path[PATH_MAX], buffer[8] = "";
    int own;

    snprintf(name, sizeof name, "own.%d", self);
    CHECK((own = open(work_path_in(path, name), O_CREAT | O_RDWR | O_TRUNC, 0644)) >= 0);
    CHECK(ftruncate(own, 4 * operations) == 0);
    pthread_barrier_wait(&barrier);
    for (long i = 0; i < operations; i++) {
        CHECK(pwrite(shared, buffer, 8, (2 * i + self) * 8) == 8);
        CHECK(read(own, buffer, 4) == 4);
    }
    CHECK(close(own) == 0);
    return NULL;
}

int main(int argc, char **argv)
{
    static int number[2] = { 0, 1 };
    pthread_t thread[2];

    work_start(&argc, &argv);
    CHECK(argc == 3);
    operations = atol(argv[2]);
    CHECK((shared = open(work_path("shared.dat"), O_CREAT | O_RDWR | O_TRUNC, 0644)) >= 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&thread[i], NULL, work, &number[i]) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(close(shared) == 0);
    return work_end();
}
