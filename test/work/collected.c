/* collected.c - a program whose calls are collected, in circumstances that make that hard: collected DIRECTORY WAY [N]
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each way writes single bytes to the file `put`; what it prints, if anything, is how many signals came. A thread's writes
 * are at the places 0, 1, 2, ... in the file `thread.<number>`, from 0 again at 1000. */
#include "work.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

static int fd;
static volatile long signals;
static sigjmp_buf before;

static void put(long n)
{
    for (long i = 0; i < n; i++)
        if (pwrite(fd, "x", 1, i % 100) != 1)
            _exit(9);
}

static void *put_much(void *n)
{
    put(*(long *)n);
    return NULL;
}

static void wait_for(pid_t pid)
{
    int status;

    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void child(long n, int at_once)
{
    const pid_t pid = fork();

    if (pid == 0) {
        put(n);
        if (at_once)
            _exit(0);
        exit(0);
    }
    wait_for(pid);
}

static void *put_and_fork(void *unused)
{
    for (int i = 0; i < 20; i++) {
        put(50);
        child(7, i % 2);
    }
    return unused;
}

static void in_threads(int n, void *(*what)(void *), void *of)
{
    pthread_t thread[64];

    for (int i = 0; i < n; i++)
        CHECK(pthread_create(&thread[i], NULL, what, of) == 0);
    for (int i = 0; i < n; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
}

static void put_in_handler(int signal)
{
    const int error = errno;

    (void)signal;
    signals++;
    put(1);
    errno = error;
}

static void jump(int signal)
{
    (void)signal;
    signals++;
    siglongjmp(before, 1);
}

static void every(long us, void (*handler)(int))
{
    struct sigaction a = { .sa_handler = handler };
    const struct itimerval t = { { 0, us }, { 0, us } };

    CHECK(sigaction(SIGALRM, &a, NULL) == 0 && setitimer(ITIMER_REAL, &t, NULL) == 0);
}

static void no_more(void)
{
    const struct itimerval none = { { 0, 0 }, { 0, 0 } };

    CHECK(setitimer(ITIMER_REAL, &none, NULL) == 0);
    printf("%ld\n", signals);
}

static void *count_up(void *number)
{
    char name[32];
    int mine;

    snprintf(name, sizeof name, "thread.%ld", (long)(intptr_t)number);
    mine = open(work_path(name), O_RDWR | O_CREAT, 0600);
    for (long i = 0;; i++)
        if (pwrite(mine, "x", 1, i % 1000) != 1)
            _exit(9);
}

/* ------------------------------------------------------------------ ways; n: the last argument */

static void by_fork(long n)
{
    (void)n;
    put(10);
    for (int i = 0; i < 3; i++)
        child(20 + i, i == 1);
    put(5);
}

static void by_vfork(long n)
{
    (void)n;
    for (int i = 0; i < 6; i++) {
        const pid_t pid = vfork();

        if (pid == 0) {
            if (i % 2 == 0)
                _exit(0);
            execl("/bin/true", "true", NULL);
            _exit(1);
        }
        wait_for(pid);
        put(10);
    }
}

static void by_handler(long n)
{
    every(200, put_in_handler);
    put(n);
    no_more();
}

static void by_jumps(long n)
{
    every(300, jump);
    for (volatile long i = 0; i < n; i++)
        if (sigsetjmp(before, 1) == 0)
            for (;;)
                put(100);
    no_more();
}

static void by_threads(long n)
{
    long each = 100;

    for (long i = 0; i < n; i++)
        in_threads(4, put_much, &each);
}

static void *put_and_end(void *n)
{
    put(*(long *)n);
    pthread_exit(NULL);
}

/* Threads that end after a single call. */
static void by_early(long n)
{
    long once = 1;

    for (long i = 0; i < n; i++)
        in_threads(50, put_and_end, &once);
}

/* The first thread ends before the others, the last of which ends the process. */
static void by_first_ends(long n)
{
    static long each;

    each = n;
    put(10);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;

        CHECK(pthread_create(&thread, NULL, put_and_end, &each) == 0 && pthread_detach(thread) == 0);
    }
    pthread_exit(NULL);
}

static void by_cancel(long n)
{
    long much = 1L << 40;

    for (long i = 0; i < n; i++) {
        pthread_t thread;

        CHECK(pthread_create(&thread, NULL, put_much, &much) == 0);
        usleep(100);
        CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
    }
    put(10);
}

static void by_fork_in_threads(long n)
{
    (void)n;
    in_threads(4, put_and_fork, NULL);
}

static void by_daemon(long n)
{
    int done[2];

    (void)n;
    put(10);
    CHECK(pipe(done) == 0);
    if (fork() != 0) {
        char end;

        CHECK(close(done[1]) == 0 && read(done[0], &end, 1) == 0);
        return;
    }
    setsid();
    for (int i = 0; i < 1024; i++)
        if (i != done[1])
            close(i);
    fd = open(work_path("put"), O_RDWR);
    if (fd != 0)
        _exit(8);
    put(30);
    exit(0);
}

/* Descriptors are given from the lowest on: none of them is anybody else's. */
static void by_closefrom(long n)
{
    put(10);
    closefrom(3);
    fd = open(work_path("put"), O_RDWR);
    CHECK(fd == 3 && open(work_path("put"), O_RDONLY) == 4);
    put(n);
}

static void by_chroot(long n)
{
    put(10);
    CHECK(chroot(work_path("")) == 0);
    put(n);
}

static void by_setuid(long n)
{
    put(10);
    CHECK(setuid(65534) == 0);
    put(n);
}

static void by_exec(long n)
{
    (void)n;
    put(10);
    execl("/nonexistent", "nonexistent", NULL);
    put(20);
    execl("/bin/dd", "dd", "if=/dev/zero", "of=executed", "bs=1", "count=33", "status=none", NULL);
}

static void by_abort(long n)
{
    put(n);
    abort();
}

static void by_limit(long n)
{
    const struct rlimit little = { 4096, 4096 };

    put(10);
    CHECK(setrlimit(RLIMIT_FSIZE, &little) == 0);
    put(n);
}

static void by_clone(long n)
{
    long pid;

    (void)n;
    put(10);
    pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        put(5);
        syscall(SYS_exit_group, 0);
    }
    wait_for((pid_t)pid);
    put(10);
}

static void until_killed(long n)
{
    for (intptr_t i = 0; i < n; i++) {
        pthread_t thread;

        CHECK(pthread_create(&thread, NULL, count_up, (void *)i) == 0);
    }
    pause();
}

static void just_put(long n)
{
    put(n);
}

static const struct way {
    const char *name;
    void (*go)(long n);
} ways[] = {
    { "put", just_put },
    { "fork", by_fork },
    { "vfork", by_vfork },
    { "handler", by_handler },
    { "jumps", by_jumps },
    { "threads", by_threads },
    { "early", by_early },
    { "first-ends", by_first_ends },
    { "cancel", by_cancel },
    { "fork-in-threads", by_fork_in_threads },
    { "daemon", by_daemon },
    { "closefrom", by_closefrom },
    { "chroot", by_chroot },
    { "setuid", by_setuid },
    { "exec", by_exec },
    { "abort", by_abort },
    { "limit", by_limit },
    { "clone", by_clone },
    { "until-killed", until_killed },
};

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    fd = open(work_path("put"), O_RDWR | O_CREAT, 0666);
    CHECK(argc > 2 && fd >= 0);
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i].name, argv[2]) == 0)
            ways[i].go(argc > 3 ? atol(argv[3]) : 0);
    work_end();
    return 0;
}
