/* t-rhythm.c - bursts, cycles and periods are found where they are, and only there
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Inputs and what must be found in them: spec analysis.md C5, two applications of 1994. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "util/rhythm/parts.h"

#define UNIT 196608 /* bytes */
#define US   1e-6

struct maker {
    struct dsn_rhythm_input *in;
    struct dsn_rhythm r;
    double now;
    unsigned long noise;
};

static struct maker m;

static double noise(void)
{
    m.noise = m.noise * 6364136223846793005u + 1442695040888963407u;
    return (double)(m.noise >> 11) / 9007199254740992.0;
}

static void begin(size_t most)
{
    m = (struct maker){ .in = dsn_rhythm_input_new(most), .noise = 7 };
    ck_assert_ptr_nonnull(m.in);
}

static void end(void)
{
    dsn_rhythm_free(&m.r);
    dsn_rhythm_input_free(m.in);
}

static void find(void)
{
    ck_assert(dsn_rhythm_find(m.in, NULL, &m.r));
}

/* An operation of one process; it takes no time. */
static void put(double at, int process, int file, const char *path, int is_write, uint64_t bytes)
{
    const struct darshan_trace_event e = { .start = (uint64_t)(at * 1e9 + 0.5),
                                           .length = bytes,
                                           .file = (uint64_t)file,
                                           .process = (uint64_t)process,
                                           .op = is_write ? DARSHAN_TRACE_WRITE : DARSHAN_TRACE_READ,
                                           .path = path };

    ck_assert(dsn_rhythm_take(m.in, &e));
}

/* `count` operations, `within` seconds from one to the next. */
static void add(int file, int is_write, int count, uint64_t bytes, double within)
{
    for (int i = 0; i < count; i++) {
        m.now += i > 0 ? within : 0;
        put(m.now, 1, file, NULL, is_write, bytes);
    }
}

static void pause_for(double seconds)
{
    m.now += seconds;
}

START_TEST(two_cycles)
{
    const struct dsn_rhythm_part *p = &m.r.job;
    struct dsn_rhythm_item items[4] = { { .n = 0 } };

    begin(0);
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
    find();
    ck_assert_uint_eq(m.r.verdict, DSN_RHYTHM_EXACT);
    ck_assert_uint_eq(p->ops, 3900);
    ck_assert_uint_eq(p->nbursts, 120);
    ck_assert_double_eq_tol(p->threshold, 0.0576, 0.00005);
    ck_assert_uint_eq(p->ncycles, 2);
    ck_assert_uint_eq(p->cycles[0].period, 2);
    ck_assert_uint_eq(p->cycles[0].repeats, 30);
    ck_assert_double_eq_tol(p->cycles[0].mean, 6.0566, 0.0002);
    ck_assert_uint_eq(p->cycles[1].period, 2);
    ck_assert_uint_eq(p->cycles[1].repeats, 30);
    ck_assert_double_eq_tol(p->cycles[1].mean, 22.142, 0.001);
    ck_assert_double_lt(p->cycles[1].deviation, 1e-6);
    ck_assert_double_eq_tol(p->regularity, 1, 1e-12);
    ck_assert_uint_eq(p->bytes[1], 17694720);
    ck_assert_uint_eq(p->cycles[0].bytes[0] + p->cycles[1].bytes[0], 749076480);
    ck_assert(p->next_known);
    ck_assert_double_eq_tol(p->next, m.now + 16.70, 0.001);
    /* what a cycle of the second kind begins with: 3 writes, 2 and 6 reads */
    ck_assert_uint_eq(dsn_rhythm_items(m.in, m.r.ops, p, p->cycles[1].first, items, 4), 3);
    ck_assert_uint_eq(items[0].n, 3);
    ck_assert(items[0].is_write);
    ck_assert_uint_eq(items[1].n, 2);
    ck_assert_uint_eq(items[2].n, 6);
    ck_assert_uint_eq(items[2].size, UNIT);
    ck_assert_double_eq_tol(dsn_rhythm_member(p, 2, 0).pause, 16.70, 1e-6);
    ck_assert_double_eq_tol(dsn_rhythm_member(p, 2, 1).between, 5107.55 * US, 1e-9);
    end();
}
END_TEST

