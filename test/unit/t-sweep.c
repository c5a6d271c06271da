/* t-sweep.c - estimators on samples with known results, and damaged records of sweeps
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/sweep/record.h"
#include "measure/sweep/verdict.h"

#define MIB 1048576.0

static struct dsn_samples made;

static void begin(void)
{
    dsn_samples_free(&made);
}

/* A sample with a rate in MiB/s. */
static void put(unsigned sweep, double x, double request, double mib, double resident)
{
    const struct dsn_sample one = { .sweep = sweep,
                                    .x = (uint64_t)x,
                                    .request = (uint64_t)request,
                                    .bytes = mib * MIB,
                                    .seconds = 1,
                                    .resident = resident };

    ck_assert(dsn_samples_add(&made, &one));
}

static struct dsn_verdict *verdict(void)
{
    static struct dsn_verdict v;

    dsn_verdict_free(&v);
    ck_assert(dsn_verdict_make(&made, 0, &v));
    return &v;
}

/* ------------------------------------------------------------------ medians */

/* Conover, "Practical Nonparametric Statistics", table of the binomial distribution for p = 1/2: n 6: from the 1st to the 6th, 0.969;
 * n 10: 2nd to 9th, 0.979; n 20: 6th to 15th, 0.959. */
static const struct {
    size_t n, low, high;
    double confidence;
} intervals[] = { { 6, 1, 6, 0.96875 }, { 10, 2, 9, 0.978516 }, { 20, 6, 15, 0.958611 }, { 3, 1, 3, 0.75 } };

START_TEST(medians)
{
    for (size_t i = 0; i < sizeof intervals / sizeof intervals[0]; i++) {
        const size_t n = intervals[i].n;
        double v[32];
        struct dsn_median m;

        for (size_t k = 0; k < n; k++)
            v[k] = (double)((k * 7) % n + 1); /* 7 and n have no common part: all of 1 to n, out of order */
        m = dsn_median(v, n);
        ck_assert_double_eq_tol(m.median, (double)(n + 1) / 2, 1e-12);
        ck_assert_double_eq_tol(m.low, (double)intervals[i].low, 1e-12);
        ck_assert_double_eq_tol(m.high, (double)intervals[i].high, 1e-12);
        ck_assert_double_eq_tol(m.confidence, intervals[i].confidence, 1e-6);
    }
    ck_assert(isnan(dsn_median(NULL, 0).median));
}
END_TEST

static double noise(void)
{
    static uint64_t x = 1;

    x = x * 6364136223846793005u + 1442695040888963407u;
    return (double)(x >> 11) / 9007199254740992.0;
}

/* Of a thousand intervals that say 95 % or more so many hold the true median, whatever the distribution. */
START_TEST(coverage)
{
    const double median = exp(-1) * log(2); /* of an exponential distribution with mean exp(-1) */

    for (size_t n = 6; n <= 41; n += 7) {
        unsigned holds = 0;

        for (int run = 0; run < 1000; run++) {
            double v[64];
            struct dsn_median m;

            for (size_t k = 0; k < n; k++)
                v[k] = -exp(-1) * log(1 - noise());
            m = dsn_median(v, n);
            ck_assert_double_ge(m.confidence, 0.95);
            holds += m.low <= median && median <= m.high;
        }
        ck_assert_uint_ge(holds, 930);
    }
}
END_TEST

/* ------------------------------------------------------------------ curves */

/* A cache of 48 MiB: files of powers of two, rates with noise of a third. */
START_TEST(knee)
{
    const double at = (double)(16 << _i) * MIB / 16;
    const struct dsn_cache_found *c = &verdict()->read_cache;

    begin();
    for (double size = MIB; size <= 1024 * MIB; size *= 2)
        for (int k = 0; k < 9; k++)
            put(DSN_SWEEP_FILE_READ, size, 65536, (size <= at ? 6000 : 400) * (0.85 + 0.3 * noise()),
                size <= at ? 1 : 0.2);
    verdict();
    if (at < MIB || at >= 1024 * MIB) {
        ck_assert_uint_eq(c->bytes, 0);
        ck_assert_uint_eq(c->at_least, (uint64_t)(1024 * MIB));
        return;
    }
    ck_assert_uint_eq(c->bytes, (uint64_t)at);
    ck_assert_uint_eq(c->next, (uint64_t)(2 * at));
    ck_assert_double_eq_tol(c->upper / MIB, 6000, 600);
    ck_assert_double_eq_tol(c->lower / MIB, 400, 40);
}
END_TEST

