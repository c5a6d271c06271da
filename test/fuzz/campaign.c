/* campaign.c - reads logs with flipped bits and truncated ones, and reports crashes, time and memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     campaign RUNS SEED LOG...
 *
 * Each run takes one of the logs, spoils it, and reads all of it by the same ways as the fuzzers. Exit status 1 if any
 * run crashed, took more than a second by the clock on the wall, or brought the process over 200 MB. Others may be at
 * work on the machine: a run that took longer is repeated alone, and its fastest time counts.
 * `campaign 1 SEED+i LOG...` repeats run i. */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define BATCH        500 /* runs of one process: its memory is the most that any of them needed */
#define MAX_SECONDS  1.0
#define MAX_KIB      (200L * 1024)
#define HANG_SECONDS 60 /* then the process is ended, whatever it waits for */
#define SHOWN        10
#define MAX_SLOW     1000 /* runs that are repeated */
#define REPEATS      5

struct log {
    unsigned char *bytes;
    size_t n;
};

/* What the processes tell each other. */
struct shared {
    long at; /* present run */
    long slow, slow_run[MAX_SLOW];
    double seconds, slowest; /* of the last run, and the most of all */
};

struct campaign {
    struct log *logs;
    int nlogs;
    unsigned long seed;
    struct shared *shared;
    unsigned char *spoiled; /* room for the longest log */
    long crashes, big, most_kib;
    long hangs; /* slow runs that stayed so when they were repeated */
};

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15; /* splitmix64 */

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* One run: which log, and what happens to it, follows from the seed alone. */
static void spoil_and_read(struct campaign *c, long run)
{
    uint64_t state = c->seed + (uint64_t)run;
    const struct log *log = &c->logs[next(&state) % (uint64_t)c->nlogs];
    const uint64_t way = next(&state) % 4; /* 0: cut; 1: both; else bits only */
    size_t n = log->n;

    memcpy(c->spoiled, log->bytes, n);
    if (way <= 1)
        n = next(&state) % (n + 1);
    if (way > 0 && n > 0)
        for (uint64_t flips = 1 + next(&state) % 8; flips > 0; flips--) {
            /* headers and the beginnings of regions decide most; they get half of it */
            const size_t reach = next(&state) & 1 && n > 4096 ? 4096 : n;

            c->spoiled[next(&state) % reach] ^= (unsigned char)(1U << next(&state) % 8);
        }
    LLVMFuzzerTestOneInput(c->spoiled, n);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run_batch(struct campaign *c, long end)
{
    struct shared *s = c->shared;

    for (; s->at < end; s->at++) {
        const double start = now();

        alarm(HANG_SECONDS);
        spoil_and_read(c, s->at);
        s->seconds = now() - start;
        s->slowest = s->seconds > s->slowest ? s->seconds : s->slowest;
        if (s->seconds > MAX_SECONDS && s->slow++ < MAX_SLOW)
            s->slow_run[s->slow - 1] = s->at;
    }
}

/* A process for the runs from shared->at to `end`; if it dies, the next one begins behind the run that it died of. */
static void fork_batch(struct campaign *c, long end)
{
    struct rusage usage;
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        run_batch(c, end);
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("campaign");
        exit(2);
    }
    if (status != 0) {
        if (c->crashes++ < SHOWN)
            printf("run %ld: the process ended with status %#x\n", c->shared->at, (unsigned)status);
        c->shared->at++;
    }
    c->big += usage.ru_maxrss > MAX_KIB;
    if (usage.ru_maxrss > c->most_kib)
        c->most_kib = usage.ru_maxrss;
}

/* The fastest of several tries of a run, each in a process of its own. */
static double repeat(struct campaign *c, long run)
{
    double fastest = HANG_SECONDS;

    for (int i = 0; i < REPEATS && fastest > MAX_SECONDS; i++) {
        c->shared->at = run;
        c->shared->seconds = HANG_SECONDS;
        fork_batch(c, run + 1);
        fastest = c->shared->seconds < fastest ? c->shared->seconds : fastest;
    }
    return fastest;
}

static void repeat_slow(struct campaign *c)
{
    const long n = c->shared->slow;

    for (long i = 0; i < n && i < MAX_SLOW; i++) {
        const long run = c->shared->slow_run[i];
        const double seconds = repeat(c, run);

        if (seconds > MAX_SECONDS && c->hangs++ < SHOWN)
            printf("run %ld: %.3f s\n", run, seconds);
    }
    c->hangs += n > MAX_SLOW ? n - MAX_SLOW : 0; /* more than can be looked at are not the machine's fault */
}

static size_t load(struct log *log, const char *path)
{
    FILE *f = fopen(path, "rb");
    long n = -1;

    if (f && fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0)
        log->bytes = malloc((size_t)n + 1);
    if (!log->bytes || fread(log->bytes, 1, (size_t)n, f) != (size_t)n) {
        perror(path);
        exit(2);
    }
    fclose(f);
    log->n = (size_t)n;
    return log->n;
}

int main(int argc, char **argv)
{
    struct campaign c = { 0 };
    size_t longest = 0;
    double slowest;
    long runs, slow;

    if (argc < 4) {
        fprintf(stderr, "usage: campaign RUNS SEED LOG...\n");
        return 2;
    }
    runs = atol(argv[1]);
    c.seed = strtoul(argv[2], NULL, 10);
    c.nlogs = argc - 3;
    c.logs = calloc((size_t)c.nlogs, sizeof *c.logs);
    c.shared = mmap(NULL, sizeof *c.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!c.logs || c.shared == MAP_FAILED)
        return 2;
    for (int i = 0; i < c.nlogs; i++) {
        const size_t n = load(&c.logs[i], argv[3 + i]);

        longest = n > longest ? n : longest;
    }
    c.spoiled = malloc(longest + 1);
    if (!c.spoiled)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a process that is forked has nothing to print twice */
    while (c.shared->at < runs)
        fork_batch(&c, c.shared->at + BATCH < runs ? c.shared->at + BATCH : runs);
    slow = c.shared->slow;
    slowest = c.shared->slowest;
    repeat_slow(&c);
    printf(
        "%ld runs over %d logs: %ld crashes, %ld over %.0f s (%ld seemed so, the slowest took %.3f s), %ld processes "
        "over 200 MB (most %ld KiB)\n",
        runs, c.nlogs, c.crashes, c.hangs, MAX_SECONDS, slow, slowest, c.big, c.most_kib);
    return c.crashes > 0 || c.hangs > 0 || c.big > 0;
}
