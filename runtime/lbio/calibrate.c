/* calibrate.c - measures with how many writers a file system has its highest bandwidth
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define PIECE       (1 << 20) /* of a write */
#define MOST_ROUNDS 32
#define MOST_STEPS  13 /* 4096 writers, as many as there may be tokens */

/* Differs from block to block, so that no file system stores it in less space. */
static void fill(char *piece, uint64_t seed)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15 + 1;

    for (size_t i = 0; i < PIECE; i += sizeof x) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(piece + i, &x, sizeof x);
    }
}

static int unnamed_file(const char *directory, int number)
{
    char path[PATH_MAX];
    int fd;

    if (snprintf(path, sizeof path, "%s/.lbio-calibrate.%d.%d", directory, (int)getpid(), number) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 && unlink(path) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* 0 or an errno */
static int write_share(int fd, char *piece, int64_t bytes)
{
    while (bytes > 0) {
        const ssize_t n = write(fd, piece, bytes < PIECE ? (size_t)bytes : PIECE);

        if (n < 0 && errno != EINTR)
            return errno;
        bytes -= n > 0 ? n : 0;
    }
    return fsync(fd) != 0 ? errno : 0;
}

/* A writer: reports that it is ready, writes when the other end of `go` is closed, exits with an errno. */
static void be_writer(const char *directory, int number, int64_t bytes, int ready, const int go[2])
{
    static char piece[PIECE];
    const int fd = unnamed_file(directory, number);
    const int error = fd < 0 ? errno : 0;
    char word = 0;

    close(go[1]);
    fill(piece, (uint64_t)number + 1);
    if (write(ready, &word, 1) != 1 || read(go[0], &word, 1) != 0)
        _exit(EIO);
    _exit(error ? error : write_share(fd, piece, bytes));
}

static int await(int writers, int begun)
{
    int error = begun < writers ? EAGAIN : 0, status;

    for (int i = 0; i < begun; i++) {
        while (waitpid(-1, &status, 0) < 0 && errno == EINTR)
            ;
        if (!WIFEXITED(status))
            error = EINTR;
        else if (WEXITSTATUS(status) != 0)
            error = WEXITSTATUS(status);
    }
    return error;
}

/* Seconds from the moment at which all writers are ready until the last one's data is stored; -1: errno. */
static double measure(const char *directory, int writers, int64_t size)
{
    int ready[2], go[2], begun = 0, error;
    int64_t start;
    char word;

    if (pipe(ready) != 0)
        return -1;
    if (pipe(go) != 0) {
        close(ready[0]);
        close(ready[1]);
        return -1;
    }
    for (pid_t pid = 1; begun < writers && pid > 0; begun += pid > 0) {
        pid = fork();
        if (pid == 0)
            be_writer(directory, begun, size / writers, ready[1], go);
    }
    close(ready[1]);
    for (int i = 0; i < begun && read(ready[0], &word, 1) == 1; i++)
        ;
    start = dsn__now();
    close(go[0]);
    close(go[1]);
    error = await(writers, begun);
    start = dsn__now() - start;
    close(ready[0]);
    errno = error;
    return error ? -1 : (double)start * 1e-9;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* The smallest number of writers (1 << index) within a twentieth of the highest rate. */
static int find_best(const double *rate, int n)
{
    double most = 0;
    int best = 0;

    for (int i = 0; i < n; i++)
        most = rate[i] > most ? rate[i] : most;
    while (best < n - 1 && rate[best] < most * 0.95)
        best++;
    return 1 << best;
}

int lbio__calibrate(const struct lbio_calibration *c, const char *directory, FILE *to)
{
    double rate[MOST_STEPS], seconds[MOST_ROUNDS];
    const int rounds = c->rounds < MOST_ROUNDS ? c->rounds : MOST_ROUNDS;
    int n = 0, best;

    fprintf(to, "%8s %12s\n", "writers", "MiB/s");
    for (; n < MOST_STEPS && 1 << n <= c->most; n++) {
        for (int i = 0; i < rounds; i++) {
            seconds[i] = measure(directory, 1 << n, c->size);
            if (seconds[i] < 0)
                return -1;
        }
        qsort(seconds, (size_t)rounds, sizeof seconds[0], by_size);
        rate[n] = (double)(c->size >> n << n) / 1048576 / (seconds[rounds / 2] > 0 ? seconds[rounds / 2] : 1e-9);
        fprintf(to, "%8d %12.1f\n", 1 << n, rate[n]);
        fflush(to);
    }
    best = find_best(rate, n);
    fprintf(to, "tokens=%d\n", best);
    return best;
}
