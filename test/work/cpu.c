/* cpu.c - bursts of operations between which a known part of the time is computed: cpu DIRECTORY BURSTS [WORKERS [at-once]]
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Before each burst of three writes of 100 bytes a process computes for 10 ms of CPU time and waits for 20 ms, in the
 * writes it waits. WORKERS: so many forked children do so, too, one after the other or all at once. What CPU time the
 * thread has used before each burst goes to standard output, a line each: process, microseconds. */
#include "work.h"

#include <sys/wait.h>
#include <time.h>

#define MOST 1000

static double used(void)
{
    struct timespec t;

    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void compute(void)
{
    const double until = used() + .01;

    while (used() < until)
        ;
}

static void bursts(const char *name, int n)
{
    const struct timespec pause = { 0, 20000000 };
    static double at[MOST];
    char path[PATH_MAX], bytes[100] = "";
    int fd;

    CHECK((fd = open(work_path_in(path, name), O_CREAT | O_WRONLY | O_TRUNC, 0644)) >= 0);
    for (int i = 0; i < n; i++) {
        compute();
        nanosleep(&pause, NULL);
        at[i] = used();
        for (int k = 0; k < 3; k++)
            CHECK(write(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes);
    }
    CHECK(close(fd) == 0);
    for (int i = 0; i < n; i++)
        printf("%s %.0f\n", name, at[i] * 1e6);
    CHECK(fflush(stdout) == 0);
}

int main(int argc, char **argv)
{
    int workers, n, rank = 0;

    work_start(&argc, &argv);
#ifdef WITH_MPI
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS);
#endif
    CHECK(argc >= 3);
    n = atoi(argv[2]) < MOST ? atoi(argv[2]) : MOST;
    workers = argc > 3 ? atoi(argv[3]) : 0;
    for (int i = 0; i < workers; i++) {
        char name[32];
        const pid_t child = fork();

        snprintf(name, sizeof name, "worker%d", i);
        if (child == 0) {
            bursts(name, n);
            exit(0);
        }
        CHECK(child > 0);
        if (argc <= 4)
            CHECK(waitpid(child, NULL, 0) == child);
    }
    if (workers == 0) {
        char name[32];

        snprintf(name, sizeof name, "rank%d", rank);
        bursts(name, n);
    }
    while (wait(NULL) > 0)
        ;
    return work_end();
}
