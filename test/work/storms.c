/* storms.c - I/O in handlers at a high rate, in cancelled threads, in children of all kinds, on tiny stacks
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * storms DIRECTORY WHAT; t9040 says what the log must hold. */
#include "work.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

extern char **environ;

static int make(const char *name)
{
    char path[PATH_MAX];
    const int fd = open(work_path_in(path, name), O_CREAT | O_RDWR | O_TRUNC, 0644);

    CHECK(fd >= 0);
    return fd;
}

static void put(int fd, int times)
{
    for (int i = 0; i < times; i++)
        CHECK(write(fd, "12345678", 8) == 8);
}

/* ------------------------------------------------------------------ handlers */

static char handler_path[PATH_MAX];
static volatile long handled;

static void handler(int number)
{
    const int saved = errno, fd = open(handler_path, O_RDWR | O_CREAT, 0644);
    char c;

    (void)number;
    if (fd < 0 || write(fd, "h", 1) != 1 || pread(fd, &c, 1, 0) != 1 || close(fd) != 0)
        _exit(9);
    handled++;
    errno = saved;
}

static void storm(int on)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
    struct itimerval often = { { 0, on ? 100 : 0 }, { 0, on ? 100 : 0 } };

    if (on) { /* snprintf makes the path empty first, which a handler would find */
        snprintf(handler_path, sizeof handler_path, "%s/handler.dat", work_dir);
        CHECK(sigaction(SIGALRM, &action, NULL) == 0 && sigaction(SIGPROF, &action, NULL) == 0);
    }
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0 && setitimer(ITIMER_PROF, &often, NULL) == 0);
}

static void *write_own(void *name)
{
    const int fd = make(name);
    char path[PATH_MAX];
    FILE *f;

    put(fd, 20000);
    CHECK(close(fd) == 0);
    for (int i = 0; i < 200; i++) {
        CHECK((f = fopen(work_path_in(path, name), "r+")) != NULL && fgetc(f) == '1' && fclose(f) == 0);
    }
    return NULL;
}

static int handlers(void)
{
    pthread_t thread[2];

    storm(1);
    CHECK(pthread_create(&thread[0], NULL, write_own, "one.dat") == 0);
    CHECK(pthread_create(&thread[1], NULL, write_own, "two.dat") == 0);
    write_own("main.dat");
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    storm(0);
    printf("%ld\n", handled);
    return 0;
}

/* ------------------------------------------------------------------ cancellation */

static int cancelled_fd;

static void *write_for_ever(void *type)
{
    CHECK(pthread_setcanceltype((int)(intptr_t)type, NULL) == 0);
    for (;;) {
        if (write(cancelled_fd, "x", 1) != 1 || lseek(cancelled_fd, 0, SEEK_SET) != 0)
            break;
    }
    return NULL;
}

/* After it all the file can still be used, and what is written then is counted. */
static int cancel(int type)
{
    pthread_t thread;

    cancelled_fd = make("cancelled.dat");
    for (int i = 0; i < 100; i++) {
        CHECK(pthread_create(&thread, NULL, write_for_ever, (void *)(intptr_t)type) == 0);
        usleep((unsigned)(500 + i * 17));
        CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
    }
    put(make("after.dat"), 10);
    return pwrite(cancelled_fd, "12345678", 8, 1 << 20) == 8 ? 0 : 1;
}

/* ------------------------------------------------------------------ children */

