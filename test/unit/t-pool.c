/* t-pool.c - texts come out of the pool as they went in
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "util/lib/idmap.h"
#include "util/lib/pool.h"

#define N      5000
#define LONGER 700 /* than what two texts can share */

static uint64_t state = 88172645463325252;

static size_t below(size_t n)
{
    state ^= state << 13; /* Source: George Marsaglia, "Xorshift RNGs" (2003) */
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % n);
}

/* The text before, cut somewhere, and something else behind; now and then very long, or empty. */
static char *make_text(const char *before, size_t i)
{
    const size_t length = strlen(before), kept = below(length + 1), more = below(i % 50 ? 30 : LONGER);
    char *text = malloc(kept + more + 1);

    memcpy(text, before, kept);
    for (size_t k = 0; k < more; k++)
        text[kept + k] = (char)(1 + below(255));
    text[kept + more] = '\0';
    if (i % 37 == 0 || length > 3 * LONGER)
        text[0] = '\0';
    return text;
}

START_TEST(the_same)
{
    struct dsn__pool p = { 0 };
    char *text[N];

    for (size_t i = 0; i < N; i++) {
        text[i] = make_text(i > 0 ? text[i - 1] : "", i);
        ck_assert(dsn__pool_add(&p, text[i], strlen(text[i])));
        if (below(10) == 0) {
            const size_t k = below(i + 1);

            ck_assert_str_eq(dsn__pool_get(&p, k), text[k]);
        }
    }
    ck_assert_uint_eq(p.n, N);
    for (size_t i = 0; i < N; i++)
        ck_assert_str_eq(dsn__pool_get(&p, i), text[i]);
    for (size_t i = N; i-- > 0;)
        ck_assert_str_eq(dsn__pool_get(&p, i), text[i]);
    for (size_t i = 0; i < 4 * N; i++) {
        const size_t k = below(N);

        ck_assert_str_eq(dsn__pool_get(&p, k), text[k]);
    }
    for (size_t i = 0; i < N; i++)
        free(text[i]);
    dsn__pool_free(&p);
}
END_TEST

static int make_name(char name[100], size_t i)
{
    return snprintf(name, 100, "/scratch/project/run%03zu/out.%06zu.dat", i / 1000, i);
}

static void expect_name(struct dsn__pool *p, size_t i)
{
    char name[100];

    make_name(name, i);
    ck_assert_str_eq(dsn__pool_get(p, i), name);
}

START_TEST(small)
{
    struct dsn__pool p = { 0 };
    size_t bytes = 0;
    char name[100];

    for (size_t i = 0; i < 100000; i++) {
        const int n = make_name(name, i);

        ck_assert(dsn__pool_add(&p, name, (size_t)n));
        bytes += (size_t)n + 1;
        if (below(10) == 0) /* what is added next shares with the last one, not with the one looked at */
            expect_name(&p, below(i + 1));
    }
    ck_assert_uint_lt(p.used, bytes / 4);
    for (size_t i = 0; i < 100000; i++)
        expect_name(&p, i);
    dsn__pool_free(&p);
}
END_TEST

/* Numbers of keys, values of their own, another value. */
START_TEST(keys)
{
    struct dsn__idmap m;

    dsn__idmap_init(&m);
    ck_assert_uint_eq(dsn__idmap_get(&m, 7), DSN_IDMAP_NONE);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(dsn__idmap_add(&m, (uint64_t)i << 40, 3 * i), 3 * i);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(dsn__idmap_add(&m, (uint64_t)i << 40, 1), 3 * i);
    dsn__idmap_set(&m, (uint64_t)17 << 40, 5);
    ck_assert_uint_eq(m.used, N);
    for (uint32_t i = 0; i < N; i++) {
        ck_assert_uint_eq(m.keys[i], (uint64_t)i << 40);
        ck_assert_uint_eq(dsn__idmap_get(&m, m.keys[i]), i == 17 ? 5 : 3 * i);
    }
    ck_assert_uint_eq(dsn__idmap_get(&m, 7), DSN_IDMAP_NONE);
    dsn__idmap_free(&m);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "the same", the_same, 0 },
        { "small", small, 0 },
        { "keys", keys, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("pool", tests);
}