/* The last write of a cycle and the first read of the next are one burst, so the first and the last cycle are cut. */
START_TEST(cut_cycles)
{
    const struct dsn_rhythm_part *p = &m.r.job;

    begin(0);
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
    find();
    ck_assert_uint_eq(m.r.verdict, DSN_RHYTHM_EXACT);
    ck_assert_uint_eq(p->ops, 972);
    ck_assert_uint_eq(p->nbursts, 13);
    ck_assert_double_eq_tol(p->threshold, 0.0298, 0.00005);
    ck_assert_uint_eq(p->ncycles, 1);
    ck_assert_uint_eq(p->cycles[0].period, 3);
    ck_assert_uint_eq(p->cycles[0].repeats, 4); /* as in the study: the first lacks 14 bytes, and counts */
    ck_assert_double_eq_tol(p->cycles[0].mean, 4.9983, 0.0003);
    ck_assert_uint_eq(p->anchors, 4);
    ck_assert_double_eq_tol(p->interval, 4.9983, 0.001);
    ck_assert_uint_eq(p->bytes[1], 188743788);
    ck_assert(m.r.spectrum.is_known);
    ck_assert_double_eq_tol(m.r.spectrum.period, 4.9983, 0.05);
    end();
}
END_TEST

/* Every seventh time nothing is written; pauses vary by up to 10 %. */
START_TEST(missing_and_late)
{
    const struct dsn_rhythm_part *p = &m.r.job;

    begin(0);
    for (int i = 0; i < 40; i++) {
        pause_for(10 * (0.9 + 0.2 * noise()));
        if (i % 7 != 6)
            add(3, 1, 20, UNIT, 0.001);
    }
    find();
    ck_assert_uint_eq(m.r.verdict, DSN_RHYTHM_EXACT);
    ck_assert_uint_eq(p->ncycles, 1);
    ck_assert_uint_eq(p->cycles[0].repeats, 35);
    ck_assert_uint_eq(p->cycles[0].missing, 5);
    ck_assert_double_eq_tol(p->cycles[0].mean, 10.02, 0.3);
    end();
}
END_TEST

/* Ranks that take turns in another order every time do the same; so does who writes to another file every time. */
START_TEST(alike)
{
    char path[32];

    for (int numbered = 0; numbered < 2; numbered++) {
        begin(0);
        for (int burst = 0; burst < 8; burst++)
            for (int i = 0; i < 100; i++) {
                snprintf(path, sizeof path, "/out/step-%04d.chk", burst);
                put(10.0 * burst + i * 1e-3, 1 + i * (3 + 2 * burst) % 4, 1 + numbered * burst,
                    numbered ? path : "/out", 1, 4096);
            }
        find();
        ck_assert_uint_eq(m.r.verdict, DSN_RHYTHM_EXACT);
        ck_assert_uint_eq(m.r.job.likeness, numbered ? DSN_LIKE_NAMES : DSN_LIKE_FILES);
        ck_assert_uint_eq(m.r.job.cycles[0].repeats, 8);
        ck_assert_double_eq_tol(m.r.job.cycles[0].mean, 10, 1e-6);
        end();
    }
}
END_TEST

/* Three processes that do the same, each a bit late or early by itself, have one rhythm, but not together. */
START_TEST(out_of_step)
{
    double now[3] = { 0, 3, 6 };

    begin(0);
    for (int burst = 0; burst < 60; burst++)
        for (int process = 0; process < 3; process++) {
            for (int i = 0; i < 10; i++)
                put(now[process] + i * 1e-3, 1 + process, 5, NULL, 1, 4096);
            now[process] += 10 * (0.9 + 0.2 * noise());
        }
    find();
    ck_assert_uint_eq(m.r.verdict, DSN_RHYTHM_OF_PROCESSES);
    ck_assert_uint_eq(m.r.nagreeing, 3);
    ck_assert_uint_eq(m.r.process.cycles[0].repeats, 60);
    end();
}
END_TEST

/* Beyond what there is room for, operations that follow each other closely are taken as one. */
START_TEST(little_room)
{
    begin(1000);
    for (int i = 0; i < 50; i++) {
        pause_for(10);
        add(3, 1, 400, UNIT, 0.0001);
    }
    find();
    ck_assert_uint_eq(m.r.left_out, 0);
    ck_assert_uint_gt(m.r.resolution_lost, 0);
    ck_assert_uint_eq(m.r.verdict, DSN_RHYTHM_EXACT);
    ck_assert_uint_eq(m.r.job.ops, 50 * 400);
    ck_assert_uint_eq(m.r.job.bytes[1], (uint64_t)50 * 400 * UNIT);
    ck_assert_uint_eq(m.r.job.cycles[0].repeats, 50);
    end();
}
END_TEST