/* Points behind the knee that may well be as high as those before it: the cache ends before the first that is not. */
START_TEST(uncertain_knee)
{
    static const double rates[][3] = { { 2900, 3000, 3200 }, { 2800, 3400, 3500 }, { 500, 750, 3480 },
                                       { 1190, 1470, 3330 }, { 1270, 1520, 1670 }, { 1500, 1700, 1900 },
                                       { 1200, 1480, 1500 } };
    const struct dsn_cache_found *c = &verdict()->write_cache;

    begin();
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        for (size_t k = 0; k < 3; k++)
            put(DSN_SWEEP_FILE_WRITE, (double)(1u << i) * MIB, 65536, rates[i][k], 1);
    verdict();
    ck_assert_uint_eq(c->bytes, (uint64_t)(2 * MIB));
    ck_assert_uint_eq(c->next, (uint64_t)(16 * MIB));
}
END_TEST

/* Medians fall, but nearly every file had samples that were as fast, or as slow, as those of the other level. */
START_TEST(scattered_knee)
{
    static const double rates[][3] = { { 3700, 3850, 4300 }, { 200, 4150, 4500 }, { 450, 3950, 4400 },
                                       { 470, 3930, 4030 },  { 590, 990, 1600 },  { 440, 1050, 1460 },
                                       { 750, 950, 1180 } };
    const struct dsn_cache_found *c = &verdict()->write_cache;

    begin();
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        for (size_t k = 0; k < 3; k++)
            put(DSN_SWEEP_FILE_WRITE, (double)(1u << i) * MIB, 65536, rates[i][k], 1);
    verdict();
    ck_assert_int_eq(c->scatters, 1);
    ck_assert_uint_eq(c->bytes, 0);
    ck_assert_uint_eq(c->at_least, 0);
}
END_TEST

/* The fall of a processor's cache is none of the page cache: all of the file is there behind it. */
START_TEST(processor_cache)
{
    const struct dsn_cache_found *c = &verdict()->read_cache;

    begin();
    for (double size = MIB; size <= 512 * MIB; size *= 2)
        put(DSN_SWEEP_FILE_READ, size, 65536,
            size <= 16 * MIB    ? 20000
            : size <= 128 * MIB ? 5000
                                : 300,
            size <= 128 * MIB);
    verdict();
    ck_assert_uint_eq(c->bytes, (uint64_t)(128 * MIB));
    begin();
    for (double size = MIB; size <= 512 * MIB; size *= 2)
        put(DSN_SWEEP_FILE_READ, size, 65536, size <= 16 * MIB ? 20000 : 5000, 1);
    verdict();
    ck_assert_uint_eq(c->bytes, 0);
    ck_assert_uint_eq(c->at_least, (uint64_t)(512 * MIB));
}
END_TEST

/* 250 us and 1/800 MiB a byte: the model, the peak, the smallest that has 95 % of it. */
START_TEST(requests)
{
    const struct dsn_way_found *w = &verdict()->way[0];

    begin();
    for (double b = 4096; b <= 16 * MIB; b *= 2)
        put(DSN_SWEEP_REQUEST_READ, b, b, b / MIB / (250e-6 + b / MIB / 800), 0);
    verdict();
    ck_assert_double_eq_tol(w->latency, 250e-6, 1e-9);
    ck_assert_double_eq_tol(1 / w->byte / MIB, 800, 1e-3);
    ck_assert_double_le(w->off, 1e-9);
    ck_assert_uint_eq(w->peak_request, (uint64_t)(16 * MIB));
    ck_assert_uint_eq(w->best_request, (uint64_t)(4 * MIB)); /* 4/(.25e-3+.005) is 96.4 % of 16/(.25e-3+.02) */
    ck_assert_uint_eq(dsn_verdict_request(&made, DSN_SWEEP_ONE_READ), (uint64_t)(4 * MIB));
}
END_TEST

