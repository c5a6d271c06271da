/* t-inflate.c - the decompressor against zlib: streams of every kind, cut off, damaged
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <sys/mman.h>
#include <unistd.h>

#include "against-zlib.h"
#include "darshan-log-format/err.h"
#include "unit.h"
#include "util/lib/zio.h"

#define ROOM   ((size_t)3 << 20)
#define LENGTH ((size_t)600000) /* over many windows, and so many blocks */
#define SHORT  ((size_t)100000) /* over several, of what is decompressed dozens of times */

static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13; /* Source: George Marsaglia, "Xorshift RNGs" (2003) */
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t below(size_t n)
{
    return (size_t)(next_random() % n);
}

/* Bytes of several sorts: alike, of few values, of skewed frequency (so that codes get long), copies from afar. */
static void make_bytes(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t run = below(5000) + 1, sort = below(6), back = i > 0 ? below(i < 40000 ? i : 40000) + 1 : 0;

        for (size_t k = 0; k < run && i < n; k++, i++) {
            const uint64_t r = next_random();

            if (sort == 0)
                p[i] = 7;
            else if (sort == 1)
                p[i] = (unsigned char)("abcd"[r % 4]);
            else if (sort == 2)
                p[i] = (unsigned char)r;
            else if (sort == 3)
                p[i] = (unsigned char)(__builtin_ctzll(r | 1ULL << 40) * 3);
            else
                p[i] = back > 0 ? p[i - back] : 0;
        }
    }
}

struct stream {
    unsigned char *p;
    size_t n;
};

static struct stream compress_by(const unsigned char *bytes, size_t n, int level, int strategy, int window)
{
    struct stream s = { NULL, n + n / 8 + 1000 };
    z_stream z;

    s.p = malloc(s.n);
    memset(&z, 0, sizeof z);
    ck_assert_int_eq(deflateInit2(&z, level, Z_DEFLATED, window, 1 + (int)below(9), strategy), Z_OK);
    z.next_in = (unsigned char *)(size_t)bytes;
    z.avail_in = (uInt)n;
    z.next_out = s.p;
    z.avail_out = (uInt)s.n;
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    s.n = z.total_out;
    deflateEnd(&z);
    return s;
}

static void expect_same(const struct stream *s, size_t n, size_t room)
{
    const char *what = difference(s->p, n, room, below(3) ? 0 : below(100000));

    ck_assert_msg(what == NULL, "the %s differs, seed %d", what ? what : "", (int)(n % 1000));
}

/* Level, strategy and window of each turn go round; every third stream has others behind it. */
static struct stream make_stream(int turn, size_t longest, unsigned char *bytes, size_t *length)
{
    static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED };
    struct stream s;

    state = 88172645463325252ULL + (uint64_t)turn * 1000003;
    *length = turn % 7 == 0 ? below(40) : turn % 7 == 1 ? longest : below(longest);
    make_bytes(bytes, *length);
    s = compress_by(bytes, *length, turn % 10, strategies[turn % 5], 9 + turn % 7);
    if (turn % 3 == 0) {
        s.p = realloc(s.p, s.n + 5000);
        make_bytes(s.p + s.n, 5000);
        s.n += 5000;
    }
    return s;
}

START_TEST(sound)
{
    unsigned char *bytes = malloc(LENGTH + 1);
    size_t length;
    struct stream s = make_stream(_i, LENGTH, bytes, &length);
    struct outcome o = by_us(s.p, s.n, ROOM, 0);

    ck_assert_int_eq(o.result, DSN_INFLATE_END);
    ck_assert_uint_eq(o.made, length);
    ck_assert(length == 0 || memcmp(o.bytes, bytes, length) == 0);
    ck_assert_uint_eq(o.taken, s.n - (_i % 3 == 0 ? 5000 : 0));
    expect_same(&s, s.n, ROOM);
    free(o.bytes);
    free(s.p);
    free(bytes);
}
END_TEST

START_TEST(cut_off)
{
    unsigned char *bytes = malloc(SHORT + 1);
    size_t length;
    struct stream s = make_stream(_i, SHORT, bytes, &length);

    for (int k = 0; k < 30; k++)
        expect_same(&s, k < 15 ? s.n - below(s.n < 30 ? s.n : 30) : below(s.n), ROOM);
    free(s.p);
    free(bytes);
}
END_TEST

