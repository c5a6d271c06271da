/* t-sparse.c - zeros left out of words, and back
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <stdint.h>
#include <string.h>

#include "out/sparse.h"
#include "unit.h"

/* Three words, of which the second is not zero: 2 says so. Of 65 the last one has a word of its own before it. */
START_TEST(known)
{
    const uint64_t three[3] = { 0, 5, 0 };
    uint64_t many[65] = { 0 }, out[67] = { 0 };

    ck_assert_uint_eq(dsn__sparse_bound(sizeof three), 4 * 8);
    ck_assert_uint_eq(dsn__sparse(three, sizeof three, out), 2 * 8);
    ck_assert_uint_eq(out[0], 2);
    ck_assert_uint_eq(out[1], 5);
    many[63] = 7;
    many[64] = 8;
    ck_assert_uint_eq(dsn__sparse_bound(sizeof many), 67 * 8);
    ck_assert_uint_eq(dsn__sparse(many, sizeof many, out), 4 * 8);
    ck_assert_uint_eq(out[0], UINT64_C(1) << 63);
    ck_assert_uint_eq(out[1], 7);
    ck_assert_uint_eq(out[2], 1);
    ck_assert_uint_eq(out[3], 8);
    ck_assert_uint_eq(dsn__sparse(many, 0, out), 0);
}
END_TEST

/* Every length up to some groups; words that are not zero stand where a shift register says. */
START_TEST(back)
{
    uint64_t words[200], packed[204], again[200];
    uint32_t bits = 1;

    for (size_t n = 0; n <= 200; n++) {
        size_t size;

        for (size_t i = 0; i < n; i++) {
            bits = bits >> 1 ^ (bits & 1 ? 0x80200003 : 0);
            words[i] = bits % 7 < (uint32_t)_i ? bits * UINT64_C(0x9e3779b97f4a7c15) : 0;
        }
        size = dsn__sparse(words, n * 8, packed);
        ck_assert_uint_le(size, dsn__sparse_bound(n * 8));
        memset(again, 1, sizeof again);
        ck_assert_int_eq(dsn__sparse_back(packed, size, again, n * 8), 1);
        ck_assert_int_eq(memcmp(words, again, n * 8), 0);
    }
}
END_TEST

/* Too short, too long, cut within a word, a word behind the last. */
START_TEST(refused)
{
    const uint64_t packed[4] = { 3, 5, 6, 0 }, beyond[2] = { 4, 5 };
    uint64_t out[2];

    ck_assert_int_eq(dsn__sparse_back(packed, 24, out, 16), 1);
    ck_assert_uint_eq(out[1], 6);
    ck_assert_int_eq(dsn__sparse_back(packed, 16, out, 16), 0);
    ck_assert_int_eq(dsn__sparse_back(packed, 20, out, 16), 0);
    ck_assert_int_eq(dsn__sparse_back(packed, 32, out, 16), 0);
    ck_assert_int_eq(dsn__sparse_back(packed, 4, out, 16), 0);
    ck_assert_int_eq(dsn__sparse_back(packed, 0, out, 16), 0);
    ck_assert_int_eq(dsn__sparse_back(beyond, 16, out, 16), 0);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "known", known, 0 },
        { "back", back, 8 },
        { "refused", refused, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("sparse", tests);
}