/* 100, 190, 300, 300: at 4 there is the peak, with 75 % of four times one. */
START_TEST(workers)
{
    static const double rate[] = { 100, 190, 300, 300 };

    begin();
    for (int i = 0; i < 4; i++) {
        put(DSN_SWEEP_ONE_WRITE, 1 << i, 65536, rate[i], 0);
        put(DSN_SWEEP_EACH_WRITE, 1 << i, 65536, 100, 0);
    }
    ck_assert_uint_eq(verdict()->way[1].best_workers[0], 4);
    ck_assert_double_eq_tol(verdict()->way[1].efficiency[0], 0.75, 1e-9);
    ck_assert_uint_eq(verdict()->way[1].best_workers[1], 1);
    ck_assert_double_eq_tol(verdict()->way[1].total / MIB, 300, 1e-6);
}
END_TEST

/* What the study of 1993 says of its machine: whole files are kept, no part of one that does not fit. And its opposite. */
START_TEST(retention)
{
    const int parts = _i;

    begin();
    for (double size = MIB; size <= 64 * MIB; size *= 2) {
        const int fits = size <= 4 * MIB;

        put(DSN_SWEEP_FILE_READ, size, 65536, fits ? 42 : parts ? 17 : 8.2, fits);
        put(DSN_SWEEP_FILE_COLD, size, 65536, 8, 0);
        put(DSN_SWEEP_FILE_WRITE, size, 65536, size <= 2 * MIB ? 40 : 9, -1);
        put(DSN_SWEEP_FILE_SYNC, size, 65536, 6, -1);
    }
    ck_assert_uint_eq(verdict()->read_cache.bytes, (uint64_t)(4 * MIB));
    ck_assert_uint_eq(verdict()->write_cache.bytes, (uint64_t)(2 * MIB));
    ck_assert_int_eq(verdict()->keeps, DSN_YES);
    ck_assert_int_eq(verdict()->whole_only, parts ? DSN_NO : DSN_YES);
    ck_assert_int_eq(verdict()->write_behind, DSN_YES);
    ck_assert_double_eq_tol(verdict()->write_behind_gain, 40.0 / 6, 1e-9);
    ck_assert_int_eq(verdict()->is_proved, DSN_YES);
    put(DSN_SWEEP_FILE_COLD, MIB, 65536, 8, 0.5);
    ck_assert_int_eq(verdict()->is_proved, DSN_NO);
}
END_TEST

/* A file system in memory has none of a device's properties, nor has one whose files were in the page cache when they should
 * not have been: what rests on these is withheld, and nothing else. */