/* The operations of one process after those of another, as in a log: what is merged remains in order of time. */
START_TEST(little_room_without_order)
{
    begin(1000);
    for (int process = 0; process < 4; process++) {
        for (int i = 0; i < 50 * 100; i++)
            put(10 * (i / 100) + 0.0001 * (i % 100), process, 1, "file", 1, UNIT);
    }
    find();
    ck_assert_uint_eq(m.r.left_out, 0);
    ck_assert_uint_gt(m.r.resolution_lost, 0);
    ck_assert_uint_eq(m.r.verdict, DSN_RHYTHM_EXACT);
    ck_assert_uint_eq(m.r.job.ops, 4 * 50 * 100);
    ck_assert_uint_eq(m.r.job.cycles[0].repeats, 50);
    end();
}
END_TEST

/* Operations that come in reverse order of time are merged, too. */
START_TEST(backwards)
{
    begin(10);
    for (int i = 0; i < 20; i++)
        put(20 - i, 3, 1, "file", 1, UNIT);
    find();
    ck_assert_uint_eq(m.r.left_out, 0);
    ck_assert_uint_eq(m.r.job.ops, 20);
    ck_assert_uint_eq(m.r.job.start, (uint64_t)1000000000);
    ck_assert_uint_eq(m.r.job.end, (uint64_t)20000000000);
    end();
}
END_TEST

static enum dsn_rhythm_verdict verdict(void)
{
    enum dsn_rhythm_verdict v;

    find();
    v = m.r.verdict;
    end();
    return v;
}

START_TEST(no_rhythm)
{
    begin(0);
    ck_assert_uint_eq(verdict(), DSN_RHYTHM_NOTHING);
    begin(0);
    add(1, 1, 1, 4096, 0);
    ck_assert_uint_eq(verdict(), DSN_RHYTHM_ONE_OPERATION);
    begin(0);
    add(1, 1, 1000, 4096, 0.01);
    ck_assert_uint_eq(verdict(), DSN_RHYTHM_STREAM);
    begin(0);
    for (int i = 0; i < 2; i++) {
        add(1, 1, 1000, 4096, 0.01);
        pause_for(100);
    }
    ck_assert_uint_eq(verdict(), DSN_RHYTHM_TWO_BURSTS);
    for (int n = 3; n < 2000; n = n * 3 / 2) { /* at random */
        begin(0);
        m.noise = (unsigned long)n;
        for (int i = 0; i < n; i++) {
            pause_for(-log(1 - noise()));
            add(1, 1, 1, 4096, 0);
        }
        ck_assert_uint_ge(verdict(), DSN_RHYTHM_NOTHING);
    }
}
END_TEST

/* The chance that n intervals at random vary so little: of two it is what they vary by; of more, as counted. */
START_TEST(chance)
{
    ck_assert_double_eq_tol(dsn__chance_of_steps(2, 0.1), 0.1, 1e-9);
    ck_assert_double_eq(dsn__chance_of_steps(1, 0), 1);
    ck_assert_double_eq(dsn__chance_of_steps(100, 1), 1);
    m.noise = 11;
    for (size_t n = 2; n < 6; n++) {
        size_t found = 0, all = 200000;

        for (size_t i = 0; i < all; i++) {
            double sum = 0, squares = 0;

            for (size_t k = 0; k < n; k++) {
                const double step = -log(1 - noise());

                sum += step;
                squares += step * step;
            }
            squares = squares / (double)n - sum / (double)n * (sum / (double)n);
            found += sqrt(squares > 0 ? squares : 0) <= 0.3 * sum / (double)n;
        }
        ck_assert_double_eq_tol((double)found / (double)all, dsn__chance_of_steps(n, 0.3), 0.01);
    }
}
END_TEST

static const struct dsn_rhythm_cycle *cycle_of(double mean)
{
    for (size_t i = 0; i < m.r.job.ncycles; i++)
        if (m.r.job.cycles[i].is_regular && fabs(m.r.job.cycles[i].mean - mean) < 0.02 * mean)
            return &m.r.job.cycles[i];
    ck_abort_msg("no cycle of %g s", mean);
    return NULL;
}

/* Lines of a log within checkpoints within dumps: each cycle is within the next longer one, whatever has the most bytes. */
START_TEST(nested)
{
    begin(0);
    for (int i = 0; i < 600; i++) {
        if (i % 60 == 0)
            put(i + 0.1, 1, 1, "/r/dump", 1, 4000u * UNIT);
        if (i % 10 == 0)
            put(i + 0.4, 1, 2, "/r/checkpoint", 1, 40 * UNIT);
        put(i + 0.7, 1, 3, "/r/log", 1, UNIT);
    }
    find();
    ck_assert_uint_eq(m.r.verdict, DSN_RHYTHM_EXACT);
    ck_assert_uint_eq(cycle_of(1)->per, 10);
    ck_assert_ptr_eq(&m.r.job.cycles[cycle_of(1)->inside - 1], cycle_of(10));
    ck_assert_uint_eq(cycle_of(10)->per, 6);
    ck_assert_ptr_eq(&m.r.job.cycles[cycle_of(10)->inside - 1], cycle_of(60));
    ck_assert_uint_eq(cycle_of(60)->inside, 0);
    end();
}
END_TEST

