/* calls.c - time that the library adds to each call: calls [--instructions] DIRECTORY [PATTERN]
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Run with libdarshan.so preloaded. Each case is timed through the C library's own function and through the one that
 * the program would get, in turns, so that both see the same machine; the medians of many turns are printed: the bare
 * call, what is added to it in ns, and that as a multiple of two clock_gettime(CLOCK_MONOTONIC) calls timed in the
 * same turns, beside the bound and the figure of release 3.5.0 on a machine of this kind.
 *
 * With --instructions callgrind counts what each case executes, without and with the library: its dumps are named by
 * case, number of calls and which of both (instructions.sh). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#define TURNS  61
#define FILES  1000
#define PIECE  4096
#define PIECES 4096 /* of the file that is read in pieces */

struct functions {
    ssize_t (*pwrite)(int, const void *, size_t, off_t);
    ssize_t (*pread)(int, void *, size_t, off_t);
    ssize_t (*write)(int, const void *, size_t);
    ssize_t (*read)(int, void *, size_t);
    off_t (*lseek)(int, off_t, int);
    int (*fsync)(int);
    int (*open)(const char *, int, ...);
    int (*close)(int);
    int (*stat)(const char *, struct stat *);
    int (*fstat)(int, struct stat *);
    FILE *(*fopen)(const char *, const char *);
    int (*fclose)(FILE *);
    size_t (*fwrite)(const void *, size_t, size_t, FILE *);
    size_t (*fread)(void *, size_t, size_t, FILE *);
    int (*fputc)(int, FILE *);
    int (*fgetc)(FILE *);
    int (*fprintf)(FILE *, const char *, ...);
    char *(*fgets)(char *, int, FILE *);
    int (*fseek)(FILE *, long, int);
};

static const char *const names[] = { "pwrite", "pread", "write",   "read",  "lseek",  "fsync",  "open",
                                     "close",  "stat",  "fstat",   "fopen", "fclose", "fwrite", "fread",
                                     "fputc",  "fgetc", "fprintf", "fgets", "fseek" };

_Static_assert(sizeof names / sizeof names[0] == sizeof(struct functions) / sizeof(void *), "a name a function");

/* What a case works on; one for each thread. */
struct place {
    int fd, untracked, many[FILES];
    FILE *stream, *lines;
    char file[512], directory[400];
    unsigned random, fresh;
};

/* Of this thread's processor: what others take of the machine is not counted. */
static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void check(int ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    exit(1);
}

static unsigned next_random(struct place *p)
{
    p->random = p->random * 1664525 + 1013904223;
    return p->random >> 8;
}

/* ------------------------------------------------------------------ the cases */

static char buffer[2][65536];

static void case_pwrite(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++)
        f->pwrite(p->fd, buffer[0], 1, 0);
}

static void case_write(const struct functions *f, struct place *p, int n)
{
    lseek(p->fd, 0, SEEK_SET);
    for (int i = 0; i < n; i++)
        f->write(p->fd, buffer[0], 1);
}

static void case_pwrite_random(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++)
        f->pwrite(p->fd, buffer[0], next_random(p) % 100, next_random(p) % 65536);
}

static void case_pwrite_many(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++)
        f->pwrite(p->many[i % FILES], buffer[0], 1, 0);
}

static void case_pread(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++)
        f->pread(p->fd, buffer[1], 1, 0);
}

static void case_read(const struct functions *f, struct place *p, int n)
{
    lseek(p->fd, 0, SEEK_SET);
    for (int i = 0; i < n; i++)
        f->read(p->fd, buffer[1], 1);
}

static void case_pieces(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++)
        f->pread(p->fd, buffer[1], PIECE, (off_t)(i % PIECES) * PIECE);
}

static void case_lseek(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++)
        f->lseek(p->fd, i, SEEK_SET);
}

static void case_fsync(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++)
        f->fsync(p->fd);
}

