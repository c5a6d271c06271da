/* t-deflate.c - what is compressed is what zlib decompresses, whatever it is
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "log/deflate.h"
#include "unit.h"

#define MOST 300000

static unsigned char input[MOST], stream[2 * MOST], back[MOST + 1];
static struct dsn_deflate work;
static uint64_t state = 88172645463325252;

static uint64_t next_random(void)
{
    state ^= state << 13; /* Source: George Marsaglia, "Xorshift RNGs" (2003) */
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void expect_same(size_t size, size_t stride)
{
    const size_t packed = dsn__deflate(&work, input, size, stride, stream);
    uLongf n = sizeof back;

    ck_assert_uint_le(packed, dsn__deflate_bound(size));
    ck_assert_int_eq(uncompress(back, &n, stream, packed), Z_OK);
    ck_assert_uint_eq(n, size);
    ck_assert_int_eq(memcmp(back, input, size), 0);
}

/* One call of next_random a statement: else it is the compiler's choice what is tested.
 * Mixtures of what is random, what is repeated from near and far, and runs. */
static size_t make_mixture(void)
{
    const uint64_t large = next_random() % 4 == 0;
    const size_t size = next_random() % (large ? MOST : 3000);
    size_t n;

    for (size_t at = 0; at < size; at += n) {
        const uint64_t how = next_random() % 4, is_near = next_random() % 2, is_long = next_random() % 8 == 0;
        const size_t back_by = at > 0 ? 1 + next_random() % (is_near ? 800 : at) % at : 0;

        n = 1 + next_random() % (is_long ? 2000 : 20);
        n = n < size - at ? n : size - at;
        for (size_t i = 0; i < n; i++)
            input[at + i] = (unsigned char)(how == 0 ? next_random() : how == 1 ? 0 : input[at + i - back_by]);
    }
    return size;
}

START_TEST(mixtures)
{
    static const size_t strides[] = { 0, 1, 8, 56, 704, 5000, 100000 };

    state += (uint64_t)_i;
    for (int turn = 0; turn < 100; turn++) {
        const size_t size = make_mixture();

        expect_same(size, strides[next_random() % 7]);
    }
}
END_TEST

/* Nothing, one byte, all sizes around the ends of matches and of blocks; what cannot be compressed. */
START_TEST(edges)
{
    memset(input, 'a', sizeof input);
    for (size_t size = 0; size < 1100; size++)
        expect_same(size, size % 3);
    for (size_t size = 65530; size < 65545; size++)
        expect_same(size, 8);
    expect_same(MOST, 0);
    for (size_t i = 0; i < MOST; i++)
        input[i] = (unsigned char)next_random();
    for (size_t size = 0; size < 600; size++)
        expect_same(size, 8);
    for (size_t size = 8185; size < 8200; size++)
        expect_same(size, 8);
    expect_same(65535, 0);
    expect_same(65536, 704);
    expect_same(MOST, 704);
}
END_TEST

/* Records as they are in logs: an id, some equal counters, times that grow. Smaller than zlib makes them. */
START_TEST(records)
{
    const size_t each = 704, n = 400;
    uLongf by_zlib = sizeof back;
    double time = 0.1;

    memset(input, 0, sizeof input);
    for (size_t i = 0; i < n; i++) {
        uint64_t id = next_random(), one = 1;

        memcpy(input + i * each, &id, sizeof id);
        memcpy(input + i * each + 16, &one, sizeof one);
        memcpy(input + i * each + 320, &one, sizeof one);
        for (size_t k = 0; k < 6; k++) {
            const double rounded = (double)(int64_t)(time * (1 << 23)) / (1 << 23);

            time += 1e-6 * (double)(next_random() % 64);
            memcpy(input + i * each + 568 + 8 * k, &rounded, sizeof rounded);
        }
    }
    expect_same(n * each, each);
    ck_assert_int_eq(compress2(back, &by_zlib, input, n * each, Z_DEFAULT_COMPRESSION), Z_OK);
    ck_assert_uint_le(dsn__deflate(&work, input, n * each, each, stream), by_zlib);
}
END_TEST

/* Ids and names of one directory's files: smaller than zlib makes them with all its might. */
START_TEST(names)
{
    uLongf by_zlib = sizeof back;
    size_t size = 0;

    for (int i = 0; i < 2000; i++) {
        const uint64_t id = next_random();

        memcpy(input + size, &id, sizeof id);
        size += sizeof id;
        size += (size_t)sprintf((char *)input + size, "/scratch/project/run/out.%d.dat", i) + 1;
    }
    expect_same(size, 0);
    ck_assert_int_eq(compress2(back, &by_zlib, input, size, Z_BEST_COMPRESSION), Z_OK);
    ck_assert_uint_le(dsn__deflate(&work, input, size, 0, stream), by_zlib);
}
END_TEST

static size_t add_unit(size_t at, size_t distance, size_t length)
{
    input[at++] = (unsigned char)next_random();
    for (size_t i = 0; i < length; i++, at++)
        input[at] = input[at - distance];
    return at;
}

/* A block in which all bytes are as frequent, and some lengths of matches about as frequent as all that are rarer: Huffman's code
 * is deeper than the format allows. Matches from far away take so much that the fixed codes are tried, too. */
START_TEST(deep_codes)
{
    static const size_t rare[] = { 13, 17, 23, 31, 43, 59, 83, 115 };
    static uint8_t length[16000];
    const size_t distance = 30000;
    size_t size = 0;

    state += (uint64_t)_i;
    for (size_t i = 0; i < sizeof length; i++) {
        const uint64_t more = next_random() % 3;

        length[i] = (uint8_t)(5 + 2 * more);
    }
    for (uint64_t kind = 0, most = 1, before = 1; kind < 8; kind++) {
        const uint64_t n = most + next_random() % (most / 2 + 1);

        for (uint64_t i = 0; i < n; i++)
            length[3000 + next_random() % 10000] = (uint8_t)rare[kind];
        most += before;
        before = most - before;
    }
    while (size < distance)
        input[size++] = (unsigned char)next_random();
    for (size_t i = 0; i < sizeof length; i++)
        size = add_unit(size, distance, length[i]);
    ck_assert_uint_le(size, MOST);
    expect_same(size, distance);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "mixtures", mixtures, 10 },      { "edges", edges, 0 }, { "records", records, 0 }, { "names", names, 0 },
        { "deep codes", deep_codes, 100 }, { NULL, NULL, 0 },
    };

    return unit_run("deflate", tests);
}
