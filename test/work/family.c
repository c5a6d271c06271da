/* family.c - descendants of a process, created in every way
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * family DIRECTORY WAY [NAME BYTES]: the root writes one byte to root; who is made by WAY writes two or more to files of
 * other names. With the variable KILLED=PROGRAM what is executed is that program, this one without MPI, and kills itself. */
#include "work.h"

#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;
static char *self, *command[] = { NULL, NULL, "child", "two", "2", NULL };

static void put(const char *name, size_t n)
{
    const int fd = open(work_path(name), O_CREAT | O_WRONLY | O_APPEND, 0644);

    CHECK(fd >= 0 && write(fd, "0123456789", n) == (ssize_t)n && close(fd) == 0);
}

static void wait_for(pid_t pid, int want)
{
    int status;

    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(getenv("KILLED") ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == want);
}

static void by_fork(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        put("two", 2);
        exit(6);
    }
    wait_for(pid, 6);
}

/* A child that ends by _exit, and has a child of its own. */
static void by_two_forks(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        by_fork();
        put("three", 3);
        _exit(7);
    }
    wait_for(pid, 7);
}

static void by_fork_and_exec(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        put("three", 3);
        execv(self, command);
        _exit(1);
    }
    wait_for(pid, 0);
}

static void by_vfork(void)
{
    const pid_t pid = vfork();

    if (pid == 0) {
        execv(self, command);
        _exit(1);
    }
    wait_for(pid, 0);
}

static void by_spawn(void)
{
    pid_t pid = 0;

    CHECK(posix_spawn(&pid, self, NULL, NULL, command, environ) == 0);
    wait_for(pid, 0);
}

static void by_system(void)
{
    char text[3 * PATH_MAX];

    snprintf(text, sizeof text, "exec '%s' '%s' child two 2", self, work_dir);
    CHECK(system(text) == 0);
}

static void by_popen(void)
{
    char text[3 * PATH_MAX];
    FILE *f;

    snprintf(text, sizeof text, "exec '%s' '%s' child two 2", self, work_dir);
    f = popen(text, "r");
    CHECK(f && fgetc(f) == EOF && pclose(f) == 0);
}

/* By the kernel's call, behind the C library's back. */
static void by_bare_fork(void)
{
#ifdef SYS_fork
    const pid_t pid = (pid_t)syscall(SYS_fork);
#else
    const pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
#endif

    if (pid == 0) {
        execv(self, command);
        _exit(1);
    }
    wait_for(pid, 0);
}

/* Forks twice, and goes on when its ancestors have ended. */
static void by_daemon(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        setsid();
        if (fork() > 0)
            _exit(0);
        while (access(work_path("go"), F_OK) != 0)
            usleep(1000);
        put("two", 2);
        exit(0);
    }
    wait_for(pid, 0);
}

/* The same, but each of them goes on when the one before it has ended. */
static void by_orphans(void)
{
    const pid_t root = getpid();
    pid_t middle;

    if (fork() != 0)
        return;
    while (getppid() == root)
        usleep(1000);
    setsid();
    middle = getpid();
    if (fork() > 0)
        _exit(0);
    while (getppid() == middle)
        usleep(1000);
    put("two", 2);
    exit(0);
}

/* Ends at the moment when its child does. */
static void by_race(void)
{
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            put("two", 2);
            exit(0);
        }
}

static const struct {
    const char *name;
    void (*make)(void);
} ways[] = {
    { "fork", by_fork },   { "two-forks", by_two_forks }, { "fork-exec", by_fork_and_exec },
    { "vfork", by_vfork }, { "spawn", by_spawn },         { "system", by_system },
    { "popen", by_popen }, { "bare", by_bare_fork },      { "daemon", by_daemon },
    { "race", by_race },   { "orphans", by_orphans },
};

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    CHECK(argc > 2);
    if (argc > 4) {
        put(argv[3], (size_t)atoi(argv[4]));
        if (getenv("KILLED"))
            kill(getpid(), SIGKILL);
        return 0;
    }
    self = command[0] = getenv("KILLED") ? getenv("KILLED") : argv[0];
    command[1] = argv[1];
    put("root", 1);
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i].name, argv[2]) == 0)
            ways[i].make();
    put("root", 1);
    return work_end();
}
