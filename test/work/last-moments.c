/* last-moments.c - processes that end, fork or exec with hardly any resources
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * last-moments DIRECTORY WAY: one byte is written to each file at a time, always at its end, so that the lengths of the
 * files are what has been written. t9250 says how each way ends. */
#include "work.h"

#include <grp.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;
static char *command[] = { NULL, NULL, "put", NULL };

enum { SOMEBODY = 65534 };

/* On a stack of a few KiB there is no place for a path, nor for stdio. */
static void put(const char *name, int n)
{
    const int dir = open(work_dir, O_RDONLY | O_DIRECTORY);
    const int fd = openat(dir, name, O_CREAT | O_WRONLY | O_APPEND, 0644);

    close(dir);
    for (int i = 0; i < n; i++)
        if (fd < 0 || write(fd, "x", 1) != 1)
            _exit(99);
    close(fd);
}

static void reap(pid_t pid, int want)
{
    int status;

    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == want);
}

static void limit(int what, rlim_t most)
{
    const struct rlimit r = { most, most };

    CHECK(setrlimit(what, &r) == 0);
}

static void only_put(void)
{
    put("executed", 5);
}

/* ------------------------------------------------------------------ stacks */

static void forks(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        put("child", 2);
        _exit(3);
    }
    reap(pid, 3);
    pid = fork();
    if (pid == 0) {
        put("child", 2);
        exit(4);
    }
    reap(pid, 4);
}

static void leave(int number)
{
    (void)number;
    put("handler", 3);
    _exit(41);
}

static void fork_and_leave(int number)
{
    (void)number;
    forks();
    exit(42);
}

static void execute(int number)
{
    (void)number;
    execv(command[0], command);
    _exit(98);
}

/* Of the size that programs usually take for it, SIGSTKSZ, behind a page that nobody may touch. */
static void handle(int number, void (*handler)(int))
{
    enum { PAGE = 4096, SIZE = 8192 };
    char *memory = mmap(NULL, PAGE + SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t stack = { .ss_sp = memory + PAGE, .ss_size = SIZE };
    const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

    CHECK(memory != MAP_FAILED && mprotect(memory, PAGE, PROT_NONE) == 0);
    CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(number, &action, NULL) == 0);
}

__attribute__((noinline)) static int deeper(volatile char *above)
{
    volatile char here[1024];

    here[0] = *above;
    return deeper(here) + here[0];
}

static void overflows(void)
{
    char c = 0;

    put("root", 7);
    handle(SIGSEGV, leave);
    deeper(&c);
}

static void handler_forks(void)
{
    put("root", 7);
    handle(SIGUSR1, fork_and_leave);
    raise(SIGUSR1);
}

static void handler_executes(void)
{
    put("root", 7);
    handle(SIGUSR1, execute);
    raise(SIGUSR1);
}

