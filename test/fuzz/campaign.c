/* campaign.c - reads logs with random bits turned and ends cut off, and tells of crashes, time and memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     campaign RUNS SEED LOG...
 *
 * Each run takes one of the logs, spoils it, and reads all of it by the same ways as the fuzzers. Exit status 1 if any
 * run crashed, took more than a second of the processor, or brought the process over 200 MB. `campaign 1 SEED+i LOG...`
 * repeats run i. */
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

struct log {
    unsigned char *bytes;
    size_t n;
};

/* What the processes tell each other. */
struct shared {
    long at; /* present run */
    long slow, slowest_run;
    double slowest;
};

struct campaign {
    struct log *logs;
    int nlogs;
    unsigned long seed;
    struct shared *shared;
    unsigned char *spoiled; /* room for the longest log */
    long crashes, big, most_kib;
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

static void run_batch(struct campaign *c, long end)
{
    while (c->shared->at < end) {
        struct timespec a, b;
        double seconds;

        alarm(HANG_SECONDS);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        spoil_and_read(c, c->shared->at);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
        if (seconds > c->shared->slowest) {
            c->shared->slowest = seconds;
            c->shared->slowest_run = c->shared->at;
        }
        c->shared->slow += seconds > MAX_SECONDS;
        c->shared->at++;
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
    long runs;

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
    printf("%ld runs over %d logs: %ld crashes, %ld over %.0f s (slowest %.3f s, run %ld), %ld processes over 200 MB "
           "(most "
           "%ld KiB)\n",
           runs, c.nlogs, c.crashes, c.shared->slow, MAX_SECONDS, c.shared->slowest, c.shared->slowest_run, c.big,
           c.most_kib);
    return c.crashes > 0 || c.shared->slow > 0 || c.big > 0;
}
