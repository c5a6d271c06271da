/* t-text.c - numbers formatted like printf, buffered output, untrusted text
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "util/lib/text.h"

#define NRANDOM 300000

/* Source: Sebastiano Vigna, splitmix64 (public domain). The same numbers in every run. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static void same_f64(double v)
{
    char ours[DSN_DOUBLE_MAX + 1], printfs[DSN_DOUBLE_MAX + 1];

    ours[dsn_format_f64(ours, v)] = '\0';
    snprintf(printfs, sizeof printfs, "%f", v);
    if (strcmp(ours, printfs) != 0)
        ck_abort_msg("%a: %s, but printf has %s", v, ours, printfs);
}

static void same_in_field(double v, int64_t i, unsigned width)
{
    char ours[2 * DSN_DOUBLE_MAX], printfs[2 * DSN_DOUBLE_MAX];
    size_t n = dsn_format_f64_4_in(ours, width, v);

    n += dsn_format_i64_in(ours + n, width, i);
    ours[n] = '\0';
    snprintf(printfs, sizeof printfs, "%*.4f%*lld", (int)width, v, (int)width, (long long)i);
    if (strcmp(ours, printfs) != 0)
        ck_abort_msg("%a, %lld: %s, but printf has %s", v, (long long)i, ours, printfs);
}

static void same_in_column(struct dsn_column *column, double v, unsigned width)
{
    char ours[DSN_DOUBLE_MAX + 17], printfs[2 * DSN_DOUBLE_MAX];

    ours[dsn_format_f64_4_next(column, ours, width, v)] = '\0';
    snprintf(printfs, sizeof printfs, "%*.4f", (int)width, v);
    if (strcmp(ours, printfs) != 0)
        ck_abort_msg("%a: %s, but printf has %s", v, ours, printfs);
}

static void same_i64(int64_t v)
{
    char ours[DSN_INT_MAX + 1], printfs[32];

    ours[dsn_format_i64(ours, v)] = '\0';
    snprintf(printfs, sizeof printfs, "%lld", (long long)v);
    if (strcmp(ours, printfs) != 0)
        ck_abort_msg("%s, but printf has %s", ours, printfs);
    ours[dsn_format_u64(ours, (uint64_t)v)] = '\0';
    snprintf(printfs, sizeof printfs, "%llu", (unsigned long long)v);
    if (strcmp(ours, printfs) != 0)
        ck_abort_msg("%s, but printf has %s", ours, printfs);
}

START_TEST(integers)
{
    uint64_t state = 1, power = 1;

    for (int i = 0; i < 20; i++, power *= 10) {
        same_i64((int64_t)power);
        same_i64((int64_t)power - 1);
        same_i64(-(int64_t)power);
        same_i64(-(int64_t)power + 1);
    }
    same_i64(INT64_MIN);
    same_i64(INT64_MAX);
    for (int i = 0; i < NRANDOM; i++)
        same_i64((int64_t)(next(&state) >> (i % 64)));
}
END_TEST

START_TEST(special_doubles)
{
    static const double v[] = { 0.0,
                                -0.0,
                                1,
                                -1,
                                0.0000005,
                                0.0000015,
                                0.0000025,
                                0.9999995,
                                0.9999994999999999,
                                1.5e-7,
                                4.9406564584124654e-324,
                                2.2250738585072014e-308,
                                1.7976931348623157e308,
                                9007199254740991.0,
                                9007199254740993.0,
                                9223372036854774784.0,
                                9223372036854775808.0,
                                18446744073709551616.0,
                                1e22,
                                123456789.9999995,
                                INFINITY,
                                -INFINITY };

    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        same_f64(v[i]);
        same_f64(-v[i]);
        same_in_field(v[i], (int64_t)i, 12);
        same_in_field(-v[i], -(int64_t)i, 12);
    }
    same_in_field(NAN, INT64_MIN, 12);
    same_in_field(0.00005, INT64_MAX, 16);
    same_in_field(0.00015, 0, 0);
    same_in_field(9999.99995, 1, 64);
    same_f64(NAN);
    same_f64(-NAN);
}
END_TEST

/* Any bit pattern; values as logs have them; halves of the last digit, which round to even. */
START_TEST(random_doubles)
{
    uint64_t state = 2;

    for (int i = 0; i < NRANDOM; i++) {
        const uint64_t bits = next(&state);
        double v;

        memcpy(&v, &bits, sizeof v);
        same_f64(v);
        same_f64((double)(bits >> 20) / 1e9);
        same_f64((double)(int64_t)bits / (double)((uint64_t)1 << (i % 64)));
        same_f64((double)(bits % 2000001) / 128.0);
        same_in_field(v, (int64_t)bits, (unsigned)i % 20);
        same_in_field((double)(bits >> 20) / 1e9, (int64_t)(bits >> i % 64), 12);
        same_in_field((double)(bits % 20000001) / 32.0, (int64_t)(bits % 100000), 12);
        same_in_field((double)(bits % 2000000001) / 20000.0, 0, 9);
        same_f64((double)(bits % 16777216) / 8388608.0);               /* as the runtime keeps times */
        same_f64(ldexp((double)(bits >> 11), (int)(bits % 64) - 100)); /* about the ends of what is done fast */
        same_in_field(ldexp((double)(bits >> 11), (int)(bits % 24) - 72), (int64_t)(bits % 4), (unsigned)i % 22);
    }
}
END_TEST

