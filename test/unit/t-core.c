/* t-core.c - settings, paths, command line, job id, frequent values, descriptors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/warn.h"
#include "config/config.h"
#include "config/job.h"
#include "config/mounts.h"
#include "config/settings.h"
#include "config/who.h"
#include "life/events.h"
#include "life/start.h"
#include "life/state.h"
#include "module/shared/access.h"
#include "record/fd.h"
#include "record/module-events.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"
#include "record/span.h"
#include "record/times.h"
#include "survive/process-tree.h"
#include "survive/survival.h"
#include "unit.h"

/* Runs `what` with stderr in a pipe and returns what it wrote there. */
static const char *stderr_of(void (*what)(void))
{
    static char text[4096];
    int saved = dup(STDERR_FILENO), pipes[2];
    ssize_t n;

    ck_assert_int_eq(pipe(pipes), 0);
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    dup2(pipes[1], STDERR_FILENO);
    dsn__know_stderr();
    what();
    dup2(saved, STDERR_FILENO);
    n = read(pipes[0], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    close(pipes[0]);
    close(pipes[1]);
    close(saved);
    return text;
}

static struct dsn_config config;
static char store[64];

static void load(void)
{
    dsn__config_load(&config, store, sizeof store);
    dsn__config_report(&config, dsn__modules_present());
}

static void clean_environment(void)
{
    unsetenv("DARSHAN_MODMEM");
    unsetenv("DARSHAN_NAMEMEM");
    unsetenv("DARSHAN_MEMALIGN");
    unsetenv("DARSHAN_LOGPATH");
    unsetenv("DARSHAN_DISABLE");
    unsetenv("DARSHAN_JOBID");
}

START_TEST(defaults)
{
    clean_environment();
    ck_assert_str_eq(stderr_of(load), "");
    ck_assert_int_eq(config.record_memory + config.name_memory, 40 << 20);
    ck_assert_int_eq(config.mem_alignment, DSN_MEM_ALIGN);
    ck_assert_str_eq(config.logpath, DSN_LOG_PATH);
    ck_assert_int_eq(config.disable, 0);
}
END_TEST

START_TEST(given)
{
    clean_environment();
    setenv("DARSHAN_MODMEM", "2.5", 1);
    setenv("DARSHAN_NAMEMEM", "3", 1);
    setenv("DARSHAN_MEMALIGN", "64", 1);
    setenv("DARSHAN_LOGPATH", "/some/where", 1);
    setenv("DARSHAN_DISABLE", "", 1); /* its presence counts, not its value */
    ck_assert_str_eq(stderr_of(load), "");
    ck_assert_int_eq(config.record_memory, 2621440);
    ck_assert_int_eq(config.name_memory, 3145728);
    ck_assert_int_eq(config.mem_alignment, 64);
    ck_assert_str_eq(config.logpath, "/some/where");
    ck_assert_int_eq(config.disable, 1);
}
END_TEST

static const char *const bad_numbers[] = {
    "", "x", "4x", "-1", "0", "inf", "0x10", "1e3", "99999999999999999999", " 4", "1048577"
};

START_TEST(bad_number)
{
    const char *text;

    clean_environment();
    setenv("DARSHAN_MODMEM", bad_numbers[_i], 1);
    text = stderr_of(load);
    ck_assert_int_eq(config.record_memory, 36 << 20);
    ck_assert_ptr_nonnull(strstr(text, "DARSHAN_MODMEM"));
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
}
END_TEST

START_TEST(too_long)
{
    char value[100];

    clean_environment();
    memset(value, 'a', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    setenv("DARSHAN_LOGPATH", value, 1);
    ck_assert_ptr_nonnull(strstr(stderr_of(load), "DARSHAN_LOGPATH"));
    ck_assert_str_eq(config.logpath, DSN_LOG_PATH);
}
END_TEST

static void say_to_other_file(void)
{
    int saved = dup(STDERR_FILENO), pipes[2];
    char text[10];

    ck_assert_int_eq(pipe(pipes), 0);
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    dup2(pipes[1], STDERR_FILENO); /* descriptor 2 is something else by now */
    dsn__warn("not here");
    dup2(saved, STDERR_FILENO);
    ck_assert_int_eq(read(pipes[0], text, sizeof text), -1);
    close(saved);
    close(pipes[0]);
    close(pipes[1]);
}

START_TEST(stderr_only)
{
    ck_assert_str_eq(stderr_of(say_to_other_file), "");
}
END_TEST

/* ------------------------------------------------------------------ paths */

static const struct {
    const char *given, *want;
} paths[] = {
    { "/a/b", "/a/b" },
    { "/a//b", "/a/b" },
    { "//a///b//", "/a/b/" },
    { "/a/./b", "/a/b" },
    { "/./././a", "/a" },
    { "/a/.", "/a/." },
    { "/a/../b", "/a/../b" },
    { "<STDIN>", "<STDIN>" },
    { "<a//b", "<a//b" },
    { "", "" },
    { "x", "/tmp/x" },
    { "./x", "/tmp/x" },
    { "../x", "/tmp/../x" },
    { "a//./b", "/tmp/a/b" },
    { "/", "/" },
    { "/.//./x", "/x" },
};

START_TEST(clean_path)
{
    char out[64];

    ck_assert_int_eq(chdir("/tmp"), 0);
    ck_assert_int_eq(dsn__clean_path(paths[_i].given, out, sizeof out), 1);
    ck_assert_str_eq(out, paths[_i].want);
}
END_TEST

START_TEST(path_too_long)
{
    char out[8];

    ck_assert_int_eq(dsn__clean_path("/234567", out, sizeof out), 1);
    ck_assert_int_eq(dsn__clean_path("/2345678", out, sizeof out), 0);
}
END_TEST

START_TEST(mounts)
{
    struct dsn_mounts m = { .loaded = 1,
                            .n = 3,
                            .mount = { { .path = "/", .type = "ext4", .len = 1 },
                                       { .path = "/lus", .type = "lustre", .len = 4 },
                                       { .path = "/lus/grand", .type = "lustre", .len = 10 } } };

    ck_assert_str_eq(dsn__mount_of(&m, "/lus/grand/f")->path, "/lus/grand");
    ck_assert_str_eq(dsn__mount_of(&m, "/lus/f")->path, "/lus");
    ck_assert_str_eq(dsn__mount_of(&m, "/lus")->path, "/lus");
    ck_assert_str_eq(dsn__mount_of(&m, "/lus2/f")->path, "/");
    ck_assert_str_eq(dsn__mount_of(&m, "/lus/grandfather")->path, "/lus");
    ck_assert_str_eq(dsn__mount_of(&m, "/home/f")->path, "/");
    ck_assert_ptr_null(dsn__mount_of(&m, "<STDIN>"));
}
END_TEST

/* ------------------------------------------------------------------ the job */

START_TEST(command_line)
{
    char *argv[] = { "./a.out", "-x", "two words", "line\nend", NULL };
    char out[100], small[50];

    dsn__exe_load(4, argv, out, sizeof out);
    ck_assert_str_eq(out, "./a.out -x two words line end");
    dsn__exe_load(4, argv, small, sizeof small); /* 50 bytes leave 18 beside the room for a mount line */
    ck_assert_str_eq(small, "./a.out<TRUNCATED>");
}
END_TEST

START_TEST(job_id)
{
    const struct {
        const char *name, *value;
        long long want;
    } cases[] = { { "JOB_A", "123", 123 }, { "JOB_A", "123.server", 123 }, { "JOB_A", "99999999999", 99999999999 },
                  { "JOB_B", "7", 7 },     { "JOB_A", "none", 4711 },      { "JOB_A", "99999999999999999999", 4711 } };
    int is_pid = -1;

    dsn__config->jobid = "JOB_A,JOB_B";
    dsn__run->pid = 4711;
    unsetenv("JOB_A");
    unsetenv("JOB_B");
    setenv(cases[_i].name, cases[_i].value, 1);
    ck_assert_int_eq(dsn__job_id(&is_pid), cases[_i].want);
    ck_assert_int_eq(is_pid, cases[_i].want == 4711);
}
END_TEST

START_TEST(machine)
{
    setenv("SLURM_CLUSTER_NAME", "red", 1);
    dsn__config->machine = "";
    ck_assert_str_eq(dsn__machine_name(), "red");
    dsn__config->machine = "blue"; /* a setting takes precedence */
    ck_assert_str_eq(dsn__machine_name(), "blue");
    unsetenv("SLURM_CLUSTER_NAME");
    dsn__config->machine = "";
    ck_assert_str_eq(dsn__machine_name(), "");
}
END_TEST

START_TEST(metadata)
{
    struct dsn_job job = { 0 };
    char value[DSN_METADATA_MAX];

    memset(value, 'v', sizeof value);
    value[sizeof value - 1 - strlen("k=\n") - strlen("a=b\n")] = '\0';
    dsn__metadata_add(&job, "a", "b");
    dsn__metadata_add(&job, "k", value); /* fits to the last byte */
    ck_assert_uint_eq(strlen(job.metadata), DSN_METADATA_MAX - 1);
    dsn__metadata_add(&job, "c", "d"); /* does not fit, and leaves no trace */
    ck_assert_uint_eq(strlen(job.metadata), DSN_METADATA_MAX - 1);
}
END_TEST

/* ------------------------------------------------------------------ counting */

/* Against counting by hand: 40 values, of which the first 32 are tracked; the best four by count, then value. */
START_TEST(frequent_values)
{
    struct dsn_common c = { 0 };
    struct dsn_recent r = { 0 };
    union dsn_val modules[8] = { { 0 } };

    clean_environment();
    ck_assert_int_eq(dsn__start(0, NULL), 1); /* memory for more than four values */
    dsn__common_begin(&c, modules);
    for (int value = 1; value <= 40; value++)
        for (int i = 0; i < value % 7 + 1; i++)
            dsn__common_add(&c, &r, value);
    for (int i = 0; i < 100; i++) {
        dsn__common_add(&c, &r, 40); /* the 40th: not tracked, however often */
        dsn__common_add(&c, &r, 0);  /* the 33rd */
    }
    /* seven times each: 6, 13, 20, 27 (34 is beyond the 32nd) */
    dsn__common_publish(&c, &r);
    ck_assert_int_eq(modules[0].i, 27);
    ck_assert_int_eq(modules[1].i, 20);
    ck_assert_int_eq(modules[2].i, 13);
    ck_assert_int_eq(modules[3].i, 6);
    for (int i = 4; i < 8; i++)
        ck_assert_int_eq(modules[i].i, 7);
    dsn__stop();
}
END_TEST

/* In the order in which they are recorded. 100-110: 10. 105-115: 5 more. 102-108: nothing. 200-206 and 220-230: 16.
 * 210-240, which reaches back over the last: 10 before and 10 behind it. 195-250: 5 before 200, 4 from 206 to 210, 10
 * behind. In all 100-115 and 195-250. */
START_TEST(time_without_overlap)
{
    const struct {
        int64_t start, end, sum;
    } spans[] = { { 100, 110, 10 }, { 105, 115, 15 }, { 102, 108, 15 }, { 200, 206, 21 },
                  { 220, 230, 31 }, { 210, 240, 51 }, { 195, 250, 70 } };
    struct dsn_time_sum t = { 0 };

    clean_environment();
    ck_assert_int_eq(dsn__start(0, NULL), 1); /* memory for gaps */
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        const struct dsn_span s = { .start = spans[i].start, .end = spans[i].end };

        dsn__add_time(&t, &s);
        ck_assert_int_eq(t.total, spans[i].sum);
    }
    dsn__stop();
}
END_TEST

/* Of two threads: short calls, one after another, and a long one that began before them. Nothing overlapped until that
 * ended, and yet everything between the short calls is known, for the file as for the process. */
static const int64_t long_before[] = { 900, 1500 }; /* 1500: before any other thread's first call */

START_TEST(time_at_first_overlap)
{
    const int64_t before = long_before[_i];
    struct dsn_time_sum t = { 0 }, other = { 0 };
    struct dsn_span s;
    int64_t from;

    clean_environment();
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    dsn__calls_overlap();
    from = atomic_load(&dsn__io_time->since) + 1000;
    for (int i = 0; i < 25; i++) {
        s = (struct dsn_span){ .start = from + i * 1000, .end = from + i * 1000 + 10 };
        dsn__add_time(&t, &s);
        s = (struct dsn_span){ .start = from + i * 1000 + 500, .end = from + i * 1000 + 520 };
        dsn__add_time(&other, &s);
    }
    s = (struct dsn_span){ .start = from - before, .end = from + 24600 };
    dsn__add_time(&t, &s);
    ck_assert_int_eq(t.total, before + 24600);
    ck_assert_int_eq(other.total, 25 * 20);
    dsn__times_flush();
    ck_assert_int_eq(dsn__io_ticks(dsn__io_time), before + 24600);
    dsn__stop();
}
END_TEST

/* The only thread: calls inside others, and one that is in two records. */
START_TEST(time_of_process)
{
    struct dsn_time_sum t[3] = { { 0 } };
    struct dsn_span outer, inner;

    clean_environment();
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    dsn__switch_on();
    ck_assert(dsn__span_open(&outer));
    outer.start = 1000;
    for (int i = 0; i < 100; i++) {
        ck_assert(dsn__span_open(&inner));
        inner.start = 2000 + i * 20;
        inner.end = inner.start + 10;
        dsn__add_time(&t[0], &inner);
        dsn__add_time(&t[1], &inner);
    }
    ck_assert_int_eq(dsn__io_ticks(dsn__io_time), 100 * 10);
    outer.end = 9000;
    dsn__add_time(&t[2], &outer);
    ck_assert_int_eq(dsn__io_ticks(dsn__io_time), 8000);
    dsn__stop();
}
END_TEST

/* The processor's counter jumped ahead, by an hour or so, and was dropped: calls count again from then on. */
START_TEST(time_set_back)
{
    const int64_t hour = INT64_C(10000000000000);
    const struct dsn_span spans[] = { { .start = 100, .end = 110 },
                                      { .start = hour, .end = hour + 5 },
                                      { .start = 200, .end = 220 },
                                      { .start = 230, .end = 235 } };
    struct dsn_time_sum t = { 0 };

    clean_environment();
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++)
        dsn__add_time(&t, &spans[i]);
    ck_assert_int_eq(t.total, 10 + 5 + 20 + 5);
    dsn__stop();
}
END_TEST