static void case_untracked(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++)
        f->pread(p->untracked, buffer[1], 0, 0);
}

static void open_close(const struct functions *f, const char *path)
{
    const int fd = f->open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    check(fd >= 0, path);
    f->close(fd);
}

static void case_open_known(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++)
        open_close(f, p->file);
}

static void case_open_excluded(const struct functions *f, struct place *p, int n)
{
    (void)p;
    for (int i = 0; i < n; i++)
        open_close(f, "/dev/null");
}

/* Names that were never seen, of one file, so that what is timed is not the making of files. */
static void case_open_new(const struct functions *f, struct place *p, int n)
{
    char path[1024];

    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/new.%08u", p->directory, p->fresh++);
        check(link(p->file, path) == 0, path);
    }
    p->fresh -= (unsigned)n;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/new.%08u", p->directory, p->fresh++);
        open_close(f, path);
    }
    p->fresh -= (unsigned)n;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/new.%08u", p->directory, p->fresh++);
        check(unlink(path) == 0, path);
    }
}

static void case_create(const struct functions *f, struct place *p, int n)
{
    const unsigned first = p->fresh;
    char path[1024];

    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/small.%08u", p->directory, p->fresh++);
        const int fd = f->open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

        check(fd >= 0, path);
        f->write(fd, buffer[0], 3000);
        f->close(fd);
    }
    p->fresh = first;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/small.%08u", p->directory, p->fresh++);
        check(unlink(path) == 0, path);
    }
}

static void case_stat(const struct functions *f, struct place *p, int n)
{
    struct stat st;

    for (int i = 0; i < n; i++)
        f->stat(p->file, &st);
}

static void case_fstat(const struct functions *f, struct place *p, int n)
{
    struct stat st;

    for (int i = 0; i < n; i++)
        f->fstat(p->fd, &st);
}

static void case_fopen(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++) {
        FILE *stream = f->fopen(p->file, "r");

        check(stream != NULL, p->file);
        f->fclose(stream);
    }
}

static void case_fputc(const struct functions *f, struct place *p, int n)
{
    rewind(p->stream);
    for (int i = 0; i < n; i++)
        f->fputc('x', p->stream);
}

static void case_fwrite(const struct functions *f, struct place *p, int n)
{
    rewind(p->stream);
    for (int i = 0; i < n; i++)
        f->fwrite(buffer[0], 1, 1, p->stream);
}

static void case_fgetc(const struct functions *f, struct place *p, int n)
{
    rewind(p->lines);
    for (int i = 0; i < n; i++)
        f->fgetc(p->lines);
}

static void case_fread(const struct functions *f, struct place *p, int n)
{
    rewind(p->lines);
    for (int i = 0; i < n; i++)
        f->fread(buffer[1], 1, 1, p->lines);
}

static void case_fprintf(const struct functions *f, struct place *p, int n)
{
    rewind(p->stream);
    for (int i = 0; i < n; i++)
        f->fprintf(p->stream, "%d\n", 7);
}

static void case_fgets(const struct functions *f, struct place *p, int n)
{
    rewind(p->lines);
    for (int i = 0; i < n; i++)
        f->fgets(buffer[1], 100, p->lines);
}

static void case_fseek(const struct functions *f, struct place *p, int n)
{
    for (int i = 0; i < n; i++)
        f->fseek(p->lines, i % 1000, SEEK_SET);
}

