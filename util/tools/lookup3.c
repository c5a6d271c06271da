/* lookup3.c - Bob Jenkins' lookup3
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lookup3.h"

struct state {
    uint32_t a, b, c;
};

static uint32_t turn(uint32_t v, int by)
{
    return v << by | v >> (32 - by);
}

/* One of the six steps of a round: mixes x with z, then adds y to z. */
static void step(uint32_t *x, const uint32_t *y, uint32_t *z, int by)
{
    *x -= *z;
    *x ^= turn(*z, by);
    *z += *y;
}

static void mix(struct state *s)
{
    step(&s->a, &s->b, &s->c, 4);
    step(&s->b, &s->c, &s->a, 6);
    step(&s->c, &s->a, &s->b, 8);
    step(&s->a, &s->b, &s->c, 16);
    step(&s->b, &s->c, &s->a, 19);
    step(&s->c, &s->a, &s->b, 4);
}

static void last_step(uint32_t *x, uint32_t y, int by)
{
    *x ^= y;
    *x -= turn(y, by);
}

static void last(struct state *s)
{
    last_step(&s->c, s->b, 14);
    last_step(&s->a, s->c, 11);
    last_step(&s->b, s->a, 25);
    last_step(&s->c, s->b, 16);
    last_step(&s->a, s->c, 4);
    last_step(&s->b, s->a, 14);
    last_step(&s->c, s->b, 24);
}

/* Little-endian number of up to 4 of the n bytes, starting at p + at. */
static uint32_t le(const unsigned char *p, size_t at, size_t n)
{
    uint32_t v = 0;

    for (size_t i = 0; i < 4 && at + i < n; i++)
        v |= (uint32_t)p[at + i] << (8 * i);
    return v;
}

uint32_t dsn_lookup3(const void *bytes, size_t n, uint32_t key)
{
    const unsigned char *p = bytes;
    const uint32_t start = 0xdeadbeef + (uint32_t)n + key;
    struct state s = { start, start, start };

    for (; n > 12; n -= 12, p += 12) {
        s.a += le(p, 0, n);
        s.b += le(p, 4, n);
        s.c += le(p, 8, n);
        mix(&s);
    }
    if (n == 0)
        return s.c;
    s.a += le(p, 0, n);
    s.b += le(p, 4, n);
    s.c += le(p, 8, n);
    last(&s);
    return s.c;
}
