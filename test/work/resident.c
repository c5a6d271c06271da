/* resident.c - memory of a program when it ends
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * resident RUNS PROGRAM [ARGUMENT]...: prints the mean of so many runs, in KiB. The kernel's own record of the most that a
 * process has had (getrusage) is an estimate, off by up to some hundred KiB. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static long now(pid_t pid)
{
    char path[64], line[256];
    long kib = -1;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
    f = fopen(path, "r");
    while (f && kib < 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "Rss: %ld kB", &kib) != 1)
            kib = -1;
    if (kib < 0)
        fail(path);
    fclose(f);
    return kib;
}

static long run(char **argv)
{
    long kib = 0;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(argv[0], argv);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        fail(argv[0]);
    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(long)(PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL));
    do {
        if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8))
            kib = now(pid);
        ptrace(PTRACE_CONT, pid, NULL, NULL);
    } while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("the program failed");
    return kib;
}

int main(int argc, char **argv)
{
    const int runs = argc > 2 ? atoi(argv[1]) : 0;
    double sum = 0;

    if (runs < 1) {
        fputs("usage: resident RUNS PROGRAM [ARGUMENT]...\n", stderr);
        return 2;
    }
    for (int i = 0; i < runs; i++)
        sum += (double)run(argv + 2);
    printf("%.0f\n", sum / runs);
    return 0;
}