#define UNION_TICKS   20000
#define UNION_THREADS 16

/* Calls of some threads, as they end, against a mark for each tick that any of them covers: the time of the record, and
 * of the process, to which each thread's are added many at a time. */
static void union_of_threads(int64_t origin, int threads)
{
    static char covered[UNION_TICKS];
    struct dsn_span next[UNION_THREADS];
    struct dsn_time_sum t = { 0 };
    const int64_t before = dsn__io_ticks(dsn__io_time);
    int64_t sum = 0;

    dsn__times_forget(); /* earlier calls in another `t` at this address */
    memset(covered, 0, sizeof covered);
    for (int i = 0; i < threads; i++)
        next[i] = (struct dsn_span){ .start = 1 + rand() % 10, .end = 20 + rand() % 10 };
    for (;;) {
        int first = 0;

        for (int i = 1; i < threads; i++)
            first = next[i].end < next[first].end ? i : first;
        if (next[first].end >= UNION_TICKS)
            break;
        dsn__thread.index = 1 + (unsigned)first;
        dsn__add_time(&t, &(struct dsn_span){ .start = origin + next[first].start, .end = origin + next[first].end });
        memset(covered + next[first].start, 1, (size_t)(next[first].end - next[first].start));
        next[first].start = next[first].end + rand() % 200;
        next[first].end = next[first].start + rand() % (first == 0 ? 300 : 40);
    }
    for (int i = 0; i < UNION_TICKS; i++)
        sum += covered[i];
    ck_assert_int_eq(t.total, sum);
    dsn__times_flush();
    ck_assert_int_eq(dsn__io_ticks(dsn__io_time) - before, sum);
}

