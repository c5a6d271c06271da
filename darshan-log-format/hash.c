/* hash.c - Bob Jenkins' lookup8 over bytes
 * SPDX-License-Identifier: BSD-3-Clause */
#include "hash.h"

struct state {
    uint64_t a, b, c;
};

/* A round of three steps; the first and third shift right, the second left. */
static void round3(struct state *s, int r1, int l2, int r3)
{
    s->a = (s->a - s->b - s->c) ^ (s->c >> r1);
    s->b = (s->b - s->c - s->a) ^ (s->a << l2);
    s->c = (s->c - s->a - s->b) ^ (s->b >> r3);
}

static void mix(struct state *s)
{
    round3(s, 43, 9, 8);
    round3(s, 38, 23, 5);
    round3(s, 35, 49, 11);
    round3(s, 12, 18, 22);
}

/* Little-endian number of up to 8 bytes. */
static uint64_t le(const unsigned char *p, size_t n)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

uint64_t dsn_hash(const void *bytes, size_t n, uint64_t level)
{
    const unsigned char *p = bytes;
    struct state s = { level, level, 0x9e3779b97f4a7c13 };
    size_t left = n;

    for (; left >= 24; left -= 24, p += 24) {
        s.a += le(p, 8);
        s.b += le(p + 8, 8);
        s.c += le(p + 16, 8);
        mix(&s);
    }
    s.c += n;
    s.a += le(p, left < 8 ? left : 8);
    if (left > 8)
        s.b += le(p + 8, left < 16 ? left - 8 : 8);
    if (left > 16)
        s.c += le(p + 16, left - 16) << 8; /* the lowest byte of c holds the length */
    mix(&s);
    return s.c;
}
