/* t-simulate.c - caches compared with brute force, miss curves
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/simulate/curve.h"
#include "util/simulate/fit.h"
#include "util/simulate/machine.h"
#include "util/simulate/policy.h"
#include "util/simulate/spec.h"
#include "util/simulate/striping.h"

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
    dsn_curve_init(&sample, (uint64_t)DSN_CURVE_EXACT + 1); /* a twelfth of the blocks */
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

/* ------------------------------------------------------------------ today's machine, against closed forms */

#define MB 1e6

/* A load made by hand: operations of processes 0, 1, ..., in order, all of file 0 unless said. */
struct made {
    struct dsn_load load;
    struct dsn_shape shape;
    struct dsn_load_op op[400];
    struct dsn_load_process process[16];
    struct dsn_load_file file[4];
    size_t order[400];
};

static struct made made;

/* Process `p` (they come in order) does something. */
static void does(uint32_t p, int is_write, double start, double seconds, double offset, double length)
{
    struct dsn_load *l = &made.load;
    struct dsn_load_process *of = &made.process[p];

    if (l->nops == 0) {
        made.load = (struct dsn_load){
            .ops = made.op, .processes = made.process, .files = made.file, .nfiles = 1, .order = made.order, .nnodes = 1
        };
        memset(made.process, 0, sizeof made.process);
        memset(made.file, 0, sizeof made.file);
    }
    if (l->nprocesses == p)
        *of = (struct dsn_load_process){ .first = l->nops, .id = l->nprocesses++ };
    of->n++;
    made.op[l->nops++] = (struct dsn_load_op){ .start = (uint64_t)(start * 1e9 + .5),
                                               .duration = (uint64_t)(seconds * 1e9 + .5),
                                               .offset = (uint64_t)offset,
                                               .length = (uint64_t)length,
                                               .flags = is_write ? DSN_LOAD_WRITE : 0 };
    if (offset + length > (double)made.file[0].extent)
        made.file[0].extent = (uint64_t)(offset + length);
}

static int by_start(const void *a, const void *b)
{
    const uint64_t x = made.op[*(const size_t *)a].start, y = made.op[*(const size_t *)b].start;

    return x < y ? -1 : x > y;
}

static struct dsn_outcome run(const struct dsn_machine *m)
{
    struct dsn_outcome o;

    for (size_t i = 0; i < made.load.nops; i++)
        made.order[i] = i;
    qsort(made.order, made.load.nops, sizeof made.order[0], by_start);
    ck_assert(dsn_shape_make(&made.load, &made.shape));
    ck_assert(dsn_machine_run(&made.load, &made.shape, m, &o));
    dsn_shape_free(&made.shape);
    return o;
}

static const struct dsn_machine bare = { .fs = { .latency = { .001, .002 }, .byte = { 1e-8, 2e-8 } },
                                         .cache = { .expiry = 30, .byte = 1e-10 },
                                         .block = 4096 };

/* n bursts of V bytes, each G seconds of computing after the one before; V seconds as it was for every 100 MB. */
static void bursts(int n, double v, double gap)
{
    const double took = v / (100 * MB);

    made.load.nops = 0;
    for (int i = 0; i < n; i++)
        does(0, 1, (took + gap) * i, took, v * i, v);
}

/* What a burst buffer makes of it: it holds what the drain leaves; a burst that has filled it goes on at the drain rate. */
static double leaky_bucket(int n, double v, double gap, double c, double b, double d, double *held)
{
    double level = 0, visible = 0;

    *held = 0;
    for (int i = 0; i < n; i++) {
        const double rise = b > d ? b - d : 0, until_full = rise > 0 ? (c - level) / rise : v / b + 1;

        if (v / b <= until_full) {
            visible += v / b;
            level = rise > 0 ? level + rise * v / b : level > (d - b) * v / b ? level - (d - b) * v / b : 0;
        } else {
            visible += until_full + (v - b * until_full) / d;
            level = c;
        }
        *held = level > *held ? level : *held;
        level = level > d * gap ? level - d * gap : 0;
    }
    return visible;
}