START_TEST(time_of_threads)
{
    clean_environment();
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    dsn__calls_overlap();
    for (int i = 0; i < 100; i++)
        union_of_threads(i * UNION_TICKS, i % 2 == 0 ? 5 : UNION_THREADS);
    dsn__stop();
}
END_TEST

/* ------------------------------------------------------------------ the clock */

/* A counter of 2.5 GHz that can be made to go wrong. */
static int64_t counter_jump;

static int64_t counter(void)
{
    return dsn__now() / 2 * 5 + counter_jump;
}

static void wait_ns(int64_t ns)
{
    const int64_t begin = dsn__now();

    while (dsn__now() - begin < ns)
        ;
}

/* That many seconds have passed since a moment between `before` and `begun`, at one between `end` and `after`: a busy
 * machine may stop the test between any two lines. */
static void ck_seconds(double seconds, const int64_t at[4])
{
    ck_assert_double_ge(seconds, (double)(at[2] - at[1]) * 0.99e-9);
    ck_assert_double_le(seconds, (double)(at[3] - at[0]) * 1.01e-9);
}

START_TEST(clock_that_holds)
{
    struct dsn_clock c = { .counter = counter };
    int64_t ticks, at[4];

    counter_jump = 0;
    at[0] = dsn__now();
    dsn__clock_start(&c, 1);
    at[1] = dsn__now();
    ck_assert_int_eq(atomic_load(&c.by_counter), 1);
    wait_ns(20000000);
    dsn__clock_check(&c);
    ck_assert_int_eq(atomic_load(&c.by_counter), 1);
    ck_assert_double_eq_tol(c.rate, 2.5, 0.01);
    at[2] = dsn__now();
    ticks = counter() - c.origin.ticks;
    at[3] = dsn__now();
    dsn__clock_end(&c);
    ck_seconds(dsn__clock_seconds(&c, ticks), at);
}
END_TEST

