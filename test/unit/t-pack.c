/* t-pack.c - packed segments are what they were
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "util/lib/pack.h"

#define N 20000

static uint64_t state = 88172645463325252;

static uint64_t next_random(void)
{
    state ^= state << 13; /* Source: George Marsaglia, "Xorshift RNGs" (2003) */
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Any bits, or a few of the lowest or the highest. */
static uint64_t any_word(void)
{
    const uint64_t r = next_random();

    return r % 3 == 0 ? next_random() : r % 3 == 1 ? next_random() >> r / 3 % 64 : next_random() << r / 3 % 64;
}

static void make_segments(struct dsn_dxt_segment *s, int regular)
{
    static const struct dsn_dxt_segment zero;

    for (int i = 0; i < N; i++) {
        const struct dsn_dxt_segment *last = i > 0 ? &s[i - 1] : &zero;
        uint64_t word[5];

        for (int k = 0; k < 5; k++)
            word[k] = any_word();
        memcpy(&s[i], word, sizeof word); /* times that are no numbers, too */
        if (!regular)
            continue;
        s[i].offset = (int64_t)((uint64_t)last->offset + (uint64_t)last->length);
        s[i].length = i % 100 ? last->length : 1 << i / 1000;
        s[i].start = i * 1e-3 + (double)(next_random() % 1000) * 1e-9;
        s[i].end = s[i].start + (double)(next_random() % 100000) * 1e-9;
        s[i].thread = i % 50 ? last->thread : 140125482809152 + (uint64_t)i;
    }
}

static void expect_same(struct dsn__pack *p, const struct dsn_dxt_segment *s)
{
    static struct dsn_dxt_segment got[N];

    memset(got, 0, sizeof got);
    dsn__pack_rewind(p);
    for (size_t i = 0, n; i < N; i += n) {
        n = next_random() % 300;
        n = n < N - i ? n : N - i;
        dsn__pack_take(p, got + i, n);
    }
    ck_assert_int_eq(memcmp(got, s, sizeof got), 0);
}

START_TEST(the_same)
{
    static struct dsn_dxt_segment s[N];
    struct dsn__pack p;

    ck_assert(dsn__pack_init(&p, N * 41 + 8));
    for (int turn = 0; turn < 20; turn++) {
        make_segments(s, turn % 2);
        dsn__pack_rewind(&p);
        for (size_t i = 0, n; i < N; i += n) {
            n = next_random() % 300;
            n = n < N - i ? n : N - i;
            ck_assert(dsn__pack_put(&p, s + i, n));
        }
        ck_assert_uint_ge(p.used, N * DSN_PACK_LEAST);
        if (turn % 2)
            ck_assert_uint_le(p.used, N * 14);
        expect_same(&p, s);
    }
    dsn__pack_free(&p);
}
END_TEST

START_TEST(no_room)
{
    static struct dsn_dxt_segment s[N];
    struct dsn__pack p;
    size_t n = 0;

    make_segments(s, 1);
    ck_assert(dsn__pack_init(&p, 1000));
    while (n < N && dsn__pack_put(&p, s + n, 1))
        n++;
    ck_assert_uint_ge(n, 1000 / 41);
    ck_assert_uint_le(n, 1000 / DSN_PACK_LEAST);
    ck_assert_uint_le(p.used, p.size);
    dsn__pack_free(&p);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "the same", the_same, 0 },
        { "no room", no_room, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("pack", tests);
}
