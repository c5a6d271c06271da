/* step.c - runs a program instruction by instruction and copies its survival file after every one that has changed it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * step DIRECTORY LEDGER OUTPUT PROGRAM [ARGUMENT]...: from the program's first SIGUSR1 to its second, or until its
 * survival file (the one of its number in DIRECTORY) is gone, each time that this is not as it was after the instruction
 * before it becomes OUTPUT/<n>.survival and the file LEDGER OUTPUT/<n>.ledger. OUTPUT/name has the survival file's
 * name. Then the program is killed. Prints the number of instructions and of copies. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* What a file had when it was looked at. */
struct seen {
    int fd;
    char *bytes, *now;
    size_t size;
};

static char path[8192];

static const char *in(const char *directory, long n, const char *suffix)
{
    snprintf(path, sizeof path, "%s/%ld.%s", directory, n, suffix);
    return path;
}

static void look_at(struct seen *s, const char *name)
{
    struct stat st;

    s->fd = open(name, O_RDONLY);
    if (s->fd < 0 || fstat(s->fd, &st) != 0)
        fail(name);
    s->size = (size_t)st.st_size;
    s->bytes = calloc(1, s->size);
    s->now = calloc(1, s->size);
    if (!s->bytes || !s->now)
        fail("memory");
}

/* Whether it has changed; only where there is anything at all is looked at. */
static int changes(struct seen *s)
{
    int changed = 0;

    for (off_t at = 0, end; (at = lseek(s->fd, at, SEEK_DATA)) >= 0; at = end) {
        end = lseek(s->fd, at, SEEK_HOLE);
        if (end < 0 || pread(s->fd, s->now + at, (size_t)(end - at), at) != end - at)
            fail("reading the survival file");
        if (memcmp(s->bytes + at, s->now + at, (size_t)(end - at)) == 0)
            continue;
        memcpy(s->bytes + at, s->now + at, (size_t)(end - at));
        changed = 1;
    }
    return changed;
}

/* With holes where there are only zeros. */
static void keep(const struct seen *s, const char *name)
{
    static const char zeros[PAGE];
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || ftruncate(fd, (off_t)s->size) != 0)
        fail(name);
    for (size_t at = 0, n; at < s->size; at += n) {
        n = s->size - at < PAGE ? s->size - at : PAGE;
        if (memcmp(s->bytes + at, zeros, n) != 0 && pwrite(fd, s->bytes + at, n, (off_t)at) != (ssize_t)n)
            fail(name);
    }
    close(fd);
}

static void find_survival_file(struct seen *file, pid_t pid, const char *directory, const char *output)
{
    char end[32];
    DIR *d = opendir(directory);
    struct dirent *e;
    FILE *name;

    snprintf(end, sizeof end, "-%d.survival", (int)pid);
    snprintf(path, sizeof path, "%s/name", output);
    name = fopen(path, "w");
    while (d && (e = readdir(d)) != NULL) {
        if (!strstr(e->d_name, end) || file->bytes)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        look_at(file, path);
        fprintf(name, "%s\n", e->d_name);
    }
    if (!name || fclose(name) != 0 || !d || !file->bytes)
        fail("no survival file");
    closedir(d);
}

/* Until it stops by SIGUSR1. */
static void go_on(pid_t pid, int how)
{
    int status, signal = 0;

    do {
        if (ptrace((enum __ptrace_request)how, pid, NULL, (void *)(long)signal) != 0 ||
            waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
            fail("the program has ended");
        signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    } while (signal != SIGUSR1);
}

static int is_gone(const struct seen *s)
{
    struct stat st;

    return fstat(s->fd, &st) != 0 || st.st_nlink == 0;
}

static void step(pid_t pid, struct seen *file, struct seen *ledger, const char *output)
{
    long steps = 0, kept = 0;
    int status, stopped = SIGTRAP;

    changes(file);
    for (; stopped == SIGTRAP && !is_gone(file); steps++) {
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
            fail("the program has ended");
        stopped = WSTOPSIG(status);
        if (!changes(file))
            continue;
        changes(ledger);
        keep(file, in(output, kept, "survival"));
        keep(ledger, in(output, kept, "ledger"));
        kept++;
    }
    if (stopped != SIGUSR1 && !is_gone(file)) {
        fprintf(stderr, "the program has got signal %d\n", stopped);
        exit(1);
    }
    printf("%ld instructions, %ld copies\n", steps, kept);
}

int main(int argc, char **argv)
{
    struct seen file = { 0 }, ledger = { 0 };
    pid_t pid;
    int status;

    if (argc < 5) {
        fputs("usage: step DIRECTORY LEDGER OUTPUT PROGRAM [ARGUMENT]...\n", stderr);
        return 2;
    }
    pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execvp(argv[4], argv + 4);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        fail(argv[4]);
    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(long)PTRACE_O_EXITKILL);
    go_on(pid, PTRACE_CONT);
    find_survival_file(&file, pid, argv[1], argv[3]);
    look_at(&ledger, argv[2]);
    step(pid, &file, &ledger, argv[3]);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return 0;
}
