/* phases.c - processes that compute, write and exchange in phases, as a simulation does, and time what they see of it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * phases KEY=VALUE...; the keys are those of `settings` below. Prints one line of JSON:
 *     total     seconds from the moment when all have begun until all of the data is in the files
 *     visible   in calls on files, of the process with the most; without waiting at the end
 *     compute   the same of computing
 *     mean, deviation   of the time in calls on files in a phase of a process
 *     phase_mean, phase_deviation   of a phase of a process, with computing and exchanging
 * With liblbio.so, waiting until all of the data is in the files is done by lbio_drain. The files are read afterwards,
 * and must have what was written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_PROCESSES 256
#define MOST_PHASES    64
#define NEIGHBOURS     4
#define SMALL          64    /* bytes of a small write */
#define ENTRIES        16384 /* bytes at the start of a file, for small writes that describe arrays */
#define SLICE          10000 /* us of a step */

static struct {
    long processes, phases;
    long arrays, bytes; /* of each process and phase */
    long small;         /* whether there are two small writes for an array: before it, and at the file's start */
    long opens;       /* times that each phase opens its file, which is a new one; 0: one file, open all of the time */
    long steps, step; /* of computing before each phase, and after the last one; us of one */
    long work;        /* percent of a step in which the processor is used: processes outnumber processors */
    long rate;        /* iterations in a us; 0: print it */
    const char *directory;
} settings = { 16, 10, 10, 32768, 0, 0, 0, 0, 10, 0, "." };

static struct shared {
    pthread_barrier_t barrier;
    sem_t arrived[MOST_PROCESSES][NEIGHBOURS];
    double in_calls[MOST_PROCESSES][MOST_PHASES], whole[MOST_PROCESSES][MOST_PHASES], compute[MOST_PROCESSES];
    double begun, ended;
} * shared;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* ------------------------------------------------------------------ computing */

static volatile double result;

static void iterate(long n)
{
    double x = 0.4;

    for (long i = 0; i < n; i++)
        x = x * 3.9 * (1 - x);
    result = x;
}

static void print_rate(void)
{
    const long n = 50000000;
    double most = 0;

    for (int i = 0; i < 5; i++) {
        const double begun = now();
        double rate;

        iterate(n);
        rate = (double)n / (now() - begun) * 1e-6;
        most = rate > most ? rate : most;
    }
    printf("%.0f\n", most);
}

/* A fixed amount of work, in slices, between which others have the processor. */
static void compute(int process)
{
    const double begun = now();
    const struct timespec rest = { 0, (100 - settings.work) * SLICE / 100 * 1000 };

    for (long us = 0; us < settings.step * settings.steps; us += SLICE) {
        iterate(settings.rate * settings.work * SLICE / 100);
        nanosleep(&rest, NULL);
    }
    shared->compute[process] += now() - begun;
}

/* ------------------------------------------------------------------ files */

static int value_of(int process, int phase, int array)
{
    return (process * 31 + phase * 7 + array) % 255 + 1;
}

static const char *path_of(int process, int phase)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/phases.%d.%d", settings.directory, process, settings.opens ? phase : 0);
    return path;
}

static int open_file(int process, int phase, int flags)
{
    const int fd = open(path_of(process, phase), O_RDWR | flags, 0644);

    if (fd < 0)
        fail(path_of(process, phase));
    return fd;
}

static void write_all(int fd, const char *from, long n, off_t off)
{
    if (pwrite(fd, from, (size_t)n, off) != n)
        fail("pwrite");
}

/* Offset of an array: in a file of all phases, or of one. */
static off_t place(int phase, int array)
{
    const long arrays = (settings.opens ? 0 : phase * settings.arrays) + array;

    return (settings.small ? ENTRIES + SMALL : 0) + arrays * (settings.bytes + (settings.small ? SMALL : 0));
}

static void write_array(int fd, char *array, int process, int phase, int i)
{
    char small[SMALL];

    memset(array, value_of(process, phase, i), (size_t)settings.bytes);
    if (settings.small) {
        memset(small, 255, sizeof small);
        write_all(fd, small, SMALL, place(phase, i) - SMALL);
        write_all(fd, small, SMALL, ((phase * settings.arrays + i) * SMALL) % ENTRIES);
    }
    write_all(fd, array, settings.bytes, place(phase, i));
}

static double write_phase(int process, int phase, char *array, int *fd)
{
    const long per_open = settings.opens ? (settings.arrays + settings.opens - 1) / settings.opens : settings.arrays;
    double begun = now();

    for (int i = 0; i < settings.arrays; i++) {
        if (settings.opens && i % per_open == 0) {
            if (i > 0 && close(*fd) != 0)
                fail("close");
            *fd = open_file(process, phase, i > 0 ? 0 : O_CREAT | O_TRUNC);
        }
        write_array(*fd, array, process, phase, i);
    }
    if (settings.opens && close(*fd) != 0)
        fail("close");
    return now() - begun;
}

static void exchange(int process)
{
    const long n = settings.processes, to[NEIGHBOURS] = { 1, n - 1, 4 % n, n - 4 % n };

    for (int i = 0; i < NEIGHBOURS; i++)
        sem_post(&shared->arrived[(process + to[i]) % n][i]);
    for (int i = 0; i < NEIGHBOURS; i++)
        while (sem_wait(&shared->arrived[process][i]) != 0)
            ;
}

