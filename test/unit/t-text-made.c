/* t-text-made.c - formatting and parsing without printf give the results of printf and strtoll; small blocks of memory
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "base/text.h"
#include "unit.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* Into every room from 0 to more than enough: the same bytes, the same length. */
#define SAME(...)                                                                                                      \
    for (size_t room = 0; room <= 64; room++) {                                                                        \
        char want[80], got[80];                                                                                        \
        memset(want, 'w', sizeof want);                                                                                \
        memset(got, 'w', sizeof got);                                                                                  \
        ck_assert_int_eq(dsn__format(got, room, __VA_ARGS__), snprintf(want, room, __VA_ARGS__));                      \
        if (room > 0)                                                                                                  \
            ck_assert_str_eq(got, want);                                                                               \
        ck_assert_int_eq(got[room], 'w');                                                                              \
    }

START_TEST(format)
{
    SAME("plain");
    SAME("%s", "");
    SAME("%s/%s_%s", "a", "", "long enough to be cut somewhere in it");
    SAME("%.5s|%.0s|%.200s", "longer than that", "gone", "short");
    SAME("%.*s|%.*s", 3, "abcdef", 0, "x");
    SAME("%d %d %d", 0, -1, INT_MAX);
    SAME("%ld %lld", LONG_MIN, LLONG_MIN);
    SAME("%u %llu", UINT_MAX, ULLONG_MAX);
    SAME("k%016llx-%lld.%s", 0x1234abcdULL, 17LL, "survival");
    SAME("%llx", ULLONG_MAX);
    SAME("%lld.%09lld", 12LL, 345LL);
    SAME("%09lld", -345LL);
}
END_TEST

static const char *const numbers[] = { "0",
                                       "17",
                                       "-17",
                                       "+17",
                                       " \t\n42 rest",
                                       "9223372036854775807",
                                       "9223372036854775808",
                                       "-9223372036854775808",
                                       "-9223372036854775809",
                                       "99999999999999999999999",
                                       "",
                                       "-",
                                       "- 1",
                                       "x1",
                                       "7x",
                                       "007" };

START_TEST(number)
{
    const char *text = numbers[_i], *end;
    char *want_end;
    int64_t got = 0;
    long long want;

    errno = 0;
    want = strtoll(text, &want_end, 10);
    end = dsn__number(text, &got);
    if (want_end == text || errno == ERANGE) {
        ck_assert_ptr_null(end);
        ck_assert_int_eq(dsn__number_in(text), 0);
        return;
    }
    ck_assert_ptr_eq(end, want_end);
    ck_assert_int_eq(got, want);
    ck_assert_int_eq(dsn__number_in(text), want);
}
END_TEST

START_TEST(hex)
{
    uint64_t n;
    const char *text = "00ff1234abcdef90:rest";

    ck_assert_ptr_eq(dsn__hex_number(text, &n), text + 16);
    ck_assert_uint_eq(n, 0x00ff1234abcdef90);
    ck_assert_ptr_null(dsn__hex_number("", &n));
    ck_assert_ptr_null(dsn__hex_number("g", &n));
    ck_assert_ptr_null(dsn__hex_number("-1", &n));
    ck_assert_ptr_null(dsn__hex_number("10000000000000000", &n));
    ck_assert_ptr_nonnull(dsn__hex_number("ffffffffffffffff", &n));
    ck_assert_uint_eq(n, UINT64_MAX);
}
END_TEST

static int is_all(const unsigned char *at, size_t size, unsigned char mark)
{
    for (size_t i = 0; i < size; i++)
        if (at[i] != mark)
            return 0;
    return 1;
}

/* Blocks of all sizes, taken, grown and given back in an order that a known generator gives: each is zeroed when it comes
 * and is nobody else's. */
START_TEST(blocks)
{
    static struct {
        unsigned char *at;
        size_t size;
        unsigned char mark;
    } block[40];
    uint32_t random = 12345;

    for (int turn = 0; turn < 20000; turn++) {
        const int i = (int)((random = random * 1664525 + 1013904223) >> 16) % N(block);
        const size_t size = 1 + (random >> 8) % (random % 7 == 0 ? 20000 : 500);

        ck_assert(is_all(block[i].at, block[i].size, block[i].mark));
        if (!block[i].at) {
            block[i].at = dsn__pages(size);
            ck_assert(is_all(block[i].at, size, 0));
        } else if (random % 3 == 0 && size > block[i].size) {
            block[i].at = dsn__pages_grow(block[i].at, size);
            ck_assert(is_all(block[i].at, block[i].size, block[i].mark));
        } else {
            dsn__pages_free(block[i].at);
            block[i].at = NULL;
            block[i].size = 0;
            continue;
        }
        ck_assert_uint_eq((uintptr_t)block[i].at % 16, 0);
        block[i].size = size;
        block[i].mark = (unsigned char)(turn % 255 + 1);
        memset(block[i].at, block[i].mark, size);
    }
    for (int i = 0; i < N(block); i++)
        dsn__pages_free(block[i].at);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "format", format, 0 }, { "number", number, N(numbers) }, { "hex", hex, 0 }, { "blocks", blocks, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("text-made", tests);
}
