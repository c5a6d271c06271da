/* fork-busy.c - forks while another thread keeps calling localtime, whose lock the child then finds taken
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

static void *ask(void *until)
{
    struct tm t;

    for (time_t i = 0; !*(volatile int *)until; i++)
        localtime_r(&i, &t);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int stop = 0, status;

    work_start(&argc, &argv);
    alarm(90);
    CHECK(pthread_create(&thread, NULL, ask, &stop) == 0);
    for (int i = 0; i < 100; i++) {
        const pid_t child = fork();

        if (child == 0) {
            alarm(60);
            _exit(0);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    stop = 1;
    CHECK(pthread_join(thread, NULL) == 0);
    return work_end();
}
