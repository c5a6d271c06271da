/* t-phases.c - bursts and cycles are found where they were put
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Inputs and what must be found in them: spec analysis.md C5, two applications of 1994. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "util/report/phases.h"

#define UNIT 196608 /* bytes */
#define US   1e-6

struct trace {
    struct dsn_event event[8000];
    size_t n;
    double now;
};

static struct trace trace; /* too large for the stack */

/* `count` operations, `within` seconds from one to the next; time is CPU time, in which they take none. */
static void add(int file, int is_write, int count, int bytes, double within)
{
    for (int i = 0; i < count; i++) {
        trace.now += i > 0 ? within : 0;
        trace.event[trace.n++] =
            (struct dsn_event){ trace.now, trace.now, (uint64_t)(file * 1000 + bytes * 2 + is_write), (uint64_t)bytes,
                                is_write & 1 };
    }
}

static void pause_for(double seconds)
{
    trace.now += seconds;
}

static void make_radar(void)
{
    memset(&trace, 0, sizeof trace);
    pause_for(0.65);
    for (int i = 0; i < 30; i++) {
        add(5, 0, 3, UNIT, 277.19 * US);
        pause_for(277.19 * US);
        add(6, 0, 6, UNIT, 277.19 * US);
        pause_for(5.13);
        add(4, 0, 55, UNIT, 5082.01 * US);
        pause_for(0.65);
    }
    for (int i = 0; i < 30; i++) {
        pause_for(16.70);
        add(7, 1, 3, UNIT, 186.20 * US);
        pause_for(4277 * US);
        add(5, 0, 2, UNIT, 279.15 * US);
        pause_for(279.15 * US);
        add(6, 0, 6, UNIT, 279.15 * US);
        pause_for(5.16);
        add(4, 0, 55, UNIT, 5107.55 * US);
    }
}

START_TEST(two_cycles)
{
    struct dsn_phases p;
    int64_t written = 0;

    make_radar();
    ck_assert_uint_eq(trace.n, 3900);
    ck_assert(dsn_phases_find(trace.event, trace.n, DSN_IN_ORDER, 0, &p));
    ck_assert_uint_eq(p.nbursts, 120);
    ck_assert_double_eq_tol(p.threshold, 0.0576, 0.00005);
    ck_assert_uint_eq(p.ncycles, 2);
    ck_assert_uint_eq(p.cycle[0].period, 2);
    ck_assert_uint_eq(p.cycle[0].repeats, 30);
    ck_assert_double_eq_tol(p.cycle[0].mean, 6.0566, 0.0002);
    ck_assert_uint_eq(p.cycle[1].period, 2);
    ck_assert_uint_eq(p.cycle[1].repeats, 30);
    ck_assert_double_eq_tol(p.cycle[1].mean, 22.142, 0.001);
    ck_assert_double_lt(p.cycle[1].deviation, 1e-6);
    ck_assert_double_eq_tol(p.regularity, 1, 1e-12);
    for (size_t i = 0; i < p.nbursts; i++)
        written += p.bursts[i].written;
    ck_assert_int_eq(written, 17694720);
    ck_assert_int_eq(p.cycle[0].read + p.cycle[1].read, 749076480);
    dsn_phases_free(&p);
}
END_TEST

/* The last write of a cycle and the first read of the next are one burst, so the first and the last cycle are cut. */
START_TEST(cut_cycles)
{
    struct dsn_phases p;
    int64_t written = 0;

    memset(&trace, 0, sizeof trace);
    for (int i = 0; i < 4; i++) {
        add(9, 0, 1, 220, 0);
        pause_for(1748 * US);
        add(10, 1, 231, UNIT, 454 * US);
        pause_for(508779 * US);
        add(8, 1, 9, UNIT, 1597 * US);
        pause_for(2.13);
        add(6, 1, 1, 13, 0);
        pause_for(2.24);
        add(6, 1, 1, 14, 0);
        pause_for(597 * US);
    }
    ck_assert_uint_eq(trace.n, 972);
    ck_assert(dsn_phases_find(trace.event, trace.n, DSN_IN_ORDER, 0, &p));
    ck_assert_uint_eq(p.nbursts, 13);
    ck_assert_double_eq_tol(p.threshold, 0.0298, 0.00005);
    ck_assert_uint_eq(p.ncycles, 1);
    ck_assert_uint_eq(p.cycle[0].period, 3);
    ck_assert_uint_eq(p.cycle[0].repeats, 3);
    ck_assert_double_eq_tol(p.cycle[0].mean, 4.9983, 0.00005);
    ck_assert_uint_eq(p.anchors, 4);
    ck_assert_double_eq_tol(p.interval, 4.9983, 0.001);
    for (size_t i = 0; i < p.nbursts; i++)
        written += p.bursts[i].written;
    ck_assert_int_eq(written, 188743788);
    dsn_phases_free(&p);
}
END_TEST

/* Of one kind of gaps, what parts bursts is whether they are longer than what they part. */
START_TEST(even_gaps)
{
    for (int long_gaps = 0; long_gaps < 2; long_gaps++) {
        struct dsn_event e[40];
        struct dsn_phases p;

        for (int i = 0; i < 40; i++)
            e[i] = (struct dsn_event){ i, i + (long_gaps ? 0.1 : 0.9) + i * 1e-5, 1, 1000, 1 };
        ck_assert(dsn_phases_find(e, 40, DSN_IN_ORDER, 0, &p));
        ck_assert_uint_eq(p.nbursts, long_gaps ? 40 : 1);
        ck_assert_uint_eq(p.ncycles, long_gaps ? 1 : 0);
        if (long_gaps)
            ck_assert_double_eq_tol(p.cycle[0].mean, 1, 1e-9);
        dsn_phases_free(&p);
    }
}
END_TEST

/* Ranks that take turns in another order every time do the same; counts may differ by 2 %. */
START_TEST(any_order)
{
    struct dsn_event e[4 * 100];
    struct dsn_phases p;
    size_t n = 0;

    for (int burst = 0; burst < 4; burst++)
        for (int i = 0; i < 100 - burst % 2; i++)
            e[n++] = (struct dsn_event){ 10.0 * burst + i * 1e-3, 10.0 * burst + i * 1e-3,
                                         (uint64_t)((i * (3 + 2 * burst)) % 2), 10, 1 };
    ck_assert(dsn_phases_find(e, n, DSN_ANY_ORDER, 0, &p));
    ck_assert_uint_eq(p.nbursts, 4);
    ck_assert_uint_eq(p.ncycles, 1);
    ck_assert_uint_eq(p.cycle[0].repeats, 4);
    dsn_phases_free(&p);
}
END_TEST

START_TEST(nothing)
{
    struct dsn_event one = { 1, 2, 3, 4, 1 };
    struct dsn_phases p;

    ck_assert(dsn_phases_find(NULL, 0, DSN_IN_ORDER, 0, &p));
    ck_assert_uint_eq(p.nbursts, 0);
    dsn_phases_free(&p);
    ck_assert(dsn_phases_find(&one, 1, DSN_IN_ORDER, 0, &p));
    ck_assert_uint_eq(p.nbursts, 1);
    ck_assert_uint_eq(p.anchors, 1);
    ck_assert_double_eq(p.interval, 0);
    dsn_phases_free(&p);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "two cycles", two_cycles, 0 }, { "cut cycles", cut_cycles, 0 }, { "even gaps", even_gaps, 0 },
        { "any order", any_order, 0 },   { "nothing", nothing, 0 },       { NULL, NULL, 0 },
    };

    return unit_run("phases", tests);
}