/* It jumps by a second; what comes after is told by the kernel's clock, on the same scale. */
START_TEST(clock_that_jumps)
{
    struct dsn_clock c = { .counter = counter };
    int64_t ticks, at[4];

    counter_jump = 0;
    at[0] = dsn__now();
    dsn__clock_start(&c, 1);
    at[1] = dsn__now();
    wait_ns(20000000);
    dsn__clock_check(&c);
    counter_jump = INT64_C(2500000000);
    dsn__clock_check(&c);
    ck_assert_int_eq(atomic_load(&c.by_counter), 0);
    wait_ns(1000000);
    at[2] = dsn__now();
    ticks = dsn__clock_ticks(&c) - c.origin.ticks;
    at[3] = dsn__now();
    dsn__clock_end(&c);
    ck_seconds(dsn__clock_seconds(&c, ticks), at);
}
END_TEST

/* A process goes on by the counter of one that started before it, and knows how fast that was: what has happened to the
 * counter in between is seen, however short the process is. */
START_TEST(clock_of_another_process)
{
    struct dsn_clock first = { .counter = counter }, second = { .counter = counter };
    int64_t ticks, at[4];

    counter_jump = 0;
    at[0] = dsn__now();
    dsn__clock_start(&first, 1);
    at[1] = dsn__now();
    wait_ns(20000000);
    dsn__clock_check(&first);
    counter_jump = _i ? 50000000 : 0; /* 20 ms: by itself the counter might as well be twice as fast */
    dsn__clock_start(&second, 1);
    dsn__clock_go_on(&second, &first.origin, 1, first.rate);
    dsn__clock_end(&second);
    ck_assert_int_eq(atomic_load(&second.by_counter), !_i);
    at[2] = dsn__now();
    ticks = _i ? dsn__clock_ticks(&second) : counter();
    at[3] = dsn__now();
    ck_seconds(dsn__clock_seconds(&second, ticks - second.origin.ticks), at);
}
END_TEST

