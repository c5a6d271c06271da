/* t-calls.c - logging of calls: which waits for memory make a thread leave calls out
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file of calls is replaced by memory, which takes as long to populate as a test wants. */
#include <config.h>

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/job.h"
#include "life/state.h"
#include "module/shared/calls-file.h"
#include "module/shared/calls.h"
#include "record/span.h"
#include "unit.h"

#define WAIT INT64_C(400000000) /* ns; a thread accepts a quarter of a second */

static unsigned long left_out;
static void (*populate)(void); /* NULL: takes no time */

/* ------------------------------------------------------------------ instead of module/shared/calls-file.c */

/* Static: a thread keeps its chunk until the process ends. Each test is a process of its own. */
unsigned char *dsn__calls_chunk(void)
{
    static _Alignas(64) unsigned char chunks[2][DSN_CALLS_CHUNK];
    static int given;

    return given < 2 ? chunks[given++] : NULL;
}

bool dsn__calls_populate(unsigned char *at, size_t size)
{
    (void)at;
    (void)size;
    if (populate)
        populate();
    populate = NULL;
    return 1;
}

void dsn__calls_let_go(unsigned char *chunk)
{
    (void)chunk;
}

void dsn__calls_moment(void)
{
}

void dsn__calls_leave_out(void)
{
    left_out++;
}

void dsn__calls_file_end(void)
{
}

void dsn__calls_file_forget(int noting)
{
    (void)noting;
}

/* ------------------------------------------------------------------ the tests */

static void sleep_long(void)
{
    usleep((useconds_t)(WAIT / 1000));
}

static long preemptions(void)
{
    struct rusage use;

    ck_assert_int_eq(getrusage(RUSAGE_THREAD, &use), 0);
    return use.ru_nivcsw;
}

/* Computes until the time has passed, in a part of which another process had the processor. */
static void compute_long(void)
{
    const int64_t end = dsn__now() + WAIT;
    const long before = preemptions();

    while (dsn__now() < end || preemptions() == before)
        ;
}

/* Starts a process that computes on the only processor that this one may use from now on. */
static pid_t start_rival(void)
{
    cpu_set_t all, one;
    int first = 0;
    pid_t pid;

    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile int i = 0;; i++)
            ;
    }
    ck_assert_int_gt(pid, 0);
    return pid;
}

/* Returns how many of 3,000 calls are left out, for whose first one memory is populated by `how`. */
static unsigned long lost(void (*how)(void))
{
    memset(&dsn__state, 0, sizeof dsn__state);
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    dsn__run->pid = 0; /* no log at exit */
    populate = how;
    left_out = 0;
    for (int i = 0; i < 3000; i++) {
        const int64_t now = dsn__ticks();
        const struct dsn_span s = { .start = now, .end = now };

        dsn__calls_add(&s, DSN_CALL_WRITE, 1, i * 100, i % 7);
    }
    return left_out;
}

START_TEST(no_wait)
{
    ck_assert_uint_eq(lost(NULL), 0);
}
END_TEST

START_TEST(slow_disk)
{
    ck_assert_uint_gt(lost(sleep_long), 1000);
}
END_TEST

START_TEST(busy_processor)
{
    const pid_t rival = start_rival();

    ck_assert_uint_eq(lost(compute_long), 0);
    kill(rival, SIGKILL);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "memory that is there leaves no call out", no_wait, 0 },
        { "waiting for the disk leaves calls out", slow_disk, 0 },
        { "waiting for the processor leaves no call out", busy_processor, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("calls", tests);
}