/* bound and original: added cost as a multiple of two clock reads; with percent, of the bare call. 0: none is set. */
static const struct benchmark {
    const char *name;
    void (*run)(const struct functions *f, struct place *p, int n);
    int calls, percent;
    double bound, original;
} cases[] = {
    { "pwrite", case_pwrite, 4000, 0, 1.2, 4.1 },
    { "write", case_write, 4000, 0, 1.2, 4.1 },
    { "pread", case_pread, 4000, 0, 1.2, 4.1 },
    { "read", case_read, 4000, 0, 1.2, 4.1 },
    { "pwrite, random size and offset", case_pwrite_random, 4000, 0, 1.6, 6.7 },
    { "pwrite over 1,000 open files", case_pwrite_many, 4000, 0, 1.6, 6.0 },
    { "lseek", case_lseek, 4000, 0, 0.8, 1.8 },
    { "fsync", case_fsync, 4000, 0, 0, 1.8 },
    { "pread, untracked descriptor", case_untracked, 4000, 0, 0.1, 1.6 },
    { "open+close, known file", case_open_known, 2000, 0, 3, 8.6 },
    { "open+close, new file", case_open_new, 100, 0, 10, 27 },
    { "open+close, excluded file", case_open_excluded, 2000, 0, 1, 8.6 },
    { "stat", case_stat, 2000, 0, 0, 0 },
    { "fstat", case_fstat, 4000, 0, 0, 0 },
    { "fopen+fclose", case_fopen, 2000, 0, 0, 6.7 },
    { "fputc", case_fputc, 20000, 0, 0.6, 2.4 },
    { "fgetc", case_fgetc, 20000, 0, 0.6, 2.4 },
    { "fwrite 1 byte", case_fwrite, 20000, 0, 0.6, 2.4 },
    { "fread 1 byte", case_fread, 20000, 0, 0.6, 2.4 },
    { "fprintf", case_fprintf, 10000, 0, 0, 2.4 },
    { "fgets", case_fgets, 10000, 0, 0, 1.8 },
    { "fseek", case_fseek, 4000, 0, 0, 2.1 },
    { "reading in pieces of 4 KiB (%)", case_pieces, 4096, 1, 5, 22 },
    { "creating files of 3,000 bytes (%)", case_create, 100, 1, 5, 17 },
};

/* ------------------------------------------------------------------ timing */

static struct functions bare, seen;

static void find_functions(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

    check(libc != NULL, "libc.so.6");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ((void **)&bare)[i] = dlsym(libc, names[i]);
        ((void **)&seen)[i] = dlsym(RTLD_DEFAULT, names[i]);
    }
}

static void lay_out(struct place *p, const char *directory, int number)
{
    char path[1024];

    p->random = 1;
    snprintf(p->directory, sizeof p->directory, "%s", directory);
    snprintf(p->file, sizeof p->file, "%s/file.%d", directory, number);
    p->fd = open(p->file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    check(p->fd >= 0 && ftruncate(p->fd, (off_t)PIECE * PIECES) == 0, p->file);
    for (int i = 0; i < PIECES; i++)
        check(bare.pwrite(p->fd, buffer[0], PIECE, (off_t)i * PIECE) == PIECE, p->file);
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/many.%d.%d", directory, number, i);
        p->many[i] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        check(p->many[i] >= 0, path);
    }
    p->untracked = bare.open("/dev/zero", O_RDWR | O_CLOEXEC);
    snprintf(path, sizeof path, "%s/stream.%d", directory, number);
    p->stream = fopen(path, "w");
    snprintf(path, sizeof path, "%s/lines.%d", directory, number);
    p->lines = fopen(path, "w+");
    check(p->untracked >= 0 && p->stream && p->lines, path);
    for (int i = 0; i < 20000; i++)
        fputs("a line\n", p->lines);
}

static double time_of(const struct benchmark *b, const struct functions *f, struct place *p)
{
    const int64_t begin = now();

    b->run(f, p, b->calls);
    return (double)(now() - begin) / b->calls;
}

static double time_of_clock(void)
{
    const int64_t begin = now();
    struct timespec t;

    for (int i = 0; i < 2000; i++)
        clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(now() - begin) / 1000;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *v)
{
    qsort(v, TURNS, sizeof v[0], by_size);
    return v[TURNS / 2];
}

static struct place places[2];
static pthread_barrier_t barrier;