/* Names as the kernel gives them. */
static const struct {
    const char *source;
    int64_t reading;
    int invariant, by_counter;
} clocks[] = {
    { "tsc\n", 1000, 0, 1 },
    { "kvm-clock\n", 40, 1, 1 },
    { "kvm-clock\n", 400, 1, 0 },
    { "kvm-clock\n", 40, 0, 0 },
    { "hyperv_clocksource_tsc_page\n", 40, 1, 1 },
    { "hyperv_clocksource_tsc_page\n", 40, 0, 0 },
    { "hpet\n", 40, 1, 0 },
    { "acpi_pm\n", 40, 1, 0 },
    { "tsc-early\n", 40, 1, 0 },
    { "", 40, 1, 0 },
};

START_TEST(clock_that_the_kernel_has)
{
#if defined __x86_64__
    const int by_counter = clocks[_i].by_counter;
#else
    const int by_counter = 0; /* the counters of other processors are not read */
#endif

    ck_assert_int_eq(dsn__clock_is_counter(clocks[_i].source, clocks[_i].reading, clocks[_i].invariant), by_counter);
}
END_TEST

START_TEST(clock_that_is_chosen)
{
    struct dsn_clock c = { .counter = counter };

    counter_jump = 0;
    dsn__clock_start(&c, 1);
    dsn__clock_trust(&c, DSN_CLOCK_COUNTER);
    ck_assert_int_eq(atomic_load(&c.by_counter), 1);
    dsn__clock_trust(&c, DSN_CLOCK_KERNEL);
    ck_assert_int_eq(atomic_load(&c.by_counter), 0);
    dsn__clock_trust(&c, DSN_CLOCK_COUNTER);
    ck_assert_int_eq(atomic_load(&c.by_counter), 0);
}
END_TEST

