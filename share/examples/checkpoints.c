/* checkpoints.c - a simulation that computes in steps and writes a checkpoint after every fifth of them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What doc/rhythm.md looks at: cc -o checkpoints checkpoints.c; ./checkpoints STEPS EVERY writes checkpoint-0005.dat and so on
 * into the present directory, 16 MiB each, and a line a step to progress.txt. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define STEP   0.1 /* seconds */
#define PIECE  (1 << 20)
#define PIECES 16

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Stands for the program's work: all of it is computing. */
static double compute(double state)
{
    const double end = now() + STEP;

    while (now() < end)
        for (int i = 0; i < 1000; i++)
            state = state * 3.9 * (1 - state);
    return state;
}

static int save(int step, double state)
{
    static char piece[PIECE];
    char name[40];
    int fd, ok;

    snprintf(name, sizeof name, "checkpoint-%04d.dat", step);
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ok = fd >= 0;
    for (int i = 0; i < PIECE; i++)
        piece[i] = (char)(state * 256);
    for (int i = 0; ok && i < PIECES; i++)
        ok = write(fd, piece, sizeof piece) == (ssize_t)sizeof piece;
    return fd >= 0 && close(fd) == 0 && ok;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 50, every = argc > 2 ? atoi(argv[2]) : 5;
    FILE *progress = fopen("progress.txt", "w");
    double state = 0.3;

    if (!progress || steps < 1 || every < 1)
        return 1;
    for (int step = 1; step <= steps; step++) {
        state = compute(state);
        fprintf(progress, "step %d: %.6f\n", step, state);
        if (step % every == 0 && !save(step, state)) {
            perror("checkpoints: cannot write a checkpoint");
            return 1;
        }
    }
    return fclose(progress) != 0;
}