/* Bursts of V bytes every so often, rate b, drain d, capacity C: never full, full within a burst, full after some bursts,
 * drain faster than the rate, always full. */
START_TEST(burst_buffer)
{
    static const struct {
        double v, gap, c, b, d, steady; /* steady: visible seconds of a late burst; 0: not said in closed form */
    } rows[] = {
        { 100, 10, 1000, 1000, 50, .1 },      /* never full */
        { 100, 10, 60, 1000, 50, 0 },         /* fills in every burst, empties between them */
        { 100, 10, 100, 1000, 9, 1.1111111 }, /* drains less than it gets: V/d - G in the end, as the drain alone */
        { 100, 10, 100, 1000, 2000, .1 },     /* drains as fast as it fills */
        { 100, 10, 10, 1000, 1000, .1 },      /* just so */
        { 500, 1, 100, 1000, 100, 4 },        /* always full: V/d - G */
        { 100, 0, 1e9, 1000, 1, .1 },         /* as good as without limit */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double v = rows[i].v * MB, c = rows[i].c * MB, b = rows[i].b * MB, d = rows[i].d * MB;
        struct dsn_machine m = bare;
        struct dsn_outcome o, unlimited;
        double held, want, more, least;

        m.block = 1 << 20;
        bursts(40, v, rows[i].gap);
        m.buffer = (struct dsn_burst_buffer){ .rate = b, .size = c, .drain = d };
        want = leaky_bucket(40, v, rows[i].gap, c, b, d, &held);
        o = run(&m);
        ck_assert_double_eq_tol(o.visible, want, 1e-6 * want + 1e-6);
        ck_assert_double_eq_tol(o.peak, held, 1);
        ck_assert_double_eq_tol(o.elapsed, want + 39 * rows[i].gap, 1e-5);
        ck_assert_double_eq_tol(o.drained + o.left, 40 * v, 40); /* bytes are conserved */
        ck_assert_double_eq_tol(o.buffer_bytes[1], 40 * v, 1e-3);
        dsn_outcome_free(&o);
        if (rows[i].steady > 0) {
            more = leaky_bucket(39, v, rows[i].gap, c, b, d, &held);
            ck_assert_double_eq_tol(want - more, rows[i].steady, 1e-6);
        }
        /* with the size that never stalls it does not, with less it does; so with the drain that is needed */
        m.buffer.size = (double)INFINITY;
        m.record = 1;
        unlimited = run(&m);
        ck_assert_double_eq_tol(unlimited.stalled, 0, 1e-9);
        least = dsn_machine_drain(&unlimited, c);
        m.record = 0;
        m.buffer.size = unlimited.peak * 1.0001 + 1;
        o = run(&m);
        ck_assert_double_eq_tol(o.stalled, 0, 1e-9);
        ck_assert_double_eq_tol(o.visible, 40 * v / b, 1e-6);
        dsn_outcome_free(&o);
        if (least > 0) {
            m.buffer.size = c;
            m.buffer.drain = least * 1.0001;
            o = run(&m);
            ck_assert_double_eq_tol(o.stalled, 0, 1e-9);
            dsn_outcome_free(&o);
            m.buffer.drain = least * .99;
            o = run(&m);
            ck_assert_double_gt(o.stalled, 0);
            dsn_outcome_free(&o);
        }
        dsn_outcome_free(&unlimited);
    }
}
END_TEST