START_TEST(withheld)
{
    const double in_cache = _i == 1 ? 0.5 : _i == 2 ? 1 : 0; /* 0: bypassed, 1: reads were half cached, 2: tmpfs */
    static struct dsn_verdict v;

    begin();
    for (double size = 4096; size <= MIB; size *= 2) {
        put(DSN_SWEEP_REQUEST_READ, size, size, 100 * size / MIB, in_cache);
        put(DSN_SWEEP_REQUEST_WRITE, size, size, 50 * size / MIB, 1);
        put(DSN_SWEEP_AHEAD_ORDER, size, size, 90, in_cache);
        put(DSN_SWEEP_AHEAD_RANDOM, size, size, 10, 0);
        put(DSN_SWEEP_FILE_READ, 64 * size, 4096, 1000, 1);
        put(DSN_SWEEP_FILE_COLD, 64 * size, 4096, 100, in_cache);
        put(DSN_SWEEP_FILE_WRITE, 64 * size, 4096, 100, 1);
        put(DSN_SWEEP_FILE_SYNC, 64 * size, 4096, 10, 1);
    }
    put(DSN_SWEEP_ONE_READ, 1, 4096, 100, in_cache);
    put(DSN_SWEEP_MODE_READ, DSN_MODE_MAPPED, 4096, 100, in_cache);
    put(DSN_SWEEP_MODE_WRITE, DSN_MODE_BUFFERED, 4096, 100, 1);
    ck_assert(dsn_verdict_make(&made, _i == 2, &v));
    ck_assert_uint_eq(v.way[0].best_request, _i == 0 ? (uint64_t)MIB : 0);
    ck_assert_uint_eq(v.way[1].best_request, _i < 2 ? (uint64_t)MIB : 0);
    ck_assert_int_eq(v.way[0].byte > 0, _i == 0);
    ck_assert_uint_eq(v.way[0].best_workers[0], _i == 0);
    ck_assert_double_eq(v.way[0].total, _i == 0 ? 100 * MIB : 0);
    ck_assert_int_eq(v.way[0].best_mode_rate > 0, _i == 0);
    ck_assert_int_eq(v.way[1].best_mode_rate > 0, _i < 2);
    ck_assert_int_eq(v.reads_ahead, _i == 0 ? DSN_YES : DSN_NOT_KNOWN);
    ck_assert_int_eq(v.keeps, _i == 0 ? DSN_YES : DSN_NOT_KNOWN);
    ck_assert_int_eq(v.write_behind, _i < 2 ? DSN_YES : DSN_NOT_KNOWN);
    ck_assert_uint_eq(v.read_cache.at_least, _i < 2 ? (uint64_t)(64 * MIB) : 0);
    ck_assert_int_eq(v.way[0].requests_withheld, _i);
    ck_assert_int_eq(v.way[1].requests_withheld, _i == 2 ? DSN_OF_MEMORY : DSN_GIVEN);
    ck_assert_int_eq(v.is_proved, _i == 0 ? DSN_YES : DSN_NO);
    dsn_verdict_free(&v);
}
END_TEST

/* Inside the cache, if all of the files were there; an efficiency that only scatter makes larger than 1 is none. */
START_TEST(cached_workers)
{
    begin();
    put(DSN_SWEEP_CACHED_ONE_READ, 1, 65536, 100, 1);
    put(DSN_SWEEP_CACHED_ONE_READ, 4, 65536, 300, 1);
    put(DSN_SWEEP_CACHED_EACH_READ, 1, 65536, 100, 1);
    put(DSN_SWEEP_CACHED_EACH_READ, 4, 65536, 300, 0.7);
    for (int i = 0; i < 6; i++) {
        put(DSN_SWEEP_CACHED_ONE_WRITE, 1, 65536, i < 3 ? 100 : 400, 1);
        put(DSN_SWEEP_CACHED_ONE_WRITE, 2, 65536, i < 3 ? 500 : 800, 1);
        put(DSN_SWEEP_CACHED_EACH_WRITE, 1, 65536, 100, 1);
        put(DSN_SWEEP_CACHED_EACH_WRITE, 2, 65536, 300, 1);
    }
    ck_assert_uint_eq(verdict()->way[0].cached_workers[0], 4);
    ck_assert_double_eq_tol(verdict()->way[0].cached_efficiency[0], 0.75, 1e-9);
    ck_assert_uint_eq(verdict()->way[0].cached_workers[1], 0);
    ck_assert_uint_eq(verdict()->way[1].cached_workers[0], 2);
    ck_assert(isnan(verdict()->way[1].cached_efficiency[0])); /* 650 / (2 250) = 1.3, but 500 is less than 2 400 */
    ck_assert_double_eq_tol(verdict()->way[1].cached_efficiency[1], 1.5, 1e-9);
    ck_assert_uint_eq(verdict()->way[0].best_workers[0], 0); /* these are past the cache, and were not measured */
}
END_TEST

