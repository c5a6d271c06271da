/* t-trace.c - events of traces: Miller text in both directions, order, notes, errors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "unit.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/trace/cut.h"
#include "util/trace/gen.h"
#include "util/trace/sorter.h"
#include "util/trace/stamps.h"
#include "util/trace/stat.h"
#include "util/trace/trace.h"

#define MANY 30000

static char name[] = "/tmp/t-trace.XXXXXX";

/* A trace of that text, to be opened by `name`. */
static void put(const char *text)
{
    const int fd = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static struct darshan_trace *opened(const char *text)
{
    struct darshan_trace_error err = { "" };
    struct darshan_trace *t;

    put(text);
    if (!darshan_trace_open(name, NULL, &t, &err))
        ck_abort_msg("%s", err.text);
    return t;
}

START_TEST(events)
{
    struct darshan_trace *t = opened("ff !iotrace 1\nff !tick_us 1\nff !file 3 0  a b\nff !host 29758 n1\n"
                                     "80 22 0 8 5 32c 3 743e 64\nff !call open 7 2 9 1 0 0 16 3\nc8 6c 2 1 3 1\n");
    struct darshan_trace_event e;

    ck_assert_int_eq(darshan_trace_next(t, &e, NULL), 1);
    ck_assert_uint_eq(e.start, 5000);
    ck_assert_uint_eq(e.duration, 812000);
    ck_assert_uint_eq(e.cpu, 100000);
    ck_assert_uint_eq(e.length, 4096);
    ck_assert_str_eq(e.path, " a b");
    ck_assert_str_eq(e.host, "n1");
    ck_assert_int_eq(darshan_trace_next(t, &e, NULL), 1);
    ck_assert_int_eq(e.op, DARSHAN_TRACE_OPEN);
    ck_assert_uint_eq(e.start, 7000);
    ck_assert_uint_eq(e.flags, DARSHAN_TRACE_FAILED);
    ck_assert_uint_eq(e.process, 1);
    ck_assert_int_eq(darshan_trace_next(t, &e, NULL), 1);
    ck_assert_int_eq(e.op, DARSHAN_TRACE_WRITE);
    ck_assert_uint_eq(e.flags, DARSHAN_TRACE_ASYNC);
    ck_assert_uint_eq(e.offset, 4096);
    ck_assert_int_eq(darshan_trace_next(t, &e, NULL), 0);
    ck_assert_uint_eq(darshan_trace_notes(t), 0);
    darshan_trace_close(t);
}
END_TEST

/* What comes before damage is told, and what the damage is. */
START_TEST(damage)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        { "80 64 0 1 1 9 1", "line 2 leaves out offset or length" },
        { "80 22 0 8 0 1 3", "line 2 has 5 values" },
        { "80 e4 x 8", "line 2 has something else" },
        { "80 ac 0 8000000000000000 1 1", "line 2 has a time beyond" },
        { "80 ac 0 1 8000000000000000 1", "line 2 has a time beyond" },
        { "80 ec 1 2 3 4 5 6 7 8 9 a", "line 2 has more than" },
        { "180 ec 0 1 1", "line 2 does not begin with a type" },
        { "80 a9 ffffffffffffffff 1 1 1 1", "line 2 has an offset beyond" },
        { "80 aa 1 80000000000000 1 1 1", "line 2 has a length beyond" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct darshan_trace_error err;
        struct darshan_trace_event e;
        struct darshan_trace *t;
        char text[200];

        snprintf(text, sizeof text, "80 22 0 8 0 1 3 7 1\n%s\n", rows[i].line);
        t = opened(text);
        ck_assert_int_eq(darshan_trace_next(t, &e, &err), 1);
        ck_assert_int_eq(darshan_trace_next(t, &e, &err), -1);
        ck_assert_msg(strncmp(err.text, rows[i].says, strlen(rows[i].says)) == 0, "%s: %s", rows[i].line, err.text);
        darshan_trace_close(t);
    }
}
END_TEST

/* Events of any order come out in the order of start, process and place, with so little memory that runs are merged
 * several times. */
