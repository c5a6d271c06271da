/* later.c - does nothing for 1.5 s, then execs its arguments, as launchers do
 * SPDX-License-Identifier: BSD-3-Clause */
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const struct timespec wait = { 1, 500000000 };

    nanosleep(&wait, NULL);
    return argc > 1 ? execv(argv[1], argv + 1) : 1;
}