/* In a plane two points have the same size of files. */
START_TEST(plane)
{
    struct dsn_rate_curve c;

    begin();
    put(DSN_SWEEP_PLANE_READ, 4 * MIB, 65536, 30, 1);
    put(DSN_SWEEP_PLANE_READ, MIB, 65536, 20, 1);
    put(DSN_SWEEP_PLANE_READ, MIB, 4096, 10, 1);
    put(DSN_SWEEP_PLANE_READ, MIB, 4096, 14, 1);
    ck_assert(dsn_rate_curve(&made, DSN_SWEEP_PLANE_READ, 0, &c));
    ck_assert_uint_eq(c.n, 3);
    ck_assert_double_eq_tol(c.point[0].rate.median, 12 * MIB, 1e-3);
    ck_assert_double_eq_tol(c.point[1].rate.median, 20 * MIB, 1e-3);
    ck_assert_uint_eq(c.point[2].x, (uint64_t)(4 * MIB));
    ck_assert_uint_eq(dsn_samples_count(&made, DSN_SWEEP_PLANE_READ, (uint64_t)MIB, 4096), 2);
    ck_assert_uint_eq(dsn_samples_count(&made, DSN_SWEEP_PLANE_READ, (uint64_t)MIB, 16384), 0);
}
END_TEST

/* The study's shapes: with more bytes asked for than there are, some have nothing to do. */
START_TEST(points)
{
    struct dsn_sweep_settings s = { .limit = 64 << 20,
                                    .file = 16 << 20,
                                    .least_request = 4096,
                                    .most_request = 16 << 20,
                                    .least_file = 1 << 20,
                                    .writers = 6,
                                    .fine = 2,
                                    .samples = 1 };
    struct dsn_point p[DSN_SWEEP_POINTS];
    static const unsigned wanted[] = { 1, 2, 4, 6 };
    size_t n = dsn_sweep_points(&s, DSN_SWEEP_ONE_READ, 65536, p, DSN_SWEEP_POINTS);

    ck_assert_uint_eq(n, 4);
    for (size_t i = 0; i < n; i++)
        ck_assert_uint_eq(p[i].workers, wanted[i]);
    n = dsn_sweep_points(&s, DSN_SWEEP_REQUEST_READ, 65536, p, DSN_SWEEP_POINTS);
    ck_assert_uint_eq(n, 13);
    ck_assert_uint_eq(p[12].request, 16 << 20);
    n = dsn_sweep_points(&s, DSN_SWEEP_FILE_READ, 1 << 20, p, DSN_SWEEP_POINTS);
    ck_assert_uint_eq(n, 13); /* two for each of 6 doublings, and the last */
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(p[i].size % p[i].request, 0);
        ck_assert_uint_ge(p[i].size / p[i].request, 16);
    }
    ck_assert_uint_eq(p[n - 1].size, 64 << 20);
    n = dsn_sweep_points(&s, DSN_SWEEP_PLANE_READ, 1 << 20, p, DSN_SWEEP_POINTS);
    ck_assert_uint_eq(
        n, 5 + 6 + 7 + 7); /* files of 1, 4, 16, 64 MiB; requests of 4, 16, ... KiB up to the file, 16 MiB at most */
    ck_assert_uint_eq(p[n - 1].request, 16 << 20);
    ck_assert_uint_eq(p[5].size, 4 << 20);
}
END_TEST

/* ------------------------------------------------------------------ records */

#define FIRST                                                                                                          \
    "{\"format\":\"darshan-sweep-record\",\"version\":1,\"directory\":\"/"                                             \
    "x\",\"type\":\"ext4\",\"mpi\":false,\"begun\":1,"                                                                 \
    "\"limit\":1048576,\"request\":0,\"file\":65536,\"least_request\":4096,\"most_request\":65536,\"least_file\":"     \
    "65536,"                                                                                                           \
    "\"writers\":2,\"fine\":1,\"samples\":3,\"seconds\":0.25}\n"