static void be_process(int process)
{
    int (*drain)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "lbio_drain");
    char *array = malloc((size_t)settings.bytes);
    int fd = -1;

    if (!array)
        fail("malloc");
    pthread_barrier_wait(&shared->barrier);
    if (process == 0)
        shared->begun = now();
    if (!settings.opens)
        fd = open_file(process, 0, O_CREAT | O_TRUNC);
    for (int phase = 0; phase < settings.phases; phase++) {
        const double begun = now();

        compute(process);
        shared->in_calls[process][phase] = write_phase(process, phase, array, &fd);
        exchange(process);
        shared->whole[process][phase] = now() - begun;
    }
    compute(process);
    if (!settings.opens && close(fd) != 0)
        fail("close");
    if (drain && drain(NULL) != 0)
        fail("lbio_drain");
    pthread_barrier_wait(&shared->barrier);
    if (process == 0)
        shared->ended = now();
    exit(0);
}

/* ------------------------------------------------------------------ results */

static void check(int process, int phase, char *array)
{
    const int fd = open_file(process, phase, 0);

    for (int i = 0; i < settings.arrays; i++) {
        const char value = (char)value_of(process, phase, i);

        if (pread(fd, array, (size_t)settings.bytes, place(phase, i)) != settings.bytes)
            fail("pread");
        for (long byte = 0; byte < settings.bytes; byte++)
            if (array[byte] != value) {
                fprintf(stderr, "phases: %s: wrong data\n", path_of(process, phase));
                exit(1);
            }
    }
    close(fd);
}

/* Of all phases of all processes. */
static double mean_of(double (*seconds)[MOST_PHASES], double *deviation)
{
    const double n = (double)(settings.processes * settings.phases);
    double sum = 0, squares = 0;

    for (int i = 0; i < settings.processes; i++)
        for (int phase = 0; phase < settings.phases; phase++) {
            sum += seconds[i][phase];
            squares += seconds[i][phase] * seconds[i][phase];
        }
    *deviation = sqrt(fmax(squares / n - sum / n * sum / n, 0));
    return sum / n;
}

static void print_results(void)
{
    double visible = 0, computing = 0, mean, deviation, phase_mean, phase_deviation;

    for (int i = 0; i < settings.processes; i++) {
        double own = 0;

        for (int phase = 0; phase < settings.phases; phase++)
            own += shared->in_calls[i][phase];
        visible = own > visible ? own : visible;
        computing = shared->compute[i] > computing ? shared->compute[i] : computing;
    }
    mean = mean_of(shared->in_calls, &deviation);
    phase_mean = mean_of(shared->whole, &phase_deviation);
    printf("{\"total\": %.6f, \"visible\": %.6f, \"compute\": %.6f, \"mean\": %.6f, \"deviation\": %.6f, "
           "\"phase_mean\": %.6f, \"phase_deviation\": %.6f}\n",
           shared->ended - shared->begun, visible, computing, mean, deviation, phase_mean, phase_deviation);
}

static void read_setting(const char *text)
{
    static const struct {
        const char *key;
        long *value;
    } keys[] = { { "processes", &settings.processes }, { "phases", &settings.phases },
                 { "arrays", &settings.arrays },       { "bytes", &settings.bytes },
                 { "small", &settings.small },         { "opens", &settings.opens },
                 { "steps", &settings.steps },         { "step", &settings.step },
                 { "work", &settings.work },           { "rate", &settings.rate } };
    const size_t n = strcspn(text, "=");

    if (strncmp(text, "directory=", 10) == 0) {
        settings.directory = text + 10;
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strlen(keys[i].key) == n && memcmp(keys[i].key, text, n) == 0 && text[n]) {
            *keys[i].value = atol(text + n + 1);
            return;
        }
    fprintf(stderr, "phases: unknown setting %s\n", text);
    exit(2);
}

static void start(void)
{
    pthread_barrierattr_t across;

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        fail("mmap");
    pthread_barrierattr_init(&across);
    pthread_barrierattr_setpshared(&across, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &across, (unsigned)settings.processes);
    for (int i = 0; i < settings.processes; i++)
        for (int k = 0; k < NEIGHBOURS; k++)
            sem_init(&shared->arrived[i][k], 1, 0);
    for (int i = 0; i < settings.processes; i++) {
        const pid_t pid = fork();

        if (pid < 0)
            fail("fork");
        if (pid == 0)
            be_process(i);
    }
}

int main(int argc, char **argv)
{
    char *array;
    int status, bad = 0;

    for (int i = 1; i < argc; i++)
        read_setting(argv[i]);
    if (settings.rate == 0) {
        print_rate();
        return 0;
    }
    if (settings.processes < 1 || settings.processes > MOST_PROCESSES || settings.phases > MOST_PHASES)
        return 2;
    start();
    for (int i = 0; i < settings.processes; i++)
        bad |= wait(&status) < 0 || status != 0;
    array = malloc((size_t)settings.bytes);
    for (int i = 0; !bad && array && i < settings.processes; i++)
        for (int phase = 0; phase < settings.phases; phase++)
            check(i, phase, array);
    free(array);
    if (!bad)
        print_results();
    return bad;
}