START_TEST(order)
{
    struct dsn__sorter *s = dsn__sorter_new(1);
    struct darshan_trace_event e, last = { 0 };
    uint64_t seed = 1, sum = 0;
    int n = 0;

    ck_assert_ptr_nonnull(s);
    for (int i = 0; i < MANY; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        e = (struct darshan_trace_event){ .start = seed >> 50,
                                          .process = seed >> 40 & 3,
                                          .offset = (uint64_t)i,
                                          .path = seed >> 33 & 1 ? "one" : "two" };
        ck_assert_ptr_null(dsn__sorter_put(s, &e, (uint64_t)i));
    }
    ck_assert_ptr_null(dsn__sorter_begin(s));
    for (; dsn__sorter_next(s, &e) > 0; last = e) {
        ck_assert(n++ == 0 || last.start < e.start || (last.start == e.start && last.process < e.process) ||
                  (last.start == e.start && last.process == e.process && last.offset < e.offset));
        sum += e.offset;
        ck_assert(strcmp(e.path, "one") == 0 || strcmp(e.path, "two") == 0);
    }
    ck_assert_int_eq(n, MANY);
    ck_assert_uint_eq(sum, (uint64_t)MANY * (MANY - 1) / 2);
    dsn__sorter_free(s);
}
END_TEST

/* An event that is late is written as if it were not, which is told. */
START_TEST(late)
{
    const struct darshan_trace_event events[] = { { .start = 50000, .process = 1, .file = 1, .length = 7 },
                                                  { .start = 20000, .process = 1, .file = 1, .length = 7 } };
    const int fd = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);
    struct darshan_trace_writer *w;
    struct darshan_trace_event e;
    struct darshan_trace *t;

    ck_assert_int_eq(darshan_trace_create(fd, "miller", NULL, NULL, &w, NULL), 1);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(darshan_trace_put(w, &events[i], NULL), 1);
    ck_assert_int_eq(darshan_trace_finish(w, NULL, NULL), 1);
    ck_assert_uint_eq(darshan_trace_writer_notes(w), 1);
    darshan_trace_free(w);
    close(fd);
    ck_assert_int_eq(darshan_trace_open(name, NULL, &t, NULL), 1);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(darshan_trace_next(t, &e, NULL), 1);
        ck_assert_uint_eq(e.start, 50000);
    }
    darshan_trace_close(t);
}
END_TEST

/* The first operations of venus, as the study's description of it has them. */
START_TEST(generated)
{
    const struct dsn_trace_application *a = dsn_trace_application(6);
    const struct dsn_trace_making m = { 0 };
    struct dsn_trace_generator *g = dsn_trace_generator_new(a, &m);
    struct darshan_trace_event e;

    ck_assert_str_eq(a->name, "venus");
    for (uint64_t file = 1; file <= 3; file++) {
        ck_assert_int_eq(dsn_trace_generate(g, &e), 1);
        ck_assert_uint_eq(e.file, file);
        ck_assert_uint_eq(e.offset, 0);
        ck_assert_uint_eq(e.length, 901 * 512);
        ck_assert_uint_eq(e.duration, 60 * 10000);
    }
    ck_assert_uint_eq(e.cpu, (uint64_t)(0x4957f + 0xda + 0xd9) * 10000);
    dsn_trace_generator_free(g);
}
END_TEST

static const struct dsn_trace_stat *counted(struct dsn_trace_counting *c, const char *text)
{
    struct darshan_trace *t = opened(text);
    struct darshan_trace_event e;

    while (darshan_trace_next(t, &e, NULL) > 0)
        ck_assert_int_eq(dsn_trace_count(c, &e), 1);
    darshan_trace_close(t);
    return dsn_trace_counted(c, 0);
}