#define SAMPLE                                                                                                         \
    "{\"sweep\":\"file-read\",\"x\":65536,\"request\":4096,\"bytes\":65536,\"seconds\":0.5,\"resident\":1.0,"          \
    "\"ahead\":0}\n"

/* Lines, and how many samples there are in them; -1: refused. */
static const struct {
    const char *text;
    int samples;
    size_t complete;
} records[] = {
    { "", 0, 0 },
    { FIRST, 0, sizeof FIRST - 1 },
    { FIRST SAMPLE SAMPLE, 2, sizeof FIRST + 2 * sizeof SAMPLE - 3 },
    { FIRST SAMPLE "{\"sweep\":\"file-re", 1, sizeof FIRST + sizeof SAMPLE - 2 },
    { FIRST "{\"sweep\":\"file-re\n" SAMPLE, -1, 0 },
    { SAMPLE, -1, 0 },
    { "{\"format\":\"darshan-sweep-record\",\"version\":2}\n", -1, 0 },
    { FIRST "{\"sweep\":\"none\",\"x\":1,\"request\":1,\"bytes\":1,\"seconds\":1,\"resident\":1,\"ahead\":0}\n", -1,
      0 },
    { FIRST "{\"sweep\":\"file-read\",\"x\":1,\"request\":1,\"bytes\":1,\"seconds\":0,\"resident\":1,\"ahead\":0}\n",
      -1, 0 },
    { FIRST "{\"sweep\":\"file-read\",\"x\":-1,\"request\":1,\"bytes\":1,\"seconds\":1,\"resident\":1,\"ahead\":0}\n",
      -1, 0 },
    { FIRST
      "{\"sweep\":\"file-read\",\"x\":1,\"request\":1,\"bytes\":1e300,\"seconds\":1,\"resident\":1,\"ahead\":0}\n",
      -1, 0 },
    { FIRST "{\"sweep\":\"mode-read\",\"x\":10,\"request\":1,\"bytes\":1,\"seconds\":1,\"resident\":1,\"ahead\":0}\n",
      -1, 0 },
    { "not at all", -1, 0 },
};

START_TEST(read_records)
{
    static struct dsn_sweep_record r;
    const int fd = memfd_create("record", 0);
    const size_t n = strlen(records[_i].text);
    char error[160] = "";
    int ok;

    begin();
    ck_assert_int_eq(write(fd, records[_i].text, n), (ssize_t)n);
    lseek(fd, 0, SEEK_SET);
    ok = dsn_record_read(fd, &r, &made, error, sizeof error);
    close(fd);
    ck_assert_int_eq(ok, records[_i].samples >= 0);
    ck_assert(ok || *error);
    if (!ok)
        return;
    ck_assert_uint_eq(made.n, (size_t)records[_i].samples);
    ck_assert_uint_eq((size_t)r.complete, records[_i].complete);
}
END_TEST

/* What is written is read, and other options are noticed. */
START_TEST(written_records)
{
    static struct dsn_sweep_record r, again;
    struct dsn_sweep_settings s = { .directory = "/x y",
                                    .limit = 3,
                                    .file = 2,
                                    .least_request = 1,
                                    .most_request = 2,
                                    .least_file = 1,
                                    .writers = 5,
                                    .fine = 1,
                                    .samples = 9,
                                    .seconds = 0.1 };
    char error[160];

    r = (struct dsn_sweep_record){ .fd = memfd_create("record", 0), .settings = s, .begun = 17 };
    snprintf(r.directory, sizeof r.directory, "/x y");
    snprintf(r.type, sizeof r.type, "ext4");
    begin();
    put(DSN_SWEEP_FILE_COLD, 4096, 512, 3, 0.25);
    made.sample[0].ahead = 77;
    ck_assert(dsn_record_begin(&r) && dsn_record_put(&r, &made.sample[0], NULL));
    lseek(r.fd, 0, SEEK_SET);
    begin();
    ck_assert(dsn_record_read(r.fd, &again, &made, error, sizeof error));
    close(r.fd);
    ck_assert_uint_eq(made.n, 1);
    ck_assert_uint_eq(made.sample[0].sweep, DSN_SWEEP_FILE_COLD);
    ck_assert_double_eq_tol(made.sample[0].bytes, 3 * MIB, 1e-9);
    ck_assert_double_eq_tol(made.sample[0].resident, 0.25, 1e-12);
    ck_assert_double_eq_tol(made.sample[0].ahead, 77, 1e-12);
    ck_assert_int_eq(again.begun, 17);
    ck_assert_ptr_null(dsn_record_differs(&again, &s));
    s.seconds = 0.2;
    ck_assert_str_eq(dsn_record_differs(&again, &s), "seconds");
    s.directory = "/z";
    ck_assert_str_eq(dsn_record_differs(&again, &s), "directory");
}
END_TEST

