/* attacks.c - hostile behaviour of programs towards a preloaded library: races, longjmp, exits anywhere
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * attacks DIRECTORY WHAT; t9020 says what the log must hold. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

static const char *dir;
static char bytes[4096];
static volatile int stop;
static volatile int shared_fd;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int make(const char *name, int number)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s%d", dir, name, number);
    return open(path, O_CREAT | O_RDWR | O_TRUNC, 0644);
}

/* More files held open than there is memory for records of their own: nothing may go uncounted. */
static int held(void)
{
    enum { FILES = 3000 };
    static int fd[FILES];
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    for (int i = 0; i < FILES; i++)
        if ((fd[i] = make("held", i)) < 0)
            return 77;
    for (int i = 0; i < FILES; i++)
        for (int k = 0; k < 10; k++)
            if (write(fd[i], bytes, 100) != 100)
                return 1;
    return 0;
}

static void *dup_and_close(void *unused)
{
    while (!stop) {
        int fd = dup(shared_fd);

        if (fd >= 0)
            close(fd);
    }
    return unused;
}

static void *seek(void *unused)
{
    while (!stop)
        lseek(shared_fd, 0, SEEK_CUR);
    return unused;
}

/* A second of two threads against one that closes and opens; then 20 files with 1 to 20 writes. */
static int race(void *(*against)(void *), const char *name)
{
    const double begin = now();
    pthread_t thread[2];
    int fd[20];

    shared_fd = make(name, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, against, NULL);
    for (int n = 0; now() - begin < 1; n++) {
        close(shared_fd);
        shared_fd = make(name, n % 3);
    }
    stop = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    close(shared_fd);
    for (int i = 0; i < 20; i++)
        fd[i] = make("after", i);
    for (int i = 0; i < 20; i++)
        for (int k = 0; k <= i; k++)
            if (write(fd[i], bytes, 1) != 1)
                return 1;
    return 0;
}

static void *write_for_ever(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    while (pwrite(shared_fd, bytes, 8, 0) == 8)
        ;
    return unused;
}

/* Threads that are cancelled anywhere, also inside the library's own work. */
static int cancel(void)
{
    shared_fd = make("cancel", 0);
    for (int i = 0; i < 50; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, write_for_ever, NULL);
        usleep((unsigned)(2000 + i * 37));
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    return 0;
}

static sigjmp_buf back;
static volatile sig_atomic_t armed;

static void jump(int signal)
{
    (void)signal;
    if (armed) {
        armed = 0;
        siglongjmp(back, 1);
    }
}

/* A signal handler that leaves the library's own work by longjmp; the last write is counted all the same. */
static int jumps(void)
{
    const int fd = make("jump", 0);

    signal(SIGALRM, jump);
    for (int i = 0; i < 2000; i++) {
        struct itimerval timer = { { 0, 0 }, { 0, 100 + (i * 13) % 400 } };

        if (sigsetjmp(back, 1) != 0)
            continue;
        armed = 1;
        setitimer(ITIMER_REAL, &timer, NULL);
        while (pwrite(fd, bytes, 8, 0) == 8)
            ;
    }
    return pwrite(fd, bytes, 8, 1 << 20) == 8 ? 0 : 1;
}

static void leave(int signal)
{
    (void)signal;
    exit(5);
}

/* exit() from a signal handler, in the middle of malloc. */
static int leave_malloc(int delay)
{
    struct itimerval timer = { { 0, 0 }, { 0, 3000 + delay * 17 } };
    void *block[64] = { 0 };

    close(make("leave", 0));
    signal(SIGALRM, leave);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (unsigned i = 0;; i++) {
        free(block[i * 7 % 64]);
        block[i * 7 % 64] = malloc(2000 + i * 37 % 60000);
    }
}

static void *babble(void *unused)
{
    while (write(1, "GARBAGE!", 8) != 0)
        ;
    return unused;
}

/* Standard output is closed, and a thread goes on writing to its number while the log is made. */
static int closed_output(void)
{
    pthread_t thread;

    close(make("closed", 0));
    close(1);
    pthread_create(&thread, NULL, babble, NULL);
    usleep(3000);
    return 0;
}

/* A copy of the process that no handler is told of. */
static int copied(void)
{
    const int fd = make("copied", 0);
    pid_t child;

    if (write(fd, bytes, 4) != 4)
        return 1;
    child = _Fork();
    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
    return 0;
}

/* A range of descriptors is closed, and their numbers become something else. */
static int range(void)
{
    const int fd = make("range", 0);
    int pair[2];

    if (write(fd, bytes, 3) != 3 || close_range((unsigned)fd, ~0U, 0) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || write(pair[0], bytes, 1000) != 1000)
        return 1;
    return pair[0] == fd ? 0 : 1;
}

static int attack(const char *what)
{
    if (strcmp(what, "held") == 0)
        return held();
    if (strcmp(what, "dup") == 0)
        return race(dup_and_close, "dup");
    if (strcmp(what, "seek") == 0)
        return race(seek, "seek");
    if (strcmp(what, "cancel") == 0)
        return cancel();
    if (strcmp(what, "jump") == 0)
        return jumps();
    if (strncmp(what, "leave", 5) == 0)
        return leave_malloc(atoi(what + 5));
    if (strcmp(what, "closed") == 0)
        return closed_output();
    if (strcmp(what, "copied") == 0)
        return copied();
    if (strcmp(what, "range") == 0)
        return range();
    return strcmp(what, "none") == 0 ? 0 : 2;
}

int main(int argc, char **argv)
{
    int status;

    if (argc < 3)
        return 2;
    dir = argv[1];
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    status = attack(argv[2]);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return status;
}
