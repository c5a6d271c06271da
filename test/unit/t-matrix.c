/* t-matrix.c - amounts over time: sums, neighbours, and what a page has of them
 * SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "util/report/matrix.h"

/* Adds as many as are asked for, bin by bin: what a span should come to, the slow way. */
static void add_slowly(double *bins, size_t n, double width, double start, double end, double amount)
{
    for (size_t i = 0; i < n; i++) {
        const double low = (double)i * width > start ? (double)i * width : start;
        const double high = (double)(i + 1) * width < end ? (double)(i + 1) * width : end;

        if (high > low)
            bins[i] += amount * (high - low) / (end - start);
    }
}

START_TEST(spans)
{
    double expected[2][50] = { { 0 } };
    struct dsn_spans s;
    struct dsn_matrix m;

    ck_assert(dsn_spans_init(&s, 2, 50, 0, 0.25));
    srand(1);
    for (int i = 0; i < 1000; i++) {
        const double start = rand() % 1000 / 80.0 * 0.9, length = rand() % 5000 / 5000.0 * (12.5 - start);
        const int row = i % 2;

        if (i % 50 > 40 || length < 1e-6)
            continue;
        dsn_spans_add(&s, (size_t)row, start, start + length, i);
        add_slowly(expected[row], 50, 0.25, start, start + length, i);
    }
    dsn_spans_take(&s, &m);
    for (size_t i = 0; i < 100; i++)
        ck_assert_double_eq_tol(m.cell[i], expected[i / 50][i % 50], 1e-6);
    dsn_matrix_free(&m);
}
END_TEST

/* What rounding leaves behind a span must not show as data; moments and what lies outside must not get lost. */
START_TEST(edges)
{
    struct dsn_spans s;
    struct dsn_matrix m;

    ck_assert(dsn_spans_init(&s, 8, 100, 10, 1));
    for (int i = 0; i < 8000; i++)
        dsn_spans_add(&s, (size_t)i % 8, 10 + i % 37 + i * 0.0001, 50 + i * 0.00001, 1e9 / (i + 1));
    dsn_spans_add(&s, 0, 70.5, 70.5, 3);
    dsn_spans_add(&s, 0, 75.5, 60, 4);
    dsn_spans_add(&s, 0, 0, 5, 7);
    dsn_spans_add(&s, 0, 500, 600, 8);
    dsn_spans_take(&s, &m);
    for (size_t row = 0; row < 8; row++)
        for (size_t i = 41; i < 100; i++)
            ck_assert_double_eq(m.cell[row * 100 + i], row > 0 ? 0 : i == 60 ? 3 : i == 65 ? 4 : i == 99 ? 8 : 0);
    ck_assert_double_gt(m.cell[0], 7);
    dsn_matrix_free(&m);
}
END_TEST

START_TEST(neighbours)
{
    struct dsn_matrix m;

    ck_assert(dsn_matrix_init(&m, 3, 5));
    for (size_t i = 0; i < 15; i++)
        m.cell[i] = (double)i;
    dsn_matrix_halve_bins(&m);
    ck_assert_uint_eq(m.bins, 3);
    ck_assert_double_eq(m.cell[0], 1);
    ck_assert_double_eq(m.cell[2], 4);
    ck_assert_double_eq(m.cell[3 + 1], 7 + 8);
    ck_assert_double_eq(m.cell[8], 14);
    dsn_matrix_halve_rows(&m);
    ck_assert_uint_eq(m.rows, 2);
    ck_assert_double_eq(m.cell[0], 1 + 11);
    ck_assert_double_eq(m.cell[3], 10 + 11);
    ck_assert_double_eq(dsn_matrix_sum(&m), 105);
    ck_assert_uint_eq(dsn_matrix_filled(&m), 6);
    dsn_matrix_free(&m);
}
END_TEST

static void expect_text(const struct dsn_matrix *m, const char *expected)
{
    char text[200] = "";
    const int fd = open("matrix.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct dsn_text out;

    ck_assert_int_ge(fd, 0);
    ck_assert(dsn_text_init(&out, fd));
    dsn_matrix_write(&out, m);
    dsn_text_flush(&out);
    ck_assert_int_gt(pread(fd, text, sizeof text - 1, 0), 0);
    ck_assert_str_eq(text, expected);
    dsn_text_free(&out);
    close(fd);
}

/* 1 is code 1 + 14 * 1024 = 0x3801, 2 is 0x3c01, 1024 is 0x6001; base64 by hand: 0000 0200 0138 (two that are 0, then
 * 1) is "AAACAAE4", 013c 0160 is "ATwBYA==". The largest code is ffff, 0.001 is 4132 = 0x1024. */
START_TEST(codes)
{
    struct dsn_matrix m;

    ck_assert(dsn_matrix_init(&m, 2, 4));
    expect_text(&m, "\"\"");
    m.cell[2] = 1;
    expect_text(&m, "\"AAACAAE4\"");
    m.cell[2] = 0;
    m.cell[0] = 2;
    m.cell[1] = 1024;
    expect_text(&m, "\"ATwBYA==\"");
    m.cell[0] = 1e300;
    m.cell[1] = 0.001;
    expect_text(&m, "\"//8kEA==\"");
    dsn_matrix_free(&m);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "spans", spans, 0 }, { "edges", edges, 0 }, { "neighbours", neighbours, 0 },
        { "codes", codes, 0 }, { NULL, NULL, 0 },
    };

    return unit_run("matrix", tests);
}