/* A sample of two nodes, of which each has its share. */
static void put_nodes(unsigned sweep, double x, const double mib[2], const double resident[2])
{
    for (unsigned host = 1; host <= 2; host++) {
        put(sweep, x, 65536, mib[host - 1], resident[host - 1]);
        made.sample[made.n - 1].host = host;
    }
    put(sweep, x, 65536, mib[0] + mib[1], fmax(resident[0], resident[1]));
}

/* Of nodes together it is told what they reach, unless one of them had its cache or memory measured; the shares of the others
 * are told all the same. */
START_TEST(nodes)
{
    const double cached[2] = { 0, _i == 1 ? 0.5 : 0 }, bypassed[2] = { 0, 0 };
    const enum dsn_withheld why = _i == 0 ? DSN_GIVEN : _i == 1 ? DSN_OF_THE_CACHE : DSN_OF_MEMORY;
    static struct dsn_verdict v;

    begin();
    ck_assert(dsn_samples_add_host(&made, &(struct dsn_sweep_host){ .name = "a", .type = "nfs", .processes = 2 }));
    ck_assert(dsn_samples_add_host(&made, &(struct dsn_sweep_host){ .name = "b", .type = "nfs", .processes = 2 }));
    snprintf(made.host[1].type, sizeof made.host[1].type, "%s", _i == 2 ? "tmpfs" : "nfs");
    put(DSN_SWEEP_NODES_ONE_READ, 1, 65536, 100, 0);
    put(DSN_SWEEP_NODES_ONE_READ, 1, 65536, 100, 0);
    made.sample[made.n - 2].host = 1;
    put_nodes(DSN_SWEEP_NODES_ONE_READ, 4, (double[]){ 120, 200 }, cached);
    put_nodes(DSN_SWEEP_NODES_ONE_READ, 4, (double[]){ 100, 240 }, cached);
    put_nodes(DSN_SWEEP_NODES_ONE_READ, 4, (double[]){ 110, 190 }, cached);
    put_nodes(DSN_SWEEP_NODES_REQUEST_WRITE, 65536, (double[]){ 5, 6 }, (double[]){ 1, 1 });
    put_nodes(DSN_SWEEP_NODES_EACH_WRITE, 4, (double[]){ 5, 6 }, bypassed);
    ck_assert(dsn_verdict_make(&made, 0, &v));
    ck_assert_uint_eq(v.curve[DSN_SWEEP_NODES_ONE_READ].n, 2);
    ck_assert_double_eq(v.curve[DSN_SWEEP_NODES_ONE_READ].point[1].rate.median, 320 * MIB);
    ck_assert_int_eq(v.nodes[0].withheld, why);
    ck_assert_int_eq(v.nodes[1].withheld, _i == 2 ? DSN_OF_MEMORY : DSN_GIVEN);
    ck_assert(_i == 0 || v.nodes[0].withheld_by == 1);
    ck_assert_uint_eq(v.nodes[0].best[0], _i == 0 ? 4 : 0);
    ck_assert_double_eq(v.nodes[0].best_rate[0], _i == 0 ? 320 * MIB : 0);
    ck_assert(_i > 0 || fabs(v.nodes[0].efficiency[0] - 0.8) < 1e-9);
    ck_assert_double_eq(v.way[0].total, _i == 0 ? 320 * MIB : 0);
    ck_assert_uint_eq(v.nodes[1].best_request, _i == 2 ? 0 : 65536);
    ck_assert_int_eq(v.of_host[0][0], DSN_GIVEN);
    ck_assert_int_eq(v.of_host[1][0], why);
    ck_assert_int_eq(v.of_host[1][1], _i == 2 ? DSN_OF_MEMORY : DSN_GIVEN);
    ck_assert_double_eq(dsn_verdict_share(&v, DSN_SWEEP_NODES_ONE_READ, 0, 4)->rate, 110 * MIB);
    ck_assert_double_eq(dsn_verdict_share(&v, DSN_SWEEP_NODES_ONE_READ, 1, 4)->rate, 200 * MIB);
    ck_assert_double_eq(dsn_verdict_share(&v, DSN_SWEEP_NODES_ONE_READ, 1, 4)->resident, cached[1]);
    ck_assert_ptr_null(dsn_verdict_share(&v, DSN_SWEEP_NODES_ONE_READ, 1, 1));
    ck_assert_uint_eq(dsn_verdict_request(&made, DSN_SWEEP_NODES_ONE_READ), 65536);
    ck_assert_uint_eq(dsn_verdict_request(&made, DSN_SWEEP_ONE_READ), (uint64_t)MIB);
    dsn_verdict_free(&v);
}
END_TEST