/* Two writers share a node's burst buffer; reads of what was written come out of it, others do not. */
START_TEST(shared_buffer)
{
    struct dsn_machine m = bare;
    struct dsn_outcome o;

    made.load.nops = 0;
    does(0, 1, 0, 1, 0, 100 * MB);
    does(0, 0, 10, 1, 0, 100 * MB);
    does(1, 1, 0, 1, 200 * MB, 100 * MB);
    does(1, 0, 10, 1, 400 * MB, 100 * MB);
    m.buffer = (struct dsn_burst_buffer){ .rate = 1000 * MB, .size = 1e9, .drain = 100 * MB };
    o = run(&m);
    /* both write for .2 s; one reads at 1 GB/s, the other from the file system: .001 s and 1 s */
    ck_assert_double_eq_tol(o.moving[1], .4, 1e-6);
    ck_assert_double_eq_tol(o.moving[0], .1 + 1.001, 1e-6);
    ck_assert_double_eq_tol(o.visible, .2 + 1.001, 1e-6);
    ck_assert_double_eq_tol(o.buffer_bytes[0], 100 * MB, 1);
    dsn_outcome_free(&o);
    m.buffer.stage_in = 1;
    o = run(&m);
    ck_assert_double_eq_tol(o.moving[0], .4, 1e-6); /* both at once */
    dsn_outcome_free(&o);
    m.buffer.stage_in = 0;
    made.file[0].path = NULL;
    m.pinned = (const unsigned char *)"\1\1\1\1";
    o = run(&m);
    ck_assert_double_eq_tol(o.visible, .2, 1e-6); /* a pinned file has the rate for itself */
    ck_assert_double_eq(o.peak, 0);
    dsn_outcome_free(&o);
}
END_TEST

/* k requests at once take 1 + crowd * (k - 1) times as long; those that come later slow down the first. */
START_TEST(file_system)
{
    struct dsn_machine m = bare;
    struct dsn_outcome o;

    m.fs.crowd[0] = .5;
    made.load.nops = 0;
    for (uint32_t p = 0; p < 4; p++)
        does(p, 0, 0, 1, p * 10 * MB, 10 * MB);
    o = run(&m);
    ck_assert_double_eq_tol(o.elapsed, (.001 + .1) * 2.5, 1e-9);
    ck_assert_double_eq_tol(o.seconds, 4 * (.001 + .1) * 2.5, 1e-8);
    dsn_outcome_free(&o);
    m.fs.link = 100 * MB; /* the four share the link: .4 s of transfer instead of .2525 s */
    o = run(&m);
    ck_assert_double_eq_tol(o.elapsed, .4, 1e-9);
    dsn_outcome_free(&o);
    m.fs.link = 0;
    m.fs.crowd[0] = 1;
    made.load.nops = 0;
    does(0, 0, 0, .1, 0, 10 * MB); /* .101 s of work; alone until .05 s, then two share until .153 s */
    does(1, 0, .05, .1, 0, 10 * MB);
    o = run(&m);
    ck_assert_double_eq_tol(o.elapsed, .202, 1e-9); /* all work, one after another */
    ck_assert_double_eq_tol(o.seconds, (.05 + 2 * .051) + (2 * .051 + .05), 1e-9);
    dsn_outcome_free(&o);
}
END_TEST

/* Operations that overlapped are issued as far apart; processes that are coupled wait at the ends of bursts. */
START_TEST(structure)
{
    struct dsn_machine m = bare;
    struct dsn_outcome o;

    made.load.nops = 0;
    does(0, 0, 0, 1, 0, 10 * MB);
    does(0, 0, .02, 1, 0, 10 * MB);
    does(0, 0, 5, 1, 0, 10 * MB);
    o = run(&m);
    ck_assert_double_eq_tol(o.visible, .02 + .101 + .101, 1e-9);
    ck_assert_double_eq_tol(o.elapsed, .121 + (5 - 1.02) + .101, 1e-9);
    ck_assert_double_eq_tol(o.moving[0], 3 * .101, 1e-9);
    dsn_outcome_free(&o);
    made.load.nops = 0;
    does(0, 0, 0, 1, 0, 10 * MB); /* one has more in the first burst, the other in the second */
    does(0, 0, 10, 1, 0, 1 * MB);
    does(1, 0, 0, 1, 0, 1 * MB);
    does(1, 0, 10, 1, 0, 10 * MB);
    o = run(&m);
    ck_assert_double_eq_tol(o.visible, .101 + .011, 1e-9);
    ck_assert_double_eq_tol(o.elapsed, .011 + 9 + .101, 1e-9);
    dsn_outcome_free(&o);
    m.coupled = 1;
    o = run(&m);
    ck_assert_double_eq_tol(o.visible, .101 + .101, 1e-9);
    ck_assert_double_eq_tol(o.elapsed, .101 + 9 + .101, 1e-9);
    dsn_outcome_free(&o);
    made.load.nops = 0;
    does(0, 0, 0, 1, 0, 10 * MB); /* who ends last has not most */
    does(1, 0, .9, .1, 0, 1 * MB);
    o = run(&m);
    ck_assert_double_eq_tol(o.visible, .101, 1e-9);
    dsn_outcome_free(&o);
}
END_TEST