static void in_thread(void *(*work)(void *unused), const pthread_attr_t *attributes)
{
    pthread_t thread;

    put("root", 7);
    CHECK(pthread_create(&thread, attributes, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static void in_small_thread(void *(*work)(void *unused))
{
    pthread_attr_t attributes;

    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0);
    in_thread(work, &attributes);
}

static void *thread_exits(void *unused)
{
    put("thread", 4);
    exit(43);
    return unused;
}

static void *thread_leaves(void *unused)
{
    put("thread", 4);
    _exit(44);
    return unused;
}

static void *thread_forks(void *unused)
{
    forks();
    return unused;
}

static void thread_exit(void)
{
    in_thread(thread_exits, NULL);
}

static void small_exit(void)
{
    in_small_thread(thread_exits);
}

static void small_leave(void)
{
    in_small_thread(thread_leaves);
}

static void small_fork(void)
{
    in_small_thread(thread_forks);
}

/* ------------------------------------------------------------------ what is missing */

static void no_descriptors(void)
{
    put("root", 7);
    limit(RLIMIT_NOFILE, 0);
}

static void no_memory(void)
{
    put("root", 7);
    limit(RLIMIT_AS, 1 << 20);
}

/* Not even the child's own state can be had: it is not to touch its parent's. */
static void child_without_memory(void)
{
    pid_t pid;

    put("root", 7);
    limit(RLIMIT_AS, 1 << 20);
    pid = fork();
    if (pid == 0)
        exit(5);
    reap(pid, 5);
}

/* One descriptor is free: for a file of the program's, or for what we need. */
static void one_descriptor(void)
{
    const int last = open(work_path("root"), O_CREAT | O_WRONLY | O_APPEND, 0644);
    pid_t pid;

    CHECK(last >= 0 && write(last, "1234567", 7) == 7 && close(last) == 0);
    limit(RLIMIT_NOFILE, (rlim_t)last + 1);
    pid = fork();
    if (pid == 0) {
        const int fd = open(work_path("child"), O_CREAT | O_WRONLY | O_APPEND, 0644);

        _exit(fd >= 0 && write(fd, "12", 2) == 2 && close(fd) == 0 ? 6 : 97);
    }
    reap(pid, 6);
}

static void another_root(void)
{
    put("root", 7);
    CHECK(chroot(work_dir) == 0 && chdir("/") == 0);
}

static void become_somebody(void)
{
    CHECK(chmod(work_dir, 0777) == 0);
    CHECK(setgroups(0, NULL) == 0 && setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0);
}

static void another_user(void)
{
    put("root", 7);
    become_somebody();
    put("somebody", 2);
}

/* The child's survival file is its parent's user's. */
static void child_another_user(void)
{
    pid_t pid;

    put("root", 7);
    pid = fork();
    if (pid == 0) {
        put("child", 2);
        become_somebody();
        put("somebody", 2);
        _exit(7);
    }
    reap(pid, 7);
    put("root", 1);
}

static void child_another_user_executes(void)
{
    pid_t pid;

    put("root", 7);
    pid = fork();
    if (pid == 0) {
        put("child", 2);
        become_somebody();
        execute(0);
    }
    reap(pid, 0);
}

/* From here on the kernel kills the process if it calls anything but read, write and _exit. */
static void strict(void)
{
    put("root", 7);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    if (write(STDOUT_FILENO, "x", 1) == 1)
        syscall(SYS_exit, 12);
}

/* Whoever looks at the clock is killed. */
static void no_clock(void)
{
    put("root", 7);
    CHECK(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0);
    CHECK(write(STDOUT_FILENO, "x", 1) == 1);
}

/* ------------------------------------------------------------------ ways to make processes, and to end them */

/* Until the process is gone, that is to say has been waited for. */
static void until_gone(pid_t pid)
{
    while (kill(pid, 0) == 0)
        usleep(1000);
}

static void becomes_daemon(void)
{
    const pid_t first = getpid();

    put("root", 7);
    CHECK(daemon(0, 0) == 0);
    until_gone(first);
    put("daemon", 4);
}

static int cloned(void *unused)
{
    (void)unused;
    put("child", 2);
    return 8;
}

static int closes(void *fd)
{
    close(*(int *)fd);
    _exit(9);
}

static char *stack_top(void)
{
    const size_t size = 256 * 1024;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    return memory + size;
}

static void clones(void)
{
    put("root", 7);
    reap(clone(cloned, stack_top(), SIGCHLD, NULL), 8);
}

/* A user who may have no more processes. */
static void daemon_fails(void)
{
    put("root", 7);
    CHECK(setresuid(SOMEBODY, SOMEBODY, SOMEBODY) == 0);
    limit(RLIMIT_NPROC, 0);
    CHECK(daemon(1, 1) == -1 && errno == EAGAIN);
}

/* Its descriptors are a copy of ours, though its memory is not. */
static void clones_as_vfork(void)
{
    int fd = open(work_path("root"), O_CREAT | O_WRONLY | O_APPEND, 0644);

    for (int i = 0; i < 7; i++) {
        reap(clone(closes, stack_top(), CLONE_VM | CLONE_VFORK | SIGCHLD, &fd), 9);
        CHECK(write(fd, "x", 1) == 1);
    }
}

static pthread_barrier_t together;

static void *exits(void *unused)
{
    pthread_barrier_wait(&together);
    exit(10);
    return unused;
}

static void *leaves(void *unused)
{
    pthread_barrier_wait(&together);
    _exit(10);
    return unused;
}

static void end_together(void *(*one)(void *unused), void *(*others)(void *unused))
{
    pthread_t thread;

    put("root", 7);
    CHECK(pthread_barrier_init(&together, NULL, 8) == 0);
    for (int i = 0; i < 7; i++)
        CHECK(pthread_create(&thread, NULL, others, NULL) == 0);
    one(NULL);
}

static void many_exit(void)
{
    end_together(exits, exits);
}

static void one_exits(void)
{
    end_together(exits, leaves);
}

/* While the log is made, which takes a while. */
static void forks_at_the_end(void)
{
    pthread_t thread;
    pid_t pid;

    put("root", 7);
    CHECK(pthread_barrier_init(&together, NULL, 1) == 0 && pthread_create(&thread, NULL, exits, NULL) == 0);
    sleep(1);
    pid = fork();
    if (pid == 0) {
        put("child", 2);
        exit(3);
    }
    reap(pid, 3);
    pthread_join(thread, NULL);
}

/* No call is made on the way out in which a thread would notice that it is to be cancelled. */
static void cancelled_exits(void)
{
    put("root", 7);
    CHECK(pthread_cancel(pthread_self()) == 0);
    exit(15);
}

/* ------------------------------------------------------------------ process trees whose first process has ended */

/* Returns in a process that goes on when the first one's log is there. */
static void outlive(void)
{
    const pid_t first = getpid();

    put("root", 7);
    if (fork() != 0)
        exit(0);
    setsid();
    until_gone(first);
}

static void outlives(void)
{
    pid_t pid;

    outlive();
    put("daemon", 1);
    pid = fork();
    if (pid == 0) {
        forks();
        execute(0);
    }
    reap(pid, 0);
    CHECK(posix_spawn(&pid, command[0], NULL, NULL, command, environ) == 0);
    reap(pid, 0);
    execute(0);
}

/* Its child was made when the first process still ran, and has children when that has ended. */
static void outlive_together(void)
{
    const pid_t first = getpid();
    pid_t pid;

    put("root", 7);
    if (fork() != 0)
        exit(0);
    setsid();
    pid = fork();
    if (pid == 0) {
        until_gone(first);
        forks();
        exit(11);
    }
    reap(pid, 11);
    put("daemon", 1);
}

static void outlives_idly(void)
{
    outlive();
}

/* What is needed to preload the tool stays. */
static void clear_environment(void)
{
    static const char *const kept[] = { "LD_PRELOAD", "DARSHAN_ENABLE_NONMPI", "DARSHAN_LOGPATH",
                                        "DARSHAN_MMAP_LOGPATH" };
    const char *value[4];

    for (int i = 0; i < 4; i++) {
        value[i] = getenv(kept[i]);
        if (value[i])
            CHECK((value[i] = strdup(value[i])) != NULL);
    }
    CHECK(clearenv() == 0);
    for (int i = 0; i < 4; i++)
        if (value[i])
            CHECK(setenv(kept[i], value[i], 1) == 0);
}

static void executes_without_environment(void)
{
    put("root", 7);
    clear_environment();
    execute(0);
}

static void child_executes_without_environment(void)
{
    pid_t pid;

    put("root", 7);
    clear_environment();
    CHECK(posix_spawn(&pid, command[0], NULL, NULL, command, environ) == 0);
    reap(pid, 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*go)(void);
    } ways[] = {
        { "put", only_put },
        { "overflows", overflows },
        { "handler-forks", handler_forks },
        { "handler-executes", handler_executes },
        { "thread-exit", thread_exit },
        { "small-exit", small_exit },
        { "small-_exit", small_leave },
        { "small-fork", small_fork },
        { "no-descriptors", no_descriptors },
        { "no-memory", no_memory },
        { "child-without-memory", child_without_memory },
        { "one-descriptor", one_descriptor },
        { "another-root", another_root },
        { "another-user", another_user },
        { "child-another-user", child_another_user },
        { "child-another-user-executes", child_another_user_executes },
        { "strict", strict },
        { "no-clock", no_clock },
        { "daemon", becomes_daemon },
        { "daemon-fails", daemon_fails },
        { "clone", clones },
        { "clone-as-vfork", clones_as_vfork },
        { "many-exit", many_exit },
        { "one-exits", one_exits },
        { "forks-at-the-end", forks_at_the_end },
        { "cancelled-exits", cancelled_exits },
        { "outlives", outlives },
        { "outlive-together", outlive_together },
        { "outlives-idly", outlives_idly },
        { "executes-without-environment", executes_without_environment },
        { "child-executes-without-environment", child_executes_without_environment },
    };

    work_start(&argc, &argv);
    CHECK(argc == 3);
    command[0] = argv[0];
    command[1] = argv[1];
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i].name, argv[2]) == 0) {
            ways[i].go();
            return 0;
        }
    return 2;
}