START_TEST(clock_of_the_kernel)
{
    struct dsn_clock c = { .counter = counter };
    int64_t before, after;
    double seconds;

    before = dsn__now();
    dsn__clock_start(&c, 0);
    ck_assert_int_eq(atomic_load(&c.by_counter), 0);
    wait_ns(2000000);
    dsn__clock_end(&c);
    seconds = dsn__clock_seconds(&c, dsn__clock_ticks(&c) - c.origin.ticks);
    after = dsn__now();
    ck_assert_double_ge(seconds, 0.002);
    ck_assert_double_le(seconds, (double)(after - before) * 1e-9);
}
END_TEST

START_TEST(descriptors)
{
    struct dsn_record_state a = { 0 }, b = { 0 };
    struct dsn_description own = { 0 }, others = { 0 };

    clean_environment();
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    ck_assert_ptr_null(dsn__fd_description(3));
    ck_assert_ptr_null(dsn__fd_description(-1));
    ck_assert_ptr_null(dsn__fd_set_description(1 << 30, &a, &own)); /* beyond the table */
    dsn__fd_set_description(3, &a, &own);
    dsn__fd_dup(700, 3); /* shares the position */
    dsn__fd_description(3)->offset = 42;
    ck_assert_int_eq(dsn__fd_description(700)->offset, 42);
    dsn__fd_set_description(3, &b, &others); /* another file under the same number */
    ck_assert_ptr_eq(dsn__fd_description(3)->state, &b);
    ck_assert_int_eq(dsn__fd_description(3)->offset, 0);
    ck_assert_ptr_eq(dsn__fd_forget(700), &a);
    ck_assert_ptr_null(dsn__fd_forget(700));
    dsn__fd_dup(3, 700); /* an untracked one takes the number over */
    ck_assert_ptr_null(dsn__fd_description(3));
    dsn__fd_set_description(4, &a, &own);
    ck_assert_ptr_eq(dsn__fd_description(4), &own); /* free again */
    dsn__fd_set_description(5, &a, &own);
    ck_assert_ptr_ne(dsn__fd_description(5), &own); /* the second at a time */
    ck_assert_ptr_eq(dsn__fd_description(5)->state, &a);
    dsn__stop();
}
END_TEST