/* A loop over 64 blocks of a page cache: hits if it has 64, none if it has 63. What is written is dirty, and counted once. */
START_TEST(page_cache)
{
    struct dsn_machine m = bare;
    struct dsn_outcome o;

    made.load.nops = 0;
    for (int i = 0; i < 4 * 64; i++)
        does(0, 0, i, .5, i % 64 * 4096 * 3, 4096); /* nothing is sequential */
    m.cache.policy = dsn_policy(0);
    m.cache.size = 64 * 4096;
    o = run(&m);
    ck_assert_uint_eq(o.hits, 3 * 64);
    ck_assert_uint_eq(o.misses, 64);
    ck_assert_double_eq(o.fs_requests[0], 64);
    ck_assert_double_eq(o.fs_bytes[0], 64 * 4096);
    ck_assert_double_eq_tol(o.visible, 64 * (.001 + 4096e-8) + 192 * 4096e-10, 1e-9);
    dsn_outcome_free(&o);
    m.cache.size = 63 * 4096;
    o = run(&m);
    ck_assert_uint_eq(o.hits, 0);
    dsn_outcome_free(&o);

    made.load.nops = 0;
    for (int i = 0; i < 256; i++)
        does(0, 1, i * .001, .0005, i % 64 * 4096, 4096); /* four times over the same, within the expiry */
    m.cache.size = 1000 * 4096;
    m.cache.write_back = 1;
    m.cache.background = .1;
    m.cache.limit = .2;
    o = run(&m);
    ck_assert_double_eq(o.fs_bytes[1], 0);
    ck_assert_double_eq(o.left, 64 * 4096);
    ck_assert_double_eq_tol(o.visible, 256 * 4096e-10, 1e-9);
    dsn_outcome_free(&o);
    m.cache.expiry = .1; /* written once it is .1 s old */
    o = run(&m);
    ck_assert_double_gt(o.fs_bytes[1], 0);
    ck_assert_double_le(o.fs_bytes[1] + o.left, 4 * 64 * 4096);
    dsn_outcome_free(&o);
    m.cache.expiry = 30;
    m.fs.byte[1] = 1e-6;
    m.cache.size = 100 * 4096; /* 20 dirty blocks at most: writers wait for the file system */
    o = run(&m);
    ck_assert_double_gt(o.visible, .01);
    ck_assert_double_le(o.left, 21 * 4096);
    ck_assert_double_gt(o.fs_bytes[1], 128 * 4096.);
    dsn_outcome_free(&o);
}
END_TEST

/* Reading on in small pieces: the window doubles up to its limit, and what is read ahead costs no waiting if there is time
 * to compute. Every byte is fetched once. */
START_TEST(read_ahead)
{
    struct dsn_machine m = bare;
    struct dsn_outcome with, without;

    made.load.nops = 0;
    for (int i = 0; i < 320; i++)
        does(0, 0, i * .1, .01, i * 4096, 4096);
    m.cache.policy = dsn_policy(0);
    m.cache.size = 1e9;
    without = run(&m);
    m.cache.ahead = 32 * 4096;
    with = run(&m);
    ck_assert_double_eq(without.fs_requests[0], 320);
    ck_assert_double_eq(with.fs_bytes[0], 320 * 4096);
    ck_assert_double_eq(without.fs_bytes[0], 320 * 4096);
    /* 4, 8, 16, 32, 32, ...: 28 after three, then 292 in windows of 32 */
    ck_assert_double_eq(with.fs_requests[0], 3 + 10);
    ck_assert_double_eq_tol(with.visible, .001 + 4 * 4096e-8 + 320 * 4096e-10, 1e-6);
    dsn_outcome_free(&with);
    dsn_outcome_free(&without);
}
END_TEST

