/* ran.c - which instructions of a library a program and all that it starts run
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage: ran LIBRARY PROGRAM [ARGUMENT]... Runs them instruction by instruction (x86-64), without output, and prints the
 * addresses in LIBRARY, as its symbol table counts them, that were run, one a line. LIBRARY is known by the end of its
 * path. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 64
#define LARGEST   (16UL << 20) /* a library */

static struct process {
    pid_t pid;
    unsigned long begin; /* where the library is; 0: not known to be there */
} processes[PROCESSES];

static unsigned char *ran; /* by address */
static const char *library;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static struct process *process_of(pid_t pid)
{
    struct process *unused = NULL;

    for (struct process *p = processes; p < processes + PROCESSES; p++) {
        if (p->pid == pid)
            return p;
        if (!p->pid && !unused)
            unused = p;
    }
    if (!unused)
        fail("too many processes");
    unused->pid = pid;
    unused->begin = 0;
    return unused;
}

/* Looked up anew whenever a process runs where nothing is known to be: libraries come one by one. */
static unsigned long find_library(pid_t pid)
{
    unsigned long begin = 0, found = 0;
    char path[64], line[8192];
    FILE *maps;

    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    maps = fopen(path, "r");
    while (maps && !found && fgets(line, sizeof line, maps)) {
        line[strcspn(line, "\n")] = '\0';
        if (strlen(line) > strlen(library) && strcmp(line + strlen(line) - strlen(library), library) == 0 &&
            sscanf(line, "%lx", &begin) == 1)
            found = begin;
    }
    if (maps)
        fclose(maps);
    return found;
}

static void look_at(struct process *p)
{
    const long ip = ptrace(PTRACE_PEEKUSER, p->pid, (void *)offsetof(struct user_regs_struct, rip), NULL);
    static unsigned long steps;

    if (!p->begin && ++steps % 64 == 0)
        p->begin = find_library(p->pid);
    if (p->begin && (unsigned long)ip - p->begin < LARGEST)
        ran[(unsigned long)ip - p->begin] = 1;
}

/* Returns the signal that the process is to get. */
static int stopped(struct process *p, int status)
{
    const int signal = WSTOPSIG(status);

    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
        p->begin = 0;
    if (status >> 16 || signal == SIGTRAP || signal == SIGSTOP) {
        look_at(p);
        return 0;
    }
    return signal;
}

static void follow(void)
{
    struct process *p;
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        p = process_of(pid);
        if (WIFSTOPPED(status))
            ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(long)stopped(p, status));
        else
            p->pid = 0;
    }
    if (errno != ECHILD)
        fail("wait");
}

int main(int argc, char **argv)
{
    int status;
    pid_t pid;

    if (argc < 3) {
        fputs("usage: ran LIBRARY PROGRAM [ARGUMENT]...\n", stderr);
        return 2;
    }
    library = argv[1];
    ran = calloc(1, LARGEST);
    pid = fork();
    if (pid == 0) {
        dup2(open("/dev/null", O_WRONLY), 1);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (!ran || pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        fail(argv[2]);
    ptrace(PTRACE_SETOPTIONS, pid, NULL,
           (void *)(long)(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
                          PTRACE_O_EXITKILL));
    ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
    follow();
    for (unsigned long at = 0; at < LARGEST; at++)
        if (ran[at])
            printf("%lx\n", at);
    return 0;
}