/* 3,000 names: the table of them is made larger six times, from 64 entries to 4,096. One that was left half done is
 * made once more. */
START_TEST(many_names)
{
    struct dsn_name *name[3000];
    char path[32];

    clean_environment();
    setenv("DARSHAN_MODMEM", "8", 1);
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    dsn__switch_on();
    ck_assert_uint_eq(dsn__names->nentries, 64);
    for (int i = 0; i < 3000; i++) {
        snprintf(path, sizeof path, "/home/file-%d", i);
        name[i] = dsn__record(DSN_INDEX_POSIX, path)->name;
    }
    ck_assert_uint_eq(dsn__names->nentries, 4096);
    for (int i = 0; i < 3000; i++) {
        snprintf(path, sizeof path, "/home/file-%d", i);
        ck_assert_str_eq(name[i]->text, path);
        ck_assert_ptr_eq(dsn__name_by_id(name[i]->id), name[i]);
    }
    memset(dsn__names->entry, 0, 2048 * sizeof dsn__names->entry[0]);
    dsn__names->is_filled = 0;
    for (int i = 0; i < 3000; i++)
        ck_assert_ptr_eq(dsn__name_by_id(name[i]->id), name[i]);
    ck_assert_ptr_eq(dsn__name_by_id(4711), NULL);
    dsn__drain();
    dsn__stop();
}
END_TEST

START_TEST(handles)
{
    static struct dsn_handle_map map;
    int values[500];

    clean_environment();
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    for (uintptr_t i = 1; i < 500; i++)
        dsn__handle_set(&map, i, &values[i]);
    for (uintptr_t i = 1; i < 500; i += 2)
        ck_assert_ptr_eq(dsn__handle_take(&map, i), &values[i]);
    for (uintptr_t i = 1; i < 500; i++)
        ck_assert_ptr_eq(dsn__handle_get(&map, i), i % 2 ? NULL : &values[i]);
    dsn__handle_set(&map, 2, &values[3]); /* known keys are replaced */
    ck_assert_ptr_eq(dsn__handle_get(&map, 2), &values[3]);
    dsn__stop();
}
END_TEST

static char survival_files[64];

static void begin_file(void)
{
    strcpy(survival_files, "/tmp/t-core-XXXXXX");
    ck_assert(mkdtemp(survival_files) != NULL);
    setenv("DARSHAN_MMAP_LOGPATH", survival_files, 1);
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    dsn__switch_on();
    ck_assert(dsn__survival->is_file);
}

/* Whatever is left there, the survival file of a former life too. */
static void end_file(void)
{
    char command[128];

    dsn__stop();
    snprintf(command, sizeof command, "rm -r %s", survival_files);
    ck_assert_int_eq(system(command), 0);
}

/* A rank leaves its survival file as it is, which says so. */
START_TEST(exec_that_fails)
{
    enum dsn_exec begun;

    begin_file();
    dsn__member->is_mpi = 1;
    begun = dsn__exec_begin();
    ck_assert(dsn__survival->executes != 0);
    dsn__exec_failed(begun);
    ck_assert(dsn__survival->executes == 0);
    end_file();
}
END_TEST

/* What was counted before is in an exit record; what comes then is another part of the same program. */
START_TEST(another_part)
{
    enum dsn_exec begun;
    int64_t created;

    clean_environment();
    begin_file();
    created = dsn__survival->created;
    ck_assert_ptr_nonnull(dsn__record(DSN_INDEX_POSIX, "/home/before"));
    begun = dsn__exec_begin();
    ck_assert_int_eq(begun, DSN_EXEC_RECORD_LEFT);
    ck_assert_uint_eq(dsn__survival->magic, 0);
    dsn__exec_failed(begun);
    ck_assert(dsn__is_on());
    ck_assert_uint_eq(dsn__survival->magic, DSN_SURVIVAL_MAGIC);
    ck_assert_int_gt(dsn__survival->created, created);
    ck_assert_ptr_null(dsn__names->first_state[DSN_INDEX_POSIX]);
    ck_assert_ptr_nonnull(dsn__record(DSN_INDEX_POSIX, "/home/after"));
    end_file();
}
END_TEST