/* Reading here and there where somebody has read on: marks that are come upon fetch the next window, a miss behind cached
 * blocks looks like one of a stream. Worked out by hand from what Linux does. */
START_TEST(read_ahead_elsewhere)
{
    static const struct {
        uint32_t process;
        int block, fetched;
    } rows[] = {
        { 0, 100, 1 },                                 /* elsewhere */
        { 0, 101, 4 },                                 /* in order: 101 to 104 */
        { 0, 200, 1 },                                 /* elsewhere; the window stays */
        { 0, 102, 8 },                                 /* its mark: 105 to 112 */
        { 0, 103, 0 },  { 0, 50, 1 },  { 0, 105, 16 }, /* its mark: 113 to 128 */
        { 0, 300, 1 },  { 0, 400, 1 }, { 0, 401, 4 },
        { 1, 129, 30 }, /* 100 to 128 are there: as many more, 129 to 158, the last of which is marked */
        { 1, 113, 0 },  /* the mark of another one, but what follows is there for more than a window */
        { 1, 158, 32 }, /* its mark: 159 to 190 */
        { 1, 402, 8 },  /* the mark of another one; 405 is absent, the third behind it: twice four */
        { 1, 611, 1 },  { 1, 612, 4 }, { 1, 613, 8 }, /* 616 to 623, of which the first four are a folio */
        { 1, 618, 16 },                               /* in it: 624 to 639 */
    };
    struct dsn_machine m = bare;
    struct dsn_outcome o;
    double blocks = 0;

    made.load.nops = 0;
    does(0, 0, 0, .01, 1000 * 4096, 0); /* the file is so large */
    m.cache.policy = dsn_policy(0);
    m.cache.size = 1e9;
    m.cache.ahead = 32 * 4096;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        does(rows[i].process, 0, 1 + (double)i, .01, rows[i].block * 4096, 4096);
        blocks += rows[i].fetched;
        o = run(&m);
        ck_assert_msg(o.fs_bytes[0] == blocks * 4096, "row %zu: %g blocks, not %g", i, o.fs_bytes[0] / 4096, blocks);
        dsn_outcome_free(&o);
    }
}
END_TEST

/* A run that a known file system has made is found again by the fit; one of which half is a stall is not called fitted. */
START_TEST(fit)
{
    struct dsn_file_system fs;
    struct dsn_held_out held_out[2];
    struct dsn_fit_check check;
    struct dsn_machine m = bare;

    made.load.nops = 0;
    for (int i = 0; i < 200; i++) {
        const double length = 4096. * (1 + i * 7 % 50);

        does(0, i % 2, i, (i % 2 ? .002 : .001) + length * (i % 2 ? 2e-8 : 1e-8), 1e6 * i, length);
    }
    for (size_t i = 0; i < made.load.nops; i++)
        made.order[i] = i;
    ck_assert(dsn_fit_make(&made.load, &fs, held_out));
    for (int d = 0; d < 2; d++) {
        ck_assert_double_eq_tol(fs.latency[d], bare.fs.latency[d], 1e-6);
        ck_assert_double_eq_tol(fs.byte[d], bare.fs.byte[d], 1e-11);
        ck_assert_double_eq(fs.crowd[d], 0);
    }
    ck_assert(dsn_shape_make(&made.load, &made.shape));
    m.fs = fs;
    ck_assert(dsn_fit_check(&made.load, &made.shape, &m, held_out, &check));
    ck_assert_double_lt(check.error, 1e-4);
    m.fs.byte[0] *= 10;
    ck_assert(dsn_fit_check(&made.load, &made.shape, &m, NULL, &check));
    ck_assert_double_gt(check.error, DSN_FIT_GOOD);
    dsn_shape_free(&made.shape);
    made.op[100].duration = 500000000;
    ck_assert(dsn_fit_make(&made.load, &fs, held_out));
    ck_assert(dsn_shape_make(&made.load, &made.shape));
    m.fs = fs;
    ck_assert(dsn_fit_check(&made.load, &made.shape, &m, held_out, &check));
    ck_assert_double_gt(check.error, DSN_FIT_GOOD);
    dsn_shape_free(&made.shape);
}
END_TEST

