/* t-simulate.c - caches against brute force, curves of misses
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/simulate/curve.h"
#include "util/simulate/policy.h"

#define REFS   8
#define BLOCKS 4
#define TRACES 65536 /* BLOCKS to the power of REFS */
#define LONG   3000  /* uses of a random trace */
#define MANY   40    /* its blocks */

enum { LRU, CLOCK, ARC, S3FIFO, OPT, NPOLICIES };

/* ------------------------------------------------------------------ plain models */

/* A queue in an array: the oldest first. */
struct plain {
    int n, b[2 * MANY];
};

static int where(const struct plain *p, int block)
{
    for (int i = 0; i < p->n; i++)
        if (p->b[i] == block)
            return i;
    return -1;
}

static int cut(struct plain *p, int i)
{
    const int block = p->b[i];

    memmove(p->b + i, p->b + i + 1, (size_t)(--p->n - i) * sizeof p->b[0]);
    return block;
}

static void append(struct plain *p, int block)
{
    p->b[p->n++] = block;
}

static int plain_lru(const int *refs, int n, int size)
{
    struct plain q = { 0 };
    int misses = 0;

    for (int i = 0; i < n; i++) {
        const int at = where(&q, refs[i]);

        if (at >= 0)
            cut(&q, at);
        else if (++misses, q.n == size)
            cut(&q, 0);
        append(&q, refs[i]);
    }
    return misses;
}

/* A circle of places with a hand. */
static int plain_clock(const int *refs, int n, int size)
{
    int block[MANY], used[MANY], hand = 0, have = 0, misses = 0;

    for (int i = 0; i < n; i++) {
        int k = 0;

        while (k < have && block[k] != refs[i])
            k++;
        if (k < have) {
            used[k] = 1;
            continue;
        }
        misses++;
        if (have < size) {
            k = have++;
        } else {
            while (used[hand]) {
                used[hand] = 0;
                hand = (hand + 1) % size;
            }
            k = hand;
            hand = (hand + 1) % size;
        }
        block[k] = refs[i];
        used[k] = 1;
    }
    return misses;
}

/* The fewest misses of any choice: over all sets of blocks that a cache may hold. */
static int plain_opt(const int *refs, int n, int size)
{
    int best[1 << BLOCKS], least = n;

    for (int s = 0; s < 1 << BLOCKS; s++)
        best[s] = s == 0 ? 0 : n + 1;
    for (int i = 0; i < n; i++) {
        int then[1 << BLOCKS];

        for (int s = 0; s < 1 << BLOCKS; s++)
            then[s] = n + 1;
        for (int s = 0; s < 1 << BLOCKS; s++) {
            const int bit = 1 << refs[i], with = s | bit;

            if (best[s] > n)
                continue;
            if (s & bit) {
                then[s] = best[s] < then[s] ? best[s] : then[s];
                continue;
            }
            if (__builtin_popcount((unsigned)with) <= size && best[s] + 1 < then[with])
                then[with] = best[s] + 1;
            for (int out = 0; out < BLOCKS; out++) /* any other one may go, even if there is room */
                if (s >> out & 1 && __builtin_popcount((unsigned)with) - 1 <= size &&
                    best[s] + 1 < then[with & ~(1 << out)])
                    then[with & ~(1 << out)] = best[s] + 1;
        }
        memcpy(best, then, sizeof best);
    }
    for (int s = 0; s < 1 << BLOCKS; s++)
        least = best[s] < least ? best[s] : least;
    return least;
}

static void arc_replace(struct plain *t1, struct plain *t2, struct plain *b1, struct plain *b2, double p, int in_b2)
{
    if (t1->n >= 1 && ((in_b2 && t1->n == p) || t1->n > p))
        append(b1, cut(t1, 0));
    else
        append(b2, cut(t2, 0));
}

static int plain_arc(const int *refs, int n, int size)
{
    struct plain t1 = { 0 }, t2 = { 0 }, b1 = { 0 }, b2 = { 0 };
    double p = 0;
    int misses = 0, at;

    for (int i = 0; i < n; i++) {
        const int x = refs[i];

        if ((at = where(&t1, x)) >= 0) {
            append(&t2, cut(&t1, at));
            continue;
        }
        if ((at = where(&t2, x)) >= 0) {
            append(&t2, cut(&t2, at));
            continue;
        }
        misses++;
        if (where(&b1, x) >= 0) {
            p += b1.n >= b2.n ? 1 : (double)b2.n / b1.n;
            p = p < size ? p : size;
            arc_replace(&t1, &t2, &b1, &b2, p, 0);
            append(&t2, cut(&b1, where(&b1, x)));
            continue;
        }
        if (where(&b2, x) >= 0) {
            p -= b2.n >= b1.n ? 1 : (double)b1.n / b2.n;
            p = p > 0 ? p : 0;
            arc_replace(&t1, &t2, &b1, &b2, p, 1);
            append(&t2, cut(&b2, where(&b2, x)));
            continue;
        }
        if (t1.n + b1.n == size) {
            if (t1.n < size) {
                cut(&b1, 0);
                arc_replace(&t1, &t2, &b1, &b2, p, 0);
            } else {
                cut(&t1, 0);
            }
        } else if (t1.n + t2.n + b1.n + b2.n >= size) {
            if (t1.n + t2.n + b1.n + b2.n == 2 * size)
                cut(&b2, 0);
            arc_replace(&t1, &t2, &b1, &b2, p, 0);
        }
        append(&t1, x);
    }
    return misses;
}