struct work {
    const struct benchmark *b;
    struct place *place;
    double bare[TURNS], added[TURNS], clocks[TURNS];
};

static void *turns(void *argument)
{
    struct work *w = argument;

    for (int i = -1; i < TURNS; i++) { /* the first is not counted */
        double x, y;

        pthread_barrier_wait(&barrier);
        x = time_of(w->b, &bare, w->place);
        pthread_barrier_wait(&barrier);
        y = time_of(w->b, &seen, w->place);
        if (i < 0)
            continue;
        w->bare[i] = x;
        w->added[i] = y - x;
        w->clocks[i] = time_of_clock();
    }
    return NULL;
}

/* Medians of the first of `n` threads, each on its place. Cases that make files of their own are for one thread. */
static void measure(struct work *w, const struct benchmark *b, int n, int same)
{
    pthread_t thread;
    static struct work other;

    pthread_barrier_init(&barrier, NULL, (unsigned)n);
    w->b = other.b = b;
    w->place = &places[0];
    other.place = &places[same ? 0 : 1];
    if (n > 1)
        check(pthread_create(&thread, NULL, turns, &other) == 0, "pthread_create");
    turns(w);
    if (n > 1)
        pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
}

static void show(const struct benchmark *b, const char *threads, struct work *w)
{
    const double cost = median(w->bare), added = median(w->added), clocks = median(w->clocks);
    char name[100];

    snprintf(name, sizeof name, "%s%s", b->name, threads);
    printf("%-46s %9.1f %9.1f %7.2f", name, cost, added, b->percent ? 100 * added / cost : added / clocks);
    if (b->bound > 0)
        printf(" %7.1f", b->bound);
    else
        printf(" %7s", "-");
    if (b->original > 0)
        printf(" %8.1f\n", b->original);
    else
        printf(" %8s\n", "-");
    fflush(stdout);
}

static void count(const struct benchmark *b, const struct functions *f, const char *which)
{
#ifdef CALLGRIND_DUMP_STATS_AT
    const int n = b->calls < 1000 ? b->calls : 1000;
    char name[100];

    snprintf(name, sizeof name, "%s|%d|%s", b->name, n, which);
    b->run(f, &places[0], n);
    CALLGRIND_ZERO_STATS;
    b->run(f, &places[0], n);
    CALLGRIND_DUMP_STATS_AT(name);
#else
    (void)b, (void)f, (void)which;
    fprintf(stderr, "calls: instructions: built without valgrind's header\n");
    exit(1);
#endif
}

int main(int argc, char **argv)
{
    const int instructions = argc > 1 && strcmp(argv[1], "--instructions") == 0;
    const char *directory = argv[1 + instructions], *pattern = directory ? argv[2 + instructions] : NULL;
    static struct work w;

    if (!directory) {
        fprintf(stderr, "Usage: calls [--instructions] DIRECTORY [PATTERN]\n");
        return 2;
    }
    if (!pattern)
        pattern = "*";
    find_functions();
    for (int i = 0; i < 2; i++)
        lay_out(&places[i], directory, i);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && instructions; i++)
        if (fnmatch(pattern, cases[i].name, 0) == 0) {
            count(&cases[i], &bare, "bare");
            count(&cases[i], &seen, "seen");
        }
    if (instructions)
        return 0;
    printf("%-46s %9s %9s %7s %7s %8s\n", "ns a call", "bare", "added", "ratio", "bound", "original");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct benchmark *b = &cases[i];

        if (fnmatch(pattern, b->name, 0) != 0)
            continue;
        measure(&w, b, 1, 0);
        show(b, "", &w);
        if (b->run != case_pwrite && b->run != case_fwrite && b->run != case_pread)
            continue;
        measure(&w, b, 2, 0);
        show(b, ", 2 threads on 2 files", &w);
        measure(&w, b, 2, 1);
        show(b, ", 2 threads on 1 file", &w);
    }
    return 0;
}