/* While the log is made. */
START_TEST(nobody_waits_for_a_log)
{
    int fd;

    begin_file();
    ck_assert(dsn__drain());
    ck_assert_int_eq(dsn__close_for_exit_records(), 1);
    fd = open(dsn__survival->path, O_RDWR);
    ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
    close(fd);
    end_file();
}
END_TEST

/* The process goes on after that, with another survival file. */
START_TEST(what_is_left_in_a_survival_file_stays)
{
    uint64_t magic = 0;
    int fd;

    begin_file();
    ck_assert(dsn__drain());
    fd = open(dsn__survival->path, O_RDONLY);
    ck_assert(fd >= 0);
    dsn__stop();
    dsn__exec_failed(DSN_EXEC_ENDED);
    ck_assert(dsn__is_on());
    ck_assert_int_eq(pread(fd, &magic, sizeof magic, 0), sizeof magic);
    ck_assert_uint_eq(magic, DSN_SURVIVAL_MAGIC);
    close(fd);
    end_file();
}
END_TEST

/* A child that a signal handler has forked goes on, when that returns, with the note that it has interrupted. */
START_TEST(memory_of_a_note)
{
    struct dsn_small *list = NULL;
    char *before, *after;

    begin_file();
    before = dsn__small_take(&list, 32);
    ck_assert_ptr_nonnull(before);
    memset(before, 'x', 32);
    ck_assert_int_eq(dsn__survival_detach(1), 1);
    dsn__state.process.is_child = 1;
    dsn__stop();
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    after = dsn__small_take(&list, 32);
    ck_assert_ptr_nonnull(after);
    memset(after, 'y', 32);
    for (int i = 0; i < 32; i++)
        ck_assert_int_eq(before[i], 'x');
    end_file();
}
END_TEST

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))
int main(void)
{
    const struct unit_test tests[] = {
        { "defaults", defaults, 0 },
        { "given", given, 0 },
        { "bad number", bad_number, N(bad_numbers) },
        { "too long", too_long, 0 },
        { "stderr only", stderr_only, 0 },
        { "clean path", clean_path, N(paths) },
        { "path too long", path_too_long, 0 },
        { "mounts", mounts, 0 },
        { "command line", command_line, 0 },
        { "job id", job_id, 6 },
        { "machine", machine, 1 },
        { "metadata", metadata, 0 },
        { "frequent values", frequent_values, 0 },
        { "time without overlap", time_without_overlap, 0 },
        { "time at the first overlap", time_at_first_overlap, N(long_before) },
        { "time of a process", time_of_process, 0 },
        { "time set back", time_set_back, 0 },
        { "time of threads", time_of_threads, 0 },
        { "clock that the kernel has", clock_that_the_kernel_has, (int)(sizeof clocks / sizeof clocks[0]) },
        { "clock that is chosen", clock_that_is_chosen, 0 },
        { "clock that holds", clock_that_holds, 0 },
        { "clock that jumps", clock_that_jumps, 0 },
        { "clock of another process", clock_of_another_process, 2 },
        { "clock of the kernel", clock_of_the_kernel, 0 },
        { "descriptors", descriptors, 0 },
        { "many names", many_names, 0 },
        { "handles", handles, 0 },
        { "exec that fails", exec_that_fails, 0 },
        { "another part", another_part, 0 },
        { "nobody waits for a log", nobody_waits_for_a_log, 0 },
        { "what is left in a survival file stays", what_is_left_in_a_survival_file_stays, 0 },
        { "memory of a note", memory_of_a_note, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("core", tests);
}