static int plain_s3fifo(const int *refs, int n, int size)
{
    struct plain s = { 0 }, m = { 0 }, g = { 0 };
    const int share = size / 10 > 1 ? size / 10 : 1;
    int uses[MANY] = { 0 }, misses = 0;

    for (int i = 0; i < n; i++) {
        const int x = refs[i], ghost = where(&g, x);

        if (where(&s, x) >= 0 || where(&m, x) >= 0) {
            uses[x] += uses[x] < 3;
            continue;
        }
        misses++;
        if (ghost >= 0)
            cut(&g, ghost);
        while (s.n + m.n == size) {
            if (m.n == 0 || s.n >= share) {
                const int t = cut(&s, 0);

                if (uses[t] > 1) {
                    uses[t] = 0;
                    append(&m, t);
                    if (m.n <= size - share)
                        continue;
                } else {
                    if (g.n == size - share && g.n > 0)
                        cut(&g, 0);
                    if (size > share)
                        append(&g, t);
                    continue;
                }
            }
            while (uses[m.b[0]] > 0) {
                uses[m.b[0]]--;
                append(&m, cut(&m, 0));
            }
            cut(&m, 0);
        }
        uses[x] = 0;
        append(ghost >= 0 && size > 1 ? &m : &s, x);
    }
    return misses;
}

/* ------------------------------------------------------------------ ours */

/* Misses of ours; -1 if what a use says to have gone has not, or the cache has more than it has room for. Assertions tell
 * Check of each time that they hold, which takes longer than the cache: there is one a trace. */
static int ours(int policy, const int *refs, int n, int size, int blocks)
{
    struct dsn_cache c;
    int misses = 0, held = 0, ok = 1;

    if (!dsn_cache_init(&c, dsn_policy((size_t)policy), (size_t)size, (size_t)blocks))
        return -1;
    for (int i = 0; i < n; i++) {
        uint64_t next = UINT64_MAX;
        const int had = dsn_cache_has(&c, (uint32_t)refs[i]);
        int hit;

        for (int k = i + 1; k < n && next == UINT64_MAX; k++)
            if (refs[k] == refs[i])
                next = (uint64_t)k;
        hit = dsn_cache_use(&c, (uint32_t)refs[i], next);
        held += !hit - (c.victim != DSN_BLOCK_NONE);
        misses += !hit;
        ok &= hit == had && held <= size && dsn_cache_has(&c, (uint32_t)refs[i]) &&
              (c.victim == DSN_BLOCK_NONE || (!hit && !dsn_cache_has(&c, c.victim)));
    }
    dsn_cache_free(&c);
    return ok ? misses : -1;
}

/* Whether ours misses as often as each model does; the optimum never more than others, nor these once all blocks fit. */
static int agree(const int *refs, const struct dsn_curve *curve, int size, int cold, int *lru)
{
    const int want[NPOLICIES] = { plain_lru(refs, REFS, size), plain_clock(refs, REFS, size),
                                  plain_arc(refs, REFS, size), plain_s3fifo(refs, REFS, size),
                                  plain_opt(refs, REFS, size) };
    const int before = *lru;
    double error;
    int ok = 1;

    for (int p = 0; p < NPOLICIES; p++)
        ok &= ours(p, refs, REFS, size, BLOCKS) == want[p] && want[p] >= want[OPT] && want[p] >= cold &&
              (size < cold || want[p] == cold);
    *lru = want[LRU];
    return ok && *lru <= before /* inclusion */ &&
           (int)(dsn_curve_misses(curve, (uint64_t)size, 0, &error) * REFS + .5) == want[LRU];
}

/* Every trace of 8 uses of 4 blocks, in caches of 1 to 4. */
START_TEST(every_trace)
{
    int bad = 0, compared = 0;

    for (int trace = 0; trace < TRACES; trace++) {
        int refs[REFS], seen = 0, lru = REFS;
        struct dsn_curve curve;

        dsn_curve_init(&curve, REFS);
        for (int i = 0; i < REFS; i++) {
            refs[i] = trace >> 2 * i & 3;
            seen |= 1 << refs[i];
            bad += !dsn_curve_use(&curve, (uint64_t)refs[i], 0);
        }
        dsn_curve_end(&curve);
        for (int size = 1; size <= BLOCKS; size++, compared++)
            bad += !agree(refs, &curve, size, __builtin_popcount((unsigned)seen), &lru);
        dsn_curve_free(&curve);
    }
    ck_assert_int_eq(bad, 0);
    ck_assert_int_eq(compared, TRACES * BLOCKS);
}
END_TEST