/* Written twice, then read back; and read that was never written. */
START_TEST(purposes)
{
    struct dsn_trace_counting *c = dsn_trace_counting_new();
    const struct dsn_trace_stat *t =
        counted(c, "c0 22 0 20 0 1 1 7 1\nc0 aa 0 20 1 1 1\n80 aa 0 20 1 1 1\nc0 2a 0 20 1 1 2 1\nc0 aa 0 20 1 1 1\n"
                   "80 2a 0 20 1 1 3 1\n");

    ck_assert_uint_eq(t->total.purposes[DSN_SWAP], 3 * 0x20 * 512);
    ck_assert_uint_eq(t->total.purposes[DSN_CHECKPOINT], 2 * 0x20 * 512);
    ck_assert_uint_eq(t->total.purposes[DSN_REQUIRED], 0x20 * 512);
    ck_assert_uint_eq(t->total.ios[0], 2);
    ck_assert_uint_eq(t->total.ios[1], 4);
    ck_assert_uint_eq(t->nfiles, 3);
    ck_assert_uint_eq(t->cpu, 6 * 10000);
    dsn_trace_counting_free(c);
}
END_TEST

/* 9 * 2^60 bytes that a process writes, 3 times the same, and 8 * 2^60 that another reads, twice the same: each process
 * has its part of what the file's 17 * 2^60 bytes were for, which is more than 64 bits count. */
START_TEST(enormous)
{
    struct dsn_trace_counting *c = dsn_trace_counting_new();
    struct darshan_trace_event write = { .op = DARSHAN_TRACE_WRITE, .process = 1, .length = UINT64_C(3) << 60 };
    struct darshan_trace_event read = { .op = DARSHAN_TRACE_READ, .process = 2, .length = UINT64_C(1) << 62 };
    const struct dsn_trace_stat *t;

    write.path = read.path = "/d/enormous";
    read.offset = (UINT64_C(1) << 62) - 1;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(dsn_trace_count(c, &write), 1);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(dsn_trace_count(c, &read), 1);
    t = dsn_trace_counted(c, 0);
    ck_assert_uint_eq(t->nprocesses, 2);
    for (unsigned i = 0; i < 2; i++) {
        const double share = (i == 0 ? 9 : 8) / 17.;

        ck_assert_double_eq_tol((double)t->processes[i].sums.purposes[DSN_CHECKPOINT] / 0x1p60, share * 9, 1e-6);
        ck_assert_double_eq_tol((double)t->processes[i].sums.purposes[DSN_REREAD] / 0x1p60, share * 8, 1e-6);
    }
    dsn_trace_counting_free(c);
}
END_TEST

START_TEST(conditions)
{
    struct dsn_trace_cut c = { 0 };
    struct darshan_trace_event e = { .start = 1500000000, .process = 5, .file = 3, .path = "/d/x.h5" };

    ck_assert(!dsn_trace_cut_time(&c, "2-1") && !dsn_trace_cut_time(&c, "-") && !dsn_trace_cut_time(&c, "x-1"));
    ck_assert(!dsn_trace_cut_processes(&c, "4-") && !dsn_trace_cut_class(&c, "none") && !dsn_trace_cut_op(&c, ""));
    dsn_trace_cut_free(&c);
    memset(&c, 0, sizeof c);
    ck_assert(dsn_trace_cut_time(&c, "1.5-2") && dsn_trace_cut_processes(&c, "1,4-6") &&
              dsn_trace_cut_file(&c, "*.h5"));
    ck_assert(dsn_trace_passes(&c, &e));
    e.start = 2000000000;
    ck_assert(!dsn_trace_passes(&c, &e));
    e.start = 1600000000;
    e.process = 7;
    ck_assert(!dsn_trace_passes(&c, &e));
    e.process = 4;
    e.path = "/d/x";
    ck_assert(!dsn_trace_passes(&c, &e));
    dsn_trace_cut_free(&c);
}
END_TEST

static struct dsn__stamps *stamps_of(const darshan_cpu_stamp *from, size_t n, const char **why)
{
    darshan_cpu_stamp *copy = malloc((n + 1) * sizeof *copy);

    ck_assert(copy != NULL);
    memcpy(copy, from, n * sizeof *copy);
    return dsn__stamps_new(copy, n, why);
}

/* CPU times of a thread at its operations: as sampled; between two samples the time between operations, at most as much as
 * the later one has; a thread that has the number of one that ended begins at 0. */