/* Points of nodes: requests fit four times into a process's part; processes are powers of two, one on each node, and all. */
START_TEST(points_of_nodes)
{
    struct dsn_sweep_settings s = { .limit = 64 << 20,
                                    .file = 16 << 20,
                                    .least_request = 4096,
                                    .most_request = 16 << 20,
                                    .least_file = 1 << 20,
                                    .fine = 1 };
    struct dsn_point p[DSN_SWEEP_POINTS];
    const uint64_t want[] = { 1, 2, 3, 6, 12 };

    ck_assert_uint_eq(dsn_sweep_points(&s, DSN_SWEEP_NODES_ONE_READ, 1 << 20, p, DSN_SWEEP_POINTS), 0);
    s.processes = 12;
    s.hosts = 3;
    ck_assert_uint_eq(dsn_sweep_points(&s, DSN_SWEEP_NODES_ONE_READ, 1 << 20, p, DSN_SWEEP_POINTS), 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(p[i].x, want[i]);
        ck_assert_uint_eq(p[i].workers, want[i]);
        ck_assert_uint_eq(p[i].request, 262144);
    }
    ck_assert_uint_eq(dsn_sweep_points(&s, DSN_SWEEP_NODES_REQUEST_READ, 1 << 20, p, DSN_SWEEP_POINTS), 7);
    ck_assert_uint_eq(p[6].x, 262144);
    ck_assert_uint_eq(p[6].workers, 12);
    s.processes = s.hosts = 1;
    ck_assert_uint_eq(dsn_sweep_points(&s, DSN_SWEEP_NODES_ONE_READ, 1 << 20, p, DSN_SWEEP_POINTS), 1);
    ck_assert_uint_eq(p[0].x, 1);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "medians", medians, 0 },
        { "coverage", coverage, 0 },
        { "knee", knee, 12 },
        { "uncertain knee", uncertain_knee, 0 },
        { "scattered knee", scattered_knee, 0 },
        { "processor's cache", processor_cache, 0 },
        { "requests", requests, 0 },
        { "workers", workers, 0 },
        { "retention", retention, 2 },
        { "results that are withheld", withheld, 3 },
        { "workers in the cache", cached_workers, 0 },
        { "a plane", plane, 0 },
        { "points", points, 0 },
        { "read records", read_records, sizeof records / sizeof records[0] },
        { "written records", written_records, 0 },
        { "nodes", nodes, 3 },
        { "points of nodes", points_of_nodes, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("sweep", tests);
}