static int random_below(uint64_t *state, int n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)((*state >> 33) % (uint64_t)n);
}

/* Random traces, in which some blocks are used often, in caches of all sizes. */
START_TEST(long_traces)
{
    uint64_t state = (uint64_t)_i + 1;
    int *refs = malloc(LONG * sizeof *refs);
    struct dsn_curve curve;

    ck_assert_ptr_nonnull(refs);
    dsn_curve_init(&curve, LONG);
    for (int i = 0; i < LONG; i++) {
        refs[i] = random_below(&state, 3) ? random_below(&state, 1 + random_below(&state, MANY)) : i % MANY;
        ck_assert(dsn_curve_use(&curve, (uint64_t)refs[i] * 1000003, 0));
    }
    dsn_curve_end(&curve);
    for (int size = 1; size <= MANY; size += 1 + size / 4) {
        const int lru = ours(LRU, refs, LONG, size, MANY), opt = ours(OPT, refs, LONG, size, MANY);
        double error;

        ck_assert_int_eq(lru, plain_lru(refs, LONG, size));
        ck_assert_int_eq(ours(CLOCK, refs, LONG, size, MANY), plain_clock(refs, LONG, size));
        ck_assert_int_eq(ours(ARC, refs, LONG, size, MANY), plain_arc(refs, LONG, size));
        ck_assert_int_eq(ours(S3FIFO, refs, LONG, size, MANY), plain_s3fifo(refs, LONG, size));
        for (int p = 0; p < NPOLICIES; p++)
            ck_assert_int_ge(ours(p, refs, LONG, size, MANY), opt);
        ck_assert_double_eq_tol(dsn_curve_misses(&curve, (uint64_t)size, 0, &error), (double)lru / LONG, 1e-9);
        ck_assert_double_eq(error, 0);
    }
    dsn_curve_free(&curve);
    free(refs);
}
END_TEST

/* More uses than places at first: the order of last uses is put together anew, many times. A loop over n blocks misses all
 * with less room than n, and none but the first with n. */
START_TEST(loop)
{
    const uint64_t n = 100000, rounds = 20;
    struct dsn_curve curve;
    double error;
    int bad = 0;

    dsn_curve_init(&curve, n * rounds);
    for (uint64_t i = 0; i < n * rounds; i++)
        bad += !dsn_curve_use(&curve, i % n, i / n % 2 != 0);
    dsn_curve_end(&curve);
    ck_assert_int_eq(bad, 0);
    ck_assert_uint_eq(dsn_curve_largest(&curve), n);
    ck_assert_double_eq(dsn_curve_misses(&curve, n - 1, 1, &error), 1);
    ck_assert_double_eq_tol(dsn_curve_misses(&curve, n, 1, &error), 1. / (double)rounds, 1e-12);
    ck_assert_double_eq_tol(dsn_curve_misses(&curve, n, 0, &error), 2. / (double)rounds, 1e-12);
    dsn_curve_free(&curve);
}
END_TEST

/* A sampled curve is within four of its own standard errors of the exact one. */
START_TEST(sampled)
{
    static struct dsn_curve exact, sample;
    uint64_t state = 7;
    double error, none;
    int bad = 0;

    dsn_curve_init(&exact, 1);
    dsn_curve_init(&sample, (uint64_t)DSN_CURVE_SAMPLE * 10); /* a tenth of the blocks */
    for (int i = 0; i < 2000000; i++) {
        const int hot = random_below(&state, 2);
        const uint64_t block = (uint64_t)random_below(&state, hot ? 20000 : 400000);

        bad += !dsn_curve_use(&exact, block, 0) || !dsn_curve_use(&sample, block, 0);
    }
    ck_assert_int_eq(bad, 0);
    dsn_curve_end(&exact);
    dsn_curve_end(&sample);
    for (uint64_t size = 5000; size <= 400000; size *= 2) {
        const double want = dsn_curve_misses(&exact, size, 0, &none), got = dsn_curve_misses(&sample, size, 0, &error);

        ck_assert_double_gt(error, 0);
        ck_assert_double_lt(error, .03);
        ck_assert_double_le(want - got < 0 ? got - want : want - got, 4 * error + 1e-3);
    }
    dsn_curve_free(&exact);
    dsn_curve_free(&sample);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "every trace", every_trace, 0 },
        { "long traces", long_traces, 12 },
        { "loop", loop, 0 },
        { "sampled", sampled, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("simulate", tests);
}