/* Operations of which none, one and two others are in service: how much longer they take is found. */
START_TEST(fit_of_many)
{
    struct dsn_file_system fs;
    struct dsn_held_out held_out[2];

    made.load.nops = 0;
    for (uint32_t p = 0; p < 3; p++)
        for (uint32_t i = p; i < 60; i++) {
            const double length = 4096. * (1 + i * 7 % 50);

            if (i % 3 >= p)
                does(p, 0, i, (.001 + length * 1e-8) * (1 + .5 * (i % 3)), 0, length);
        }
    for (size_t i = 0; i < made.load.nops; i++)
        made.order[i] = i;
    qsort(made.order, made.load.nops, sizeof made.order[0], by_start);
    ck_assert(dsn_fit_make(&made.load, &fs, held_out));
    ck_assert_double_eq_tol(fs.crowd[0], .5, 1e-3);
    ck_assert_double_eq_tol(fs.latency[0], .001, 1e-5);
    ck_assert_double_eq_tol(fs.byte[0], 1e-8, 1e-10);
    ck_assert_double_eq_tol(held_out[0].predicted / held_out[0].measured, 1, 1e-3);
}
END_TEST

/* Files on one to three targets, worked out by hand. */
START_TEST(striping)
{
    static const int64_t osts[] = { 0, 1, 2, 3, 7 };
    static const struct dsn_lustre_comp one = { .stripe_size = 1 << 20, .stripe_count = 1, .end = -1 };
    static const struct dsn_lustre_comp three = { .stripe_size = 1 << 20, .stripe_count = 3, .end = -1 };
    static const struct {
        int64_t first; /* of the file's targets */
        const struct dsn_lustre_comp *comp;
        double extent, bytes, targets, size, factor;
    } rows[] = {
        { 4, &one, 1e9, 1e9, 8, 0, 1. / 8 },   /* one large file: M/N */
        { 0, &three, 1e9, 1e9, 6, 0, 1. / 2 }, /* from three to six */
        { 0, &three, 1e9, 1e9, 1, 0, 3 },      /* from three to one */
        { 4, &one, 1e6, 1e9, 8, 0, 1 },        /* shorter than a stripe */
        { 4, &one, 3e6, 1e9, 8, 0, 1. / 3 },   /* three stripes long */
        { 4, &one, 3e6, 1e9, 8, 1 << 22, 1 },  /* one of the new stripes */
        { 4, &one, 1e9, 0, 8, 0, 1. / 8 },     /* nothing moved */
        { 0, &three, 1e6, 1e9, 8, 0, 1 },      /* it may be on three, but is on one */
    };
    struct dsn_layout layout[4];
    struct dsn_striped files[4];
    struct dsn_striping all;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        layout[0] = (struct dsn_layout){ 1, rows[i].comp, osts + rows[i].first };
        files[0] = (struct dsn_striped){ .layout = layout, .extent = rows[i].extent, .bytes = rows[i].bytes };
        files[1] = (struct dsn_striped){ .extent = 1e12, .bytes = 1e12 }; /* not on Lustre */
        ck_assert(dsn_striping_change(files, 2, rows[i].targets, rows[i].size, &all));
        ck_assert_msg(fabs(files[0].factor - rows[i].factor) < 1e-9, "row %zu: %g", i, files[0].factor);
        ck_assert_double_eq(files[1].factor, 1);
    }
    /* a file a process: four on four targets of the eight that there are. Each over four, they have all eight: half. */
    for (int k = 0; k < 4; k++) {
        layout[k] = (struct dsn_layout){ 1, &one, osts + (k == 3 ? 4 : k) };
        files[k] = (struct dsn_striped){ .layout = &layout[k], .extent = 1e9, .bytes = 1e9 };
    }
    ck_assert(dsn_striping_change(files, 4, 4, 0, &all));
    for (int k = 0; k < 4; k++)
        ck_assert_double_eq_tol(files[k].factor, .5, 1e-9);
    ck_assert_uint_eq(all.targets, 4);
    ck_assert_uint_eq(all.changed, 4);
    /* all on one target: an eighth at best, but each only on four */
    for (int k = 0; k < 4; k++)
        layout[k].osts = osts + 4;
    ck_assert(dsn_striping_change(files, 4, 4, 0, &all));
    ck_assert_double_eq_tol(files[0].factor, .25, 1e-9);
}
END_TEST