static int reap(pid_t pid)
{
    int status;

    CHECK(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What the child does depends on the number; it must never hang. */
static void *fork_often(void *number)
{
    char name[32];

    for (int i = 0; i < 9; i++) {
        const int kind = (i + (int)(intptr_t)number) % 3;
        pid_t pid = fork();

        CHECK(pid >= 0);
        if (pid == 0) {
            snprintf(name, sizeof name, "child%d", (int)getpid());
            put(make(name), 3);
            if (kind == 0)
                execl("/bin/true", "true", (char *)NULL);
            if (kind == 1)
                _exit(0);
            exit(0);
        }
        CHECK(reap(pid) == 0);
    }
    return NULL;
}

static int forks(void)
{
    pthread_t thread[3], writer;

    CHECK(pthread_create(&writer, NULL, write_own, "busy.dat") == 0);
    for (intptr_t i = 0; i < 3; i++)
        CHECK(pthread_create(&thread[i], NULL, fork_often, (void *)i) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    return pthread_join(writer, NULL);
}

/* A child in our memory, with descriptors of its own: what it closes and duplicates stays open, and known, here. */
static int vforks(void)
{
    const int a = make("a.dat"), b = make("b.dat");

    for (int i = 0; i < 300; i++) {
        pid_t pid = vfork();

        CHECK(pid >= 0);
        if (pid == 0) {
            dup2(a, b);
            close(a);
            if (i % 3 == 0)
                execl("/bin/true", "true", (char *)NULL);
            if (i % 3 == 1)
                execl("/no/such/program", "x", (char *)NULL);
            _exit(0);
        }
        CHECK(reap(pid) == 0);
        put(a, 2);
        put(b, 1);
    }
    return 0;
}

static int spawns(void)
{
    char *const arguments[] = { "sh", "-c", "read x; echo $x; exit 3", NULL };
    posix_spawn_file_actions_t actions;
    const int a = make("a.dat"), b = make("b.dat");
    pid_t pid;

    CHECK(posix_spawn_file_actions_init(&actions) == 0);
    CHECK(posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&actions, a, 1) == 0);
    CHECK(posix_spawn_file_actions_addclose(&actions, b) == 0);
    for (int i = 0; i < 50; i++) {
        CHECK(posix_spawn(&pid, "/bin/sh", &actions, NULL, arguments, environ) == 0);
        CHECK(reap(pid) == 3);
        put(b, 1);
    }
    put(a, 5);
    return 0;
}

/* ------------------------------------------------------------------ stacks */

static int stack_fd;

static void on_small_stack(int number)
{
    (void)number;
    if (write(stack_fd, "12345678", 8) != 8)
        _exit(9);
    handler(0);
}

/* How many bytes below the frame a call touches: the stack is painted before. */
__attribute__((noinline)) static long touched(void (*call)(void))
{
    enum { SIZE = 64 * 1024 };
    static char *stack;
    volatile char *bottom;
    struct sigaction action = { .sa_handler = (void (*)(int))(void *)call, .sa_flags = SA_ONSTACK };
    stack_t alternate = { .ss_size = SIZE };
    long i = 0;

    if (!stack)
        stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED);
    alternate.ss_sp = stack;
    memset(stack, 0x5a, SIZE);
    CHECK(sigaltstack(&alternate, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0);
    bottom = stack;
    while (i < SIZE && bottom[i] == 0x5a)
        i++;
    return SIZE - i;
}

static void nothing(void)
{
}

static void writes(void)
{
    on_small_stack(0);
}

/* Prints the bytes of stack that open, write, pread and close need in a handler, the first time and later. */
static int stacks(void)
{
    long idle, first, later;

    snprintf(handler_path, sizeof handler_path, "%s/handler.dat", work_dir);
    stack_fd = make("stack.dat");
    idle = touched(nothing);
    first = touched(writes);
    later = touched(writes);
    printf("%ld %ld\n", first - idle, later - idle);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } all[] = {
        { "handlers", handlers }, { "forks", forks }, { "vforks", vforks }, { "spawns", spawns }, { "stacks", stacks }
    };
    const char *what;

    work_start(&argc, &argv);
    CHECK(argc == 3);
    what = argv[2];
    if (strcmp(what, "asynchronous") == 0)
        return cancel(PTHREAD_CANCEL_ASYNCHRONOUS);
    if (strcmp(what, "deferred") == 0)
        return cancel(PTHREAD_CANCEL_DEFERRED);
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(what, all[i].name) == 0)
            return all[i].run();
    return 2;
}
