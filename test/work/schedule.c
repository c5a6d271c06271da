/* schedule.c - does I/O at given times, or as its arguments say
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * schedule FILE [w BYTES PER_SECOND SECONDS | s PER_SECOND SECONDS | p SECONDS | f | e]...: writes of so many bytes, so many
 * a second; stats; a pause; a child does the rest; the rest is done by this program, executed again. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void sleep_until(const struct timespec *begin, double seconds)
{
    struct timespec t = *begin;
    const double at = seconds + (double)t.tv_nsec * 1e-9;

    t.tv_sec += (time_t)at;
    t.tv_nsec = (long)((at - (double)(time_t)at) * 1e9);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* So many in each second, at equal distances. */
static int by_the_clock(int fd, const char *path, int bytes, int per_second, double seconds)
{
    static char text[1 << 20];
    struct timespec begin;
    struct stat st;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < (int)(per_second * seconds); i++) {
        if (bytes > 0 ? pwrite(fd, text, (size_t)bytes, 0) != bytes : stat(path, &st) != 0)
            return 0;
        sleep_until(&begin, (i + 1) / (double)per_second);
    }
    return 1;
}

int main(int argc, char **argv)
{
    const int fd = open(argv[1], O_RDWR | O_CREAT, 0600);

    for (int i = 2; fd >= 0 && i < argc; i++)
        switch (argv[i][0]) {
        case 'w':
            if (i + 3 >= argc || !by_the_clock(fd, argv[1], atoi(argv[i + 1]), atoi(argv[i + 2]), atof(argv[i + 3])))
                return 1;
            i += 3;
            break;
        case 's':
            if (i + 2 >= argc || !by_the_clock(fd, argv[1], 0, atoi(argv[i + 1]), atof(argv[i + 2])))
                return 1;
            i += 2;
            break;
        case 'p':
            usleep((useconds_t)(atof(argv[++i]) * 1e6));
            break;
        case 'f':
            if (fork() > 0)
                return wait(NULL) < 0;
            break;
        case 'e':
            argv[i] = argv[1];
            argv[i - 1] = argv[0];
            execv(argv[i - 1], argv + i - 1);
            return 1;
        default:
            return 2;
        }
    return fd < 0;
}
