/* signals.c - writes in a signal handler that interrupts writes; prints how many each did. Counters in signals.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A call in the handler that comes while the tool is at its own work may go uncounted, but must be known as missed. */
#include "work.h"

#include <signal.h>
#include <sys/time.h>

enum { CALLS = 100000 };

static int handler_file;
static volatile long handled;

static void handler(int number)
{
    int saved = errno;

    (void)number;
    if (write(handler_file, "tick", 4) == 4)
        handled++;
    errno = saved;
}

int main(int argc, char **argv)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
    struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
    int fd;

    work_start(&argc, &argv);
    CHECK((handler_file = open(work_path("handler.dat"), O_CREAT | O_WRONLY | O_TRUNC, 0644)) >= 0);
    CHECK((fd = open(work_path("main.dat"), O_CREAT | O_WRONLY | O_TRUNC, 0644)) >= 0);
    CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; i < CALLS; i++)
        CHECK(write(fd, "12345678", 8) == 8);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    CHECK(close(fd) == 0 && close(handler_file) == 0);
    printf("%ld\n", handled);
    return work_end();
}
