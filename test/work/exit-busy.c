/* exit-busy.c - exits while two threads do I/O
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_int rounds[2];

static void *busy(void *name)
{
    const int me = strstr(name, "/one.dat") ? 0 : 1;
    char data[64] = "";

    for (int i = 0;; i++) {
        int fd = open(name, O_CREAT | O_RDWR, 0644);

        if (fd < 0 || write(fd, data, sizeof data) < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
            read(fd, data, sizeof data) < 0 || close(fd) != 0)
            abort();
        atomic_store(&rounds[me], 1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];

    work_start(&argc, &argv);
    CHECK(pthread_create(&thread[0], NULL, busy, strdup(work_path("one.dat"))) == 0);
    CHECK(pthread_create(&thread[1], NULL, busy, strdup(work_path("two.dat"))) == 0);
    while (!atomic_load(&rounds[0]) || !atomic_load(&rounds[1]))
        usleep(1000);
    usleep(20000);
    return work_end();
}