/* Times that grow by little or by much, go back, and are interrupted by what is formatted otherwise. */
START_TEST(columns)
{
    static const double odd[] = {
        0, -0.0, -1.5, 0.00005, 0.01, 9999.9999, 9999.99995, 1e300, NAN, INFINITY, -INFINITY
    };
    uint64_t state = 3;

    for (unsigned width = 9; width <= 16; width++) {
        struct dsn_column column = { .hundreds = 0 };
        double now = 0;

        for (int i = 0; i < NRANDOM / 10; i++) {
            const uint64_t bits = next(&state);

            now += ldexp((double)(bits >> 40), -24 - (int)(bits % 16));
            same_in_column(&column, now, width);
            if (bits % 64 == 0)
                same_in_column(&column, odd[bits / 64 % (sizeof odd / sizeof odd[0])], width);
            if (bits % 4096 == 0)
                now = 0;
        }
    }
}
END_TEST

/* ------------------------------------------------------------------ output */

START_TEST(big_output)
{
    struct dsn_text t;
    char *got = malloc(3000000), line[32];
    size_t n = 0;
    ssize_t more;
    int fd = open("out", O_RDWR | O_CREAT | O_TRUNC, 0600);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(dsn_text_init(&t, fd), 1);
    for (int i = 0; i < 100000; i++) {
        if (i % 3 == 0) {
            dsn_text_printf(&t, "%d\n", i);
        } else if (i % 3 == 1) {
            char *p = dsn_text_room(&t, DSN_INT_MAX + 1);
            size_t length = dsn_format_i64(p, i);

            p[length] = '\n';
            t.used += length + 1;
        } else {
            snprintf(line, sizeof line, "%d\n", i);
            dsn_text_string(&t, line);
        }
    }
    ck_assert_int_eq(dsn_text_flush(&t), 1);
    dsn_text_free(&t);
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    while ((more = read(fd, got + n, 3000000 - n)) > 0)
        n += (size_t)more;
    close(fd);
    for (int i = 0, at = 0; i < 100000; i++) {
        int length = snprintf(line, sizeof line, "%d\n", i);

        ck_assert_mem_eq(got + at, line, (size_t)length);
        at += length;
        ck_assert_uint_le(at, n);
    }
    free(got);
}
END_TEST

/* A single piece that is larger than any buffer. */
START_TEST(long_output)
{
    static const size_t size = 3 << 20;
    struct dsn_text t;
    char *piece = malloc(size), *got = malloc(size + 1);
    int fd = open("out", O_RDWR | O_CREAT | O_TRUNC, 0600);

    for (size_t i = 0; i < size; i++)
        piece[i] = (char)(i * 7 + i / 4093);
    ck_assert_int_eq(dsn_text_init(&t, fd), 1);
    dsn_text_string(&t, "x");
    dsn_text_bytes(&t, piece, size);
    ck_assert_int_eq(dsn_text_flush(&t), 1);
    dsn_text_free(&t);
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    ck_assert_int_eq(read(fd, got, size + 1), (ssize_t)size + 1);
    ck_assert_mem_eq(got + 1, piece, size);
    close(fd);
    free(piece);
    free(got);
}
END_TEST