START_TEST(specs)
{
    static const char *const good[] = { "bb=400GiB/node,2GB/s; drain=1GB/s",
                                        "bb=unlimited,2GB/s/node;drain=10GB/s/job;stage-in",
                                        "cache=64GiB/node,arc; dirty=10%,20%; expiry=5s",
                                        "read-ahead=8MiB",
                                        "fs=1GB/s,100GB/s; fs-latency=500us",
                                        "stripes=8/1",
                                        "link=10GB/s",
                                        "bb=1B,1B/s;pin=/a/*;pin=/b",
                                        "stripes=8",
                                        "stripe=8,4MiB" };
    static const char *const bad[] = { "",
                                       ";",
                                       "bb=",
                                       "bb=4GiB",
                                       "bb=4GiB,2GB",
                                       "bb=0,1GB/s",
                                       "bb=-1,1GB/s",
                                       "bb=nan,1GB/s",
                                       "bb=1e400,1GB/s",
                                       "drain=1GB/s",
                                       "cache=1GiB,opt",
                                       "cache=1GiB,mru",
                                       "dirty=10%,20%",
                                       "cache=1GiB;dirty=20%,10%",
                                       "read-ahead",
                                       "read-ahead=2GiB",
                                       "fs=2GB/s,1GB/s",
                                       "stripes=0",
                                       "stripes=0/1",
                                       "stripes=2001",
                                       "stripes=8,4",
                                       "bb=1,1GB/s",
                                       "bb=1e300GiB,1GB/s",
                                       "cache=2000PiB",
                                       "bb=1GiB,1GB/s;bb=1GiB,1GB/s",
                                       "bb=1GiB,1GB/s x",
                                       "disk=3" };
    struct dsn_spec s;
    double bytes = 0;
    char text[32];

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        ck_assert_msg(dsn_spec_parse(good[i], &s), "%s: %s", good[i], s.error);
        dsn_spec_free(&s);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(!dsn_spec_parse(bad[i], &s), "%s", bad[i]);
        ck_assert_int_gt((int)strlen(s.error), 10);
        dsn_spec_free(&s);
    }
    ck_assert(dsn_spec_parse(good[0], &s));
    ck_assert_double_eq(s.buffer_size, 400. * 1073741824);
    ck_assert_double_eq(s.buffer_rate, 2e9);
    ck_assert_double_eq(s.drain, 1e9);
    dsn_spec_free(&s);
    ck_assert(dsn_spec_bytes("64M", &bytes));
    ck_assert_double_eq(bytes, 64. * 1048576);
    ck_assert(dsn_spec_bytes("64MB", &bytes));
    ck_assert_double_eq(bytes, 64e6);
    ck_assert(!dsn_spec_bytes("64Mi", &bytes));
    ck_assert_str_eq(dsn_spec_size(51.2 * 1073741824, text, sizeof text), "51.2 GiB");
    ck_assert_str_eq(dsn_spec_size(1023.9, text, sizeof text), "1 KiB");
    ck_assert_str_eq(dsn_spec_rate(9e8, text, sizeof text), "900 MB/s");
    ck_assert_str_eq(dsn_spec_rate(1.25e9, text, sizeof text), "1.2 GB/s");
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "every trace", every_trace, 0 },
        { "long traces", long_traces, 12 },
        { "loop", loop, 0 },
        { "sampled", sampled, 0 },
        { "burst buffer", burst_buffer, 0 },
        { "shared buffer", shared_buffer, 0 },
        { "file system", file_system, 0 },
        { "structure", structure, 0 },
        { "page cache", page_cache, 0 },
        { "read ahead", read_ahead, 0 },
        { "read ahead elsewhere", read_ahead_elsewhere, 0 },
        { "fit", fit, 0 },
        { "fit of many", fit_of_many, 0 },
        { "striping", striping, 0 },
        { "specs", specs, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("simulate", tests);
}
