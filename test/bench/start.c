/* start.c - `make bench-start`: what the library adds to the start and end of a program, and to its memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage: start LIBRARY DIRECTORY HOST [RUNS]. Logs go to DIRECTORY, which a tmpfs is best for. HOST is this program, linked
 * dynamically. Linked statically it is no larger than what it measures. All kinds of start take turns: medians, and the
 * best of a tenth, are of the same minutes.
 *
 * As HOST it does what it is told: "file PATH" writes a byte to a file; "serve" starts a program for each byte that it
 * reads, and writes how long that took. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum kind { BARE, DISABLED, ROOT, DESCENDANT, FILE_BARE, FILE_ROOT, NKINDS };

static const struct {
    const char *name;
    double bound; /* ms above bare; 0: none */
} kinds[NKINDS] = {
    [BARE] = { "bare", 0 },
    [DISABLED] = { "preloaded, not enabled", 0.1 },
    [ROOT] = { "enabled, leaves a log", 0.5 },
    [DESCENDANT] = { "started by one that is recorded", 0.25 },
    [FILE_BARE] = { "bare, writes to a file", 0 },
    [FILE_ROOT] = { "enabled, writes to a file", 0 },
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Milliseconds; *kib: the most that it had resident. */
static double run(char *const argv[], char *const envp[], long *kib)
{
    const double begin = now();
    struct rusage usage;
    int status;
    pid_t pid;

    if (posix_spawn(&pid, argv[0], NULL, NULL, argv, envp) != 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
        die(argv[0]);
    *kib = usage.ru_maxrss;
    return now() - begin;
}

static int host(int argc, char **argv, char **envp)
{
    char *const program[] = { (char *)"/bin/true", NULL };
    double took;
    long kib;
    char byte;

    if (argc == 3) {
        const int fd = open(argv[2], O_WRONLY | O_CREAT, 0600);

        return fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0;
    }
    while (read(0, &byte, 1) == 1) {
        took = run(program, envp, &kib);
        if (write(1, &took, sizeof took) != (ssize_t)sizeof took)
            return 1;
    }
    return 0;
}

struct server {
    pid_t pid;
    int to, from;
};

static struct server serve(char *path, char *const envp[])
{
    char *const argv[] = { path, (char *)"serve", NULL };
    int to[2], from[2];
    posix_spawn_file_actions_t actions;
    pid_t pid;

    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        die("pipe");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    if (posix_spawn(&pid, path, &actions, NULL, argv, envp) != 0)
        die(path);
    return (struct server){ pid, to[1], from[0] };
}

static double ask(const struct server *s)
{
    double took;

    if (write(s->to, "", 1) != 1 || read(s->from, &took, sizeof took) != (ssize_t)sizeof took)
        die("serve");
    return took;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void report(double (*took)[NKINDS], long (*kib)[NKINDS], int runs)
{
    double *of = malloc((size_t)runs * sizeof *of), bare[3] = { 0, 0, 0 };

    if (!of)
        die("malloc");
    printf("%-34s %9s %9s %9s %9s %7s %9s %9s\n", "ms", "median", "above", "best 10%", "above", "bound", "KiB, mean",
           "above");
    for (int k = 0; k < NKINDS; k++) {
        double resident = 0; /* where the kernel puts libraries makes a difference of some 40 KiB */

        for (int i = 0; i < runs; i++) {
            of[i] = took[i][k];
            resident += (double)kib[i][k] / runs;
        }
        qsort(of, (size_t)runs, sizeof *of, by_size);
        if (k == BARE || k == FILE_BARE) {
            bare[0] = of[runs / 2];
            bare[1] = of[runs / 10];
            bare[2] = resident;
        }
        printf("%-34s %9.3f %9.3f %9.3f %9.3f", kinds[k].name, of[runs / 2], of[runs / 2] - bare[0], of[runs / 10],
               of[runs / 10] - bare[1]);
        if (kinds[k].bound > 0)
            printf(" %7.1f", kinds[k].bound);
        else
            printf(" %7s", "-");
        if (k == DESCENDANT)
            printf(" %9s %9s\n", "-", "-");
        else
            printf(" %9.0f %9.0f\n", resident, resident - bare[2]);
    }
    free(of);
}

int main(int argc, char **argv, char **envp)
{
    char preload[4096], logs[4096], file[4096];
    char *const on[] = { preload, (char *)"DARSHAN_ENABLE_NONMPI=1", logs, NULL }, *const off[] = { preload, NULL },
                *const none[] = { NULL };
    char *const program[] = { (char *)"/bin/true", NULL };
    const int runs = argc > 4 ? atoi(argv[4]) : 1000;
    double(*took)[NKINDS];
    long(*kib)[NKINDS];
    struct server server;

    if (argc > 1 && (strcmp(argv[1], "serve") == 0 || strcmp(argv[1], "file") == 0))
        return host(argc, argv, envp);
    if (argc < 4 || runs < 10) {
        fputs("usage: start LIBRARY DIRECTORY HOST [RUNS]\n", stderr);
        return 2;
    }
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", argv[1]);
    snprintf(logs, sizeof logs, "DARSHAN_LOGPATH=%s", argv[2]);
    snprintf(file, sizeof file, "%s/file", argv[2]);
    took = calloc((size_t)runs, sizeof *took);
    kib = calloc((size_t)runs, sizeof *kib);
    if (!took || !kib)
        die("calloc");
    server = serve(argv[3], on);
    for (int i = 0; i < runs; i++) {
        char *const writes[] = { argv[3], (char *)"file", file, NULL };

        took[i][BARE] = run(program, none, &kib[i][BARE]);
        took[i][DISABLED] = run(program, off, &kib[i][DISABLED]);
        took[i][ROOT] = run(program, on, &kib[i][ROOT]);
        took[i][DESCENDANT] = ask(&server);
        took[i][FILE_BARE] = run(writes, none, &kib[i][FILE_BARE]);
        took[i][FILE_ROOT] = run(writes, on, &kib[i][FILE_ROOT]);
    }
    close(server.to); /* it ends, and leaves its log */
    waitpid(server.pid, NULL, 0);
    report(took, kib, runs);
    return 0;
}