/* A bit, a byte or several bytes are others; the beginning, where codes are described, more often than the rest. */
START_TEST(damaged)
{
    unsigned char *bytes = malloc(SHORT + 1);
    size_t length;
    struct stream s = make_stream(_i, SHORT, bytes, &length);

    for (int k = 0; k < 40; k++) {
        const size_t at = below(k % 2 && s.n > 200 ? 200 : s.n), n = s.n - at < 8 ? s.n - at : 8;
        unsigned char old[8];

        memcpy(old, s.p + at, n);
        if (k % 4 < 2)
            s.p[at] ^= (unsigned char)(1 << below(8));
        else if (k % 4 == 2)
            s.p[at] = (unsigned char)next_random();
        else
            make_bytes(s.p + at, n);
        expect_same(&s, s.n, ROOM);
        memcpy(s.p + at, old, n);
    }
    free(s.p);
    free(bytes);
}
END_TEST

/* Hardly anything of it is a stream, so that each gets a sound head. */
START_TEST(noise)
{
    unsigned char p[3000];

    state = 1 + (uint64_t)_i;
    for (int k = 0; k < 150; k++) {
        const struct stream s = { p, 2 + below(sizeof p - 2) };

        for (size_t i = 0; i < s.n; i++)
            p[i] = (unsigned char)next_random();
        if (k > 5)
            memcpy(p, "\x78\x9c", 2);
        if (k % 2)
            p[2] = (unsigned char)((p[2] & ~7) | (k % 4 == 1 ? 5 : 4)); /* a last block, of codes of its own or not */
        expect_same(&s, s.n, 3 * sizeof p);
    }
}
END_TEST

/* What fuzzing found: a block without a code for the lengths of its codes, which zlib takes for zeros as long as there
 * are bits. */
START_TEST(found)
{
    static unsigned char no_order[] = { 0x78, 0x9c, 0xad, 0x40, 0,    0,    0,    0x70, 0x78, 0x9c, 0xad, 0x70,
                                        0x35, 0x67, 0x29, 0xe3, 0x28, 0x88, 0x36, 0x67, 0x29, 0xe3, 0x28, 0x88 };
    const struct stream s = { no_order, sizeof no_order };

    expect_same(&s, s.n, ROOM);
}
END_TEST

START_TEST(dictionary)
{
    static const unsigned char head[] = { 0x78, 0xbb, 0, 0, 0, 1, 3, 0 };
    struct outcome o = by_us(head, sizeof head, ROOM, 0);

    ck_assert_int_eq(o.result, DSN_INFLATE_BAD);
    free(o.bytes);
}
END_TEST

/* A region of many short streams, which end at every place of the pieces that it is read in; and one that is cut off
 * within a stream. They are of forty sorts, for to compress takes longer than what is tested. */
START_TEST(region)
{
    struct dsn__file file = { .fd = memfd_create("region", 0), .compression = DSN_ZLIB };
    unsigned char *bytes = malloc(ROOM), *read = malloc(ROOM), some[40][400];
    size_t made = 0, there = 0, n = 0, length[40];
    struct dsn__zio *z;
    struct stream s[40];

    state = 77 + (uint64_t)_i;
    for (size_t k = 0; k < 40; k++) {
        length[k] = below(sizeof some[k]);
        make_bytes(some[k], length[k]);
        s[k] = compress_by(some[k], length[k], (int)below(10), (int)below(5), 15);
    }
    while (made + sizeof some[0] < ROOM && file.size < 300000) {
        const size_t k = below(40);

        n = length[k];
        ck_assert_int_eq(write(file.fd, s[k].p, s[k].n), (ssize_t)s[k].n);
        memcpy(bytes + made, some[k], n);
        file.size += s[k].n;
        made += n;
    }
    if (_i % 2) { /* without the checksum of the last one, and a little more */
        file.size -= 5;
        made -= n;
    }
    ck_assert_int_eq(dsn__zio_begin(&file, (struct dsn_map){ 0, file.size }, &z), DSN_ERR_OK);
    do {
        const size_t room = ROOM - there < 1000 ? ROOM - there : 1 + below(1000);

        n = dsn__zio_read(z, read + there, room);
        there += n;
    } while (n > 0);
    ck_assert_int_eq(dsn__zio_error(z), _i % 2 ? DSN_ERR_INFLATE : DSN_ERR_OK);
    ck_assert(_i % 2 ? there >= made : there == made);
    ck_assert_mem_eq(read, bytes, made);
    dsn__zio_end(z);
    close(file.fd);
    for (size_t k = 0; k < 40; k++)
        free(s[k].p);
    free(bytes);
    free(read);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "sound", sound, 70 },   { "cut_off", cut_off, 70 }, { "damaged", damaged, 70 },      { "noise", noise, 100 },
        { "region", region, 40 }, { "found", found, 0 },      { "dictionary", dictionary, 0 }, { NULL, NULL, 0 },
    };

    return unit_run("inflate", tests);
}