START_TEST(failed_output)
{
    struct dsn_text t;
    int fd = open("/dev/full", O_WRONLY);

    if (fd < 0)
        return; /* no such device here */
    ck_assert_int_eq(dsn_text_init(&t, fd), 1);
    dsn_text_string(&t, "x");
    ck_assert_int_eq(dsn_text_flush(&t), 0);
    ck_assert_int_ne(t.error, 0);
    dsn_text_string(&t, "y");
    ck_assert_int_eq(dsn_text_flush(&t), 0);
    dsn_text_free(&t);
    close(fd);
}
END_TEST

START_TEST(untrusted)
{
    static const char nasty[] = "a\033[31m\t\x7f\xc2\x9b\xff\xe2\x80\xae\xc3\xa9\xed\xa0\x80z";
    struct dsn_text t;

    ck_assert_int_eq(dsn_text_init(&t, -1), 1);
    ck_assert_int_eq(t.safe, 0);
    dsn_text_untrusted(&t, nasty, sizeof nasty - 1);
    ck_assert_uint_eq(t.used, sizeof nasty - 1);
    ck_assert_mem_eq(t.buffer, nasty, sizeof nasty - 1);
    t.used = 0;
    t.safe = 1;
    dsn_text_untrusted(&t, nasty, sizeof nasty - 1);
    ck_assert_uint_gt(t.used, 10);
    ck_assert_ptr_null(memchr(t.buffer, '\033', t.used));
    ck_assert_ptr_null(memchr(t.buffer, '\t', t.used));
    ck_assert_ptr_null(memchr(t.buffer, 0x9b, t.used));
    ck_assert_mem_eq(t.buffer, "a?[31m??", 8);
    ck_assert_ptr_nonnull(memchr(t.buffer, 0xc3, t.used)); /* a letter with an accent stays */
    dsn_text_free(&t);
}
END_TEST

START_TEST(fit)
{
    char to[64];

    ck_assert_uint_eq(dsn_text_fit(to, sizeof to, 20, 5, "short"), 5);
    ck_assert_str_eq(to, "short");
    ck_assert_uint_eq(dsn_text_fit(to, sizeof to, 10, 3, "abcdefghijkl"), 10);
    ck_assert_str_eq(to, "abc...ijkl");
    ck_assert_uint_eq(dsn_text_fit(to, sizeof to, 10, 7, "abcdefghijkl"), 10);
    ck_assert_str_eq(to, "abcdefg...");
    ck_assert_uint_eq(dsn_text_fit(to, sizeof to, 12, 3, "abcdefghijkl"), 12);
    ck_assert_str_eq(to, "abcdefghijkl");
    ck_assert_uint_eq(
        dsn_text_fit(to, sizeof to, 9, 2, "\xc3\xa9\xc3\xa8\xc3\xa9\xc3\xa8\xc3\xa9\xc3\xa8\xc3\xa9\xc3\xa8\xc3\xa9z"),
        9);
    ck_assert_str_eq(to, "\xc3\xa9\xc3\xa8...\xc3\xa9\xc3\xa8\xc3\xa9z");
    ck_assert_uint_eq(dsn_text_fit(to, sizeof to, 20, 5, "a\nb\033\xff"), 5);
    ck_assert_str_eq(to, "a?b??");
    dsn_text_fit(to, 8, 40, 20, "abcdefghijklmnopqrstuvwxyz");
    ck_assert_uint_lt(strlen(to), 8);
    ck_assert_uint_eq(dsn_text_fit(to, sizeof to, 20, 5, ""), 0);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "integers", integers, 0 },
        { "special doubles", special_doubles, 0 },
        { "random doubles", random_doubles, 0 },
        { "columns", columns, 0 },
        { "big output", big_output, 0 },
        { "long output", long_output, 0 },
        { "failed output", failed_output, 0 },
        { "untrusted", untrusted, 0 },
        { "fit", fit, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("text", tests);
}