/* The file with the most bytes is written for half of the run, one with fewer till its end, one with the fewest till a third:
 * what comes next is of the second. */
START_TEST(next_of_streams)
{
    begin(0);
    for (int i = 0; i < 3000; i++) {
        if (i < 1500 && i % 100 == 0)
            put(i * 0.1 + 0.01, 1, 1, "/r/a", 1, 400u * UNIT);
        if (i % 70 == 0)
            put(i * 0.1 + 0.03, 1, 2, "/r/b", 1, 40 * UNIT);
        if (i < 1000 && i % 31 == 0)
            put(i * 0.1 + 0.07, 1, 3, "/r/c", 1, UNIT);
    }
    find();
    ck_assert_uint_eq(m.r.verdict, DSN_RHYTHM_EXACT);
    ck_assert_uint_gt(m.r.job.nstreams, 1);
    ck_assert(m.r.job.next_known);
    ck_assert_double_eq_tol(m.r.job.next, 294.03 + 7, 0.1);
    end();
}
END_TEST

/* A cycle with less within one with more is named by how often it comes. */
START_TEST(every_so_often)
{
    static const struct {
        int times;
        const char *words;
    } all[] = { { 2, "; every 2nd time also " }, { 3, "; every 3rd time also " }, { 4, "; every 4th time also " } };
    char said[DSN_RHYTHM_SENTENCE];

    begin(0);
    for (int i = 0; i < 60 * all[_i].times; i++) {
        put(i + 0.1, 1, 1, "/r/a", 1, 100 * UNIT);
        if (i % all[_i].times == 0)
            put(i + 0.4, 1, 2, "/r/b", 1, 10 * UNIT);
        if (noise() < 0.4)
            put(i + 0.5 + 0.4 * noise(), 1, 3, "/r/c", 1, (uint64_t)(UNIT * noise()));
    }
    find();
    dsn_rhythm_say(&m.r, said);
    ck_assert_msg(strstr(said, all[_i].words) != NULL, "%s", said);
    end();
}
END_TEST

/* An event 2,000 million periods after the others is no next one. */
START_TEST(far_away)
{
    double time[20], step[40];
    unsigned char fits[20];

    for (int i = 0; i < 19; i++)
        time[i] = i * US;
    time[19] = 2000;
    ck_assert(!dsn__fit_steps(time, 20, 0, step, fits).is_steady || !fits[19]);
}
END_TEST

/* A square wave of period 50 bins is found, noise is not, and neither is a stream that ripples. */
START_TEST(spectrum)
{
    static double bins[2000];
    struct dsn_rhythm_spectrum s;

    for (int i = 0; i < 2000; i++)
        bins[i] = i % 50 < 10 ? 100 : 0;
    ck_assert(dsn__find_spectrum(bins, 2000, 0.1, &s));
    ck_assert(s.is_known);
    ck_assert_double_eq_tol(s.period, 5, 0.02);
    ck_assert_double_gt(s.confidence, 0.9);
    for (int i = 0; i < 2000; i++)
        bins[i] = i % 50 < 25 ? 100 : 101;
    ck_assert(dsn__find_spectrum(bins, 2000, 0.1, &s));
    ck_assert(!s.is_known);
    m.noise = 3;
    for (int n = 20; n <= 2000; n += 20) {
        for (int i = 0; i < n; i++)
            bins[i] = noise() * noise();
        ck_assert(dsn__find_spectrum(bins, (size_t)n, 0.1, &s));
        ck_assert(!s.is_known);
    }
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "two cycles", two_cycles, 0 },
        { "nested", nested, 0 },
        { "next of streams", next_of_streams, 0 },
        { "every so often", every_so_often, 3 },
        { "far away", far_away, 0 },
        { "cut cycles", cut_cycles, 0 },
        { "missing and late", missing_and_late, 0 },
        { "alike", alike, 0 },
        { "out of step", out_of_step, 0 },
        { "little room", little_room, 0 },
        { "little room, process by process", little_room_without_order, 0 },
        { "backwards", backwards, 0 },
        { "no rhythm", no_rhythm, 0 },
        { "chance", chance, 0 },
        { "spectrum", spectrum, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("rhythm", tests);
}
