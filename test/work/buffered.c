/* buffered.c - a stream whose buffer takes bytes at known times, and returns others
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Written: 1 byte at 0 s, 10 bytes at 0.3 s, both on their way to the file only when it is closed at 0.9 s. Read: 11
 * bytes at once at 1.3 s, of which the last 10 are asked for at 1.6 s. */
#include <stdio.h>
#include <time.h>

static void wait_until(double seconds)
{
    static struct timespec begin;
    struct timespec now;

    if (begin.tv_sec == 0)
        clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) * 1e-9 < seconds);
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "w") : NULL;
    char text[16];

    if (!f)
        return 1;
    wait_until(0);
    fputc('a', f);
    wait_until(0.3);
    for (int i = 0; i < 5; i++)
        fputc('b', f);
    fprintf(f, "%s", "bbbbb");
    wait_until(0.9);
    if (fclose(f) != 0 || !(f = fopen(argv[1], "r")))
        return 1;
    wait_until(1.3);
    if (fgetc(f) != 'a')
        return 1;
    wait_until(1.6);
    for (int i = 0; i < 5; i++)
        if (fgetc(f) != 'b')
            return 1;
    return fread(text, 1, 5, f) != 5 || fclose(f) != 0;
}