START_TEST(cpu_times)
{
    const darshan_cpu_stamp from[] = {
        { 3, 77, 500, 2.0, .25 }, { 3, 77, 500, 1.0, .125 }, { 3, 77, 501, 4.0, .5 }, { 3, 78, 502, 1.0, 9 }
    };
    const uint64_t s = 1000000000;
    const char *why;
    struct dsn__stamps *t = stamps_of(from, 4, &why);
    uint32_t a, b, none;

    ck_assert(t != NULL);
    a = dsn__stamps_thread(t, 3, 77);
    b = dsn__stamps_thread(t, 3, 78);
    none = dsn__stamps_thread(t, 4, 77);
    ck_assert(a != b && a != none && dsn__stamps_thread(t, 3, 77) == a);
    ck_assert_uint_eq(dsn__stamps_used(t, a, 1 * s, s / 10), s / 8);
    ck_assert_uint_eq(dsn__stamps_used(t, a, 1 * s + s / 10 + s / 16, s / 10), s / 16);
    ck_assert_uint_eq(dsn__stamps_used(t, a, 1 * s + s / 2, s / 10), s / 16); /* not beyond .25 */
    ck_assert_uint_eq(dsn__stamps_used(t, b, 1 * s, 0), 9 * s);
    ck_assert_uint_eq(dsn__stamps_used(t, a, 2 * s, 0), 0);
    ck_assert_uint_eq(dsn__stamps_used(t, a, 4 * s, 0), s / 2);
    ck_assert_uint_eq(dsn__stamps_used(t, none, 4 * s, s), 0);
    ck_assert_uint_eq(dsn__stamps_used(t, none, 6 * s, s), s);
    dsn__stamps_free(t);
}
END_TEST

START_TEST(cpu_times_mixed)
{
    const darshan_cpu_stamp from[] = { { 0, 1, 500, 1, 1 }, { 0, 1, 501, 2, 1 }, { 0, 1, 500, 3, 2 } };
    const char *why = NULL;

    ck_assert(stamps_of(from, 3, &why) == NULL);
    ck_assert(why && strstr(why, "several processes"));
}
END_TEST

/* Whatever a log says: a thread's CPU time does not run backwards, nor beyond 292 years. */
START_TEST(cpu_times_hostile)
{
    static const double strange[] = { 0, -1, 1, 1e-9, 8.9e9, 9e9, 1e300, -1e300, INFINITY, -INFINITY, NAN, 2, 2, 3 };
    darshan_cpu_stamp from[40];
    const char *why;

    srand(7);
    for (int round = 0; round < 2000; round++) {
        struct dsn__stamps *t;
        uint64_t sum[3][3] = { { 0 } }, start = 0;

        for (size_t i = 0; i < 40; i++)
            from[i] = (darshan_cpu_stamp){ rand() % 3 - 1, (uint64_t)(rand() % 2), (int64_t)i * (rand() % 4 == 0),
                                           strange[rand() % 14], strange[rand() % 14] };
        t = stamps_of(from, (size_t)(rand() % 41), &why);
        for (int i = 0; t && i < 50; i++) {
            const int rank = rand() % 3, number = rand() % 3;
            const uint32_t thread = dsn__stamps_thread(t, rank - 1, (uint64_t)number);

            start += (uint64_t)rand() * (uint64_t)(rand() % 5);
            sum[rank][number] += dsn__stamps_used(t, thread, start, (uint64_t)rand());
            ck_assert_uint_le(sum[rank][number], INT64_MAX);
        }
        dsn__stamps_free(t);
    }
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "events", events, 0 },
        { "damage", damage, 0 },
        { "order", order, 0 },
        { "late", late, 0 },
        { "generated", generated, 0 },
        { "purposes", purposes, 0 },
        { "enormous", enormous, 0 },
        { "conditions", conditions, 0 },
        { "CPU times", cpu_times, 0 },
        { "CPU times, mixed", cpu_times_mixed, 0 },
        { "CPU times, hostile", cpu_times_hostile, 0 },
        { NULL, NULL, 0 },
    };
    const int fd = mkstemp(name);
    int rc;

    if (fd < 0)
        return 1;
    close(fd);
    rc = unit_run("trace", tests);
    unlink(name);
    return rc;
}
