/* fork-busy.c - forks while other threads keep taking locks of the C library, which the child then finds taken for good
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Those of localtime and of dl_iterate_phdr. Each of 100 children writes one byte. */
#include "work.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

static void *ask_time(void *until)
{
    struct tm t;

    for (time_t i = 0; !*(volatile int *)until; i++)
        localtime_r(&i, &t);
    return NULL;
}

static int see_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)info, (void)size, (void)unused;
    return 0;
}

static void *ask_linker(void *until)
{
    while (!*(volatile int *)until)
        dl_iterate_phdr(see_object, NULL);
    return NULL;
}

static void write_byte(void)
{
    int fd;

    CHECK(!dlopen("/nowhere/nothing.so", RTLD_NOW)); /* what dlerror says of this stays */
    CHECK((fd = open(work_path("bytes"), O_CREAT | O_APPEND | O_WRONLY, 0644)) >= 0);
    CHECK(write(fd, "b", 1) == 1 && close(fd) == 0);
    CHECK(dlerror() != NULL);
}

int main(int argc, char **argv)
{
    void *(*const ask[])(void *) = { ask_time, ask_linker };
    pthread_t thread[2];
    int stop = 0, status;

    work_start(&argc, &argv);
    alarm(90);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&thread[i], NULL, ask[i], &stop) == 0);
    for (int i = 0; i < 100; i++) {
        const pid_t child = fork();

        if (child == 0) {
            alarm(60);
            write_byte();
            _exit(0);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    stop = 1;
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    return work_end();
}
