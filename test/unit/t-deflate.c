/* t-deflate.c - zlib decompresses whatever was compressed
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "log/deflate.h"
#include "unit.h"

#define MOST 300000

static unsigned char input[MOST], stream[2 * MOST], pieces[2 * MOST], back[MOST + 1];
static struct dsn_deflate work;
static uint64_t state = 88172645463325252;

static uint64_t next_random(void)
{
    state ^= state << 13; /* Source: George Marsaglia, "Xorshift RNGs" (2003) */
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* What comes in pieces of up to `most` bytes. */
static size_t compress_pieces(size_t size, size_t most, unsigned char *out)
{
    ck_assert(dsn__deflate_begin(&work, size, out));
    for (size_t at = 0, n; at < size; at += n) {
        n = 1 + (most > 1 ? next_random() % most : 0);
        n = n < size - at ? n : size - at;
        ck_assert(dsn__deflate_more(&work, input + at, n));
    }
    return dsn__deflate_end(&work);
}

static size_t compress_whole(size_t size)
{
    ck_assert(dsn__deflate_begin(&work, size, stream));
    ck_assert(dsn__deflate_more(&work, input, size));
    return dsn__deflate_end(&work);
}

static void expect_same(size_t size)
{
    const size_t packed = compress_whole(size);
    uLongf n = sizeof back;

    ck_assert_uint_eq(compress_pieces(size, size < 3000 ? 1 + size % 7 : 5000, pieces), packed);
    ck_assert_int_eq(memcmp(pieces, stream, packed), 0);

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
    state += (uint64_t)_i;
    for (int turn = 0; turn < 100; turn++) {
        expect_same(make_mixture());
    }
}
END_TEST

/* Nothing, one byte, all sizes around the ends of matches, of blocks and of windows; what cannot be compressed. */
START_TEST(edges)
{
    memset(input, 'a', sizeof input);
    for (size_t size = 0; size < 1100; size++)
        expect_same(size);
    for (size_t size = 65530; size < 65545; size++)
        expect_same(size);
    for (size_t window = 512; window <= 32768; window *= 2)
        for (size_t size = window - 2; size < window + 3; size++)
            expect_same(size);
    expect_same(MOST);
    for (size_t i = 0; i < MOST; i++)
        input[i] = (unsigned char)next_random();
    for (size_t size = 0; size < 600; size++)
        expect_same(size);
    for (size_t size = 8185; size < 8200; size++)
        expect_same(size);
    expect_same(65535);
    expect_same(65536);
    expect_same(MOST);
}
END_TEST

/* Records as they are in logs: an id, some equal counters, times that grow. Not much larger than zlib makes them
 * by itself. */
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
    expect_same(n * each);
    ck_assert_int_eq(compress2(back, &by_zlib, input, n * each, Z_DEFAULT_COMPRESSION), Z_OK);
    ck_assert_uint_le(compress_whole(n * each), by_zlib + by_zlib / 16);
}
END_TEST

/* Ids and names of one directory's files: likewise. */
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
    expect_same(size);
    ck_assert_int_eq(compress2(back, &by_zlib, input, size, Z_DEFAULT_COMPRESSION), Z_OK);
    ck_assert_uint_le(compress_whole(size), by_zlib + by_zlib / 16);
}
END_TEST

/* A zlib that wants more memory than there is is told so, and nothing else is touched. */
START_TEST(memory)
{
    work.used = 12345; /* whatever stood there */
    expect_same(MOST);
    ck_assert_uint_gt(work.used, 200000);
    ck_assert_uint_le(work.used, sizeof work.memory / 2); /* one that wants twice as much has it */
    expect_same(400);
    ck_assert_uint_lt(work.used, 60000); /* little input: little memory */
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "mixtures", mixtures, 10 }, { "edges", edges, 0 },   { "records", records, 0 },
        { "names", names, 0 },        { "memory", memory, 0 }, { NULL, NULL, 0 },
    };

    return unit_run("deflate", tests);
}
