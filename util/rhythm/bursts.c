/* bursts.c - separates bursts of operations, and finds similar ones
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/idmap.h"

#define LEAST_JUMP    2   /* ratio of a pause to the next shorter one */
#define LEAST_DEPTH   4   /* ratio of how frequent lengths are beside a valley to those in it */
#define LONGEST_CHAIN 256 /* signatures with the same hash: bounds the time for crafted traces */
#define MOST_SIZES    64  /* likewise, for bursts that are distinguished by bytes */

static uint64_t bytes_of(const struct dsn__look *l, const struct dsn_rhythm_op *op)
{
    const uint64_t size = l->in->kinds[op->kind].size;

    return op->n == 1 ? size : size > INT64_MAX / op->n ? INT64_MAX : size * op->n;
}

/* ------------------------------------------------------------------ order of time */

/* End of the ascending run that begins at `from`. */
static size_t run_end(const struct dsn_rhythm_op *op, size_t from, size_t n)
{
    size_t i = from + 1;

    while (i < n && op[i].start >= op[i - 1].start)
        i++;
    return i < n ? i : n;
}

static void merge(const struct dsn_rhythm_op *op, size_t from, size_t middle, size_t end, struct dsn_rhythm_op *to)
{
    size_t a = from, b = middle;

    for (size_t i = from; i < end; i++)
        to[i] = b == end || (a < middle && op[a].start <= op[b].start) ? op[a++] : op[b++];
}

/* Merge sort of the ascending runs already present. */
int dsn__order_by_time(struct dsn_rhythm_op *ops, size_t n)
{
    struct dsn_rhythm_op *from = ops, *to, *room;

    if (n == 0 || run_end(ops, 0, n) == n)
        return 1;
    room = to = malloc(n * sizeof *to);
    if (!to)
        return 0;
    while (run_end(from, 0, n) < n) {
        struct dsn_rhythm_op *const other = from;

        for (size_t i = 0; i < n;) {
            const size_t middle = run_end(from, i, n), end = middle < n ? run_end(from, middle, n) : n;

            merge(from, i, middle, end, to);
            i = end;
        }
        from = to;
        to = other;
    }
    if (from == room)
        memcpy(ops, room, n * sizeof *room);
    free(room);
    return 1;
}

/* ------------------------------------------------------------------ pauses */

int dsn__look_begin(struct dsn__look *l, const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops, size_t n)
{
    uint64_t end = n > 0 ? ops[0].end : 0;

    *l = (struct dsn__look){ .in = in, .ops = ops, .n = n };
    l->gap = malloc((n + 1) * sizeof *l->gap);
    l->runs = malloc((n + 1) * sizeof *l->runs);
    l->run_of = malloc((n + 2) * sizeof *l->run_of);
    l->next = malloc((n + 1) * sizeof *l->next);
    if (!l->gap || !l->runs || !l->run_of || !l->next)
        return 0;
    for (size_t i = 0; i < n; i++) {
        l->gap[i] = ops[i].start > end ? ops[i].start - end : 0;
        end = ops[i].end > end ? ops[i].end : end;
    }
    return 1;
}

void dsn__look_end(struct dsn__look *l)
{
    free(l->gap);
    free(l->runs);
    free(l->run_of);
    free(l->next);
    *l = (struct dsn__look){ .n = 0 };
}

/* Logarithmic histogram: 64 bins per octave, so that numbers in the same bin differ by less than LEAST_JUMP. */
#define NBINS (64 * 64)

struct bins {
    size_t n[NBINS];
    uint64_t least[NBINS], most[NBINS];
    size_t all;
};

static void put_in_bin(struct bins *b, uint64_t v)
{
    const int octave = v > 0 ? 63 - __builtin_clzll(v) : 0;
    const size_t part = octave >= 6 ? (size_t)(v >> (octave - 6)) & 63 : (size_t)(v << (6 - octave)) & 63;
    const size_t i = (size_t)octave * 64 + part;

    if (b->n[i]++ == 0 || v < b->least[i])
        b->least[i] = v;
    if (b->n[i] == 1 || v > b->most[i])
        b->most[i] = v;
    b->all++;
}

/* Accurate to the width of a bin. */
static uint64_t median_of(const struct bins *b)
{
    size_t i = 0, below = 0;

    while (i < NBINS - 1 && below + b->n[i] <= b->all / 2)
        below += b->n[i++];
    return b->least[i];
}

struct jump {
    double ratio;
    uint64_t threshold; /* the geometric mean of the two neighbours */
};

static int by_ratio(const void *a, const void *b)
{
    const struct jump *x = a, *y = b;

    return (x->ratio < y->ratio) - (x->ratio > y->ratio);
}

/* The widest jumps, in descending order. Returns their number. */
static int widest_jumps(const struct bins *b, struct jump *jump, int room)
{
    uint64_t last = 0;
    int n = 0;

    for (size_t i = 0; i < NBINS; i++) {
        if (b->n[i] == 0)
            continue;
        const double ratio = last > 0 ? (double)b->least[i] / (double)last : 0;

        if (ratio >= LEAST_JUMP && (n < room || ratio > jump[n - 1].ratio)) {
            n += n < room;
            jump[n - 1] = (struct jump){ ratio, (uint64_t)(sqrt((double)b->least[i]) * sqrt((double)last)) };
            qsort(jump, (size_t)n, sizeof *jump, by_ratio);
        }
        last = b->most[i];
    }
    return n;
}

/* Otsu's method: maximizes the between-class variance of the logarithms. 0: all pauses are of the same length. */
static uint64_t otsu(const struct bins *b)
{
    double all = 0, below = 0, most = 0;
    size_t n = 0, at = 0, above;

    for (size_t i = 0; i < NBINS; i++)
        all += (double)b->n[i] * (double)i;
    for (size_t i = 0; i < NBINS; i++) {
        n += b->n[i];
        below += (double)b->n[i] * (double)i;
        if (b->n[i] == 0 || n == b->all)
            continue;
        const double rest = (double)(b->all - n), d = below / (double)n - (all - below) / rest;
        const double between = (double)n * rest * d * d;

        if (between > most) {
            most = between;
            at = i;
        }
    }
    if (most == 0)
        return 0;
    for (above = at + 1; b->n[above] == 0;)
        above++;
    return (uint64_t)(sqrt((double)b->most[at]) * sqrt((double)b->least[above])) + 1;
}

/* Noise fills the gaps between lengths. Where there are few between frequent ones, in steps of a quarter of an octave, are
 * the deepest valleys, in descending order. Returns their number. */
static int deepest_valleys(const struct bins *b, uint64_t threshold[DSN__VALLEYS])
{
    enum { PARTS = 16, WIDE = NBINS / PARTS };
    size_t n[WIDE] = { 0 }, left[WIDE], right[WIDE], chosen[DSN__VALLEYS];
    int found = 0;

    for (size_t i = 0; i < NBINS; i++)
        n[i / PARTS] += b->n[i];
    for (size_t i = 0, most = 0; i < WIDE; i++) {
        left[i] = most;
        most = n[i] > most ? n[i] : most;
    }
    for (size_t i = WIDE, most = 0; i-- > 0;) {
        right[i] = most;
        most = n[i] > most ? n[i] : most;
    }
    while (found < DSN__VALLEYS) {
        double deepest = LEAST_DEPTH;
        size_t at = WIDE, end;

        for (size_t i = 0; i < WIDE; i++) {
            const size_t beside = left[i] < right[i] ? left[i] : right[i];
            const double depth = (double)beside / (double)(n[i] + 1);
            int is_apart = depth >= deepest;

            /* something frequent is between two valleys, else they are one */
            for (int k = 0; k < found && is_apart; k++) {
                const size_t from = i < chosen[k] ? i : chosen[k], to = i < chosen[k] ? chosen[k] : i;
                size_t most = 0;

                for (size_t m = from; m <= to; m++)
                    most = n[m] > most ? n[m] : most;
                is_apart = most >= LEAST_DEPTH * (n[i] + 1) && most >= LEAST_DEPTH * (n[chosen[k]] + 1);
            }
            if (is_apart && (at == WIDE || depth > deepest)) {
                deepest = depth;
                at = i;
            }
        }
        if (at == WIDE)
            break;
        for (end = at + 1; end < WIDE && n[end] == n[at];)
            end++;
        chosen[found] = at;
        threshold[found++] = (uint64_t)exp2((double)(at + end) / 2 * PARTS / 64);
    }
    return found;
}

/* Whether about as long a pause is among them. */
static int has_threshold(const uint64_t *threshold, int n, uint64_t other)
{
    for (int i = 0; i < n; i++)
        if ((double)threshold[i] < 1.1 * (double)other && (double)other < 1.1 * (double)threshold[i])
            return 1;
    return 0;
}

int dsn__find_thresholds(const struct dsn__look *l, uint64_t threshold[DSN__THRESHOLDS])
{
    struct bins *gaps = calloc(2, sizeof *gaps), *durations = gaps + 1;
    struct jump jump[DSN__THRESHOLDS - 2];
    uint64_t split;
    int n;

    if (!gaps)
        return -1;
    for (size_t i = 0; i < l->n; i++) {
        put_in_bin(durations, l->ops[i].end - l->ops[i].start);
        if (i > 0 && l->gap[i] >= DSN_RHYTHM_LEAST_GAP)
            put_in_bin(gaps, l->gap[i]);
    }
    n = widest_jumps(gaps, jump, DSN__THRESHOLDS - 2);
    for (int i = 0; i < n; i++)
        threshold[i] = jump[i].threshold;
    split = n > 0 ? otsu(gaps) : 0;
    for (int i = 0; i < n && split > 0; i++)
        split = threshold[i] == split ? 0 : split;
    if (split > 0)
        threshold[n++] = split;
    /* If all pauses are similar, every operation is a burst if most pauses are longer than most operations, otherwise
     * all are one. */
    if (gaps->all > 0 && median_of(gaps) > median_of(durations))
        threshold[n++] = DSN_RHYTHM_LEAST_GAP;
    free(gaps);
    return n;
}

int dsn__find_valleys(const struct dsn__look *l, const uint64_t *threshold, int n, uint64_t valley[DSN__VALLEYS])
{
    struct bins *gaps = calloc(1, sizeof *gaps);
    uint64_t all[DSN__VALLEYS];
    int found, nnew = 0;

    if (!gaps)
        return -1;
    for (size_t i = 1; i < l->n; i++)
        if (l->gap[i] >= DSN_RHYTHM_LEAST_GAP)
            put_in_bin(gaps, l->gap[i]);
    found = deepest_valleys(gaps, all);
    for (int i = 0; i < found; i++)
        if (!has_threshold(threshold, n, all[i]))
            valley[nnew++] = all[i];
    free(gaps);
    return nnew;
}

/* ------------------------------------------------------------------ bursts */

int dsn__find_bursts(const struct dsn__look *l, uint64_t threshold, struct dsn_rhythm_part *p)
{
    size_t n = l->n > 0;
    uint64_t from = 0, to = 0; /* run time of the burst */
    struct dsn_rhythm_burst *b;

    for (size_t i = 1; i < l->n; i++)
        n += threshold > 0 && l->gap[i] >= threshold;
    p->threshold = (double)threshold / 1e9;
    p->bursts = b = calloc(n + 1, sizeof *p->bursts);
    if (!b)
        return 0;
    p->nbursts = n;
    for (size_t i = 0; i < l->n; i++) {
        const struct dsn_rhythm_op *op = &l->ops[i];
        const uint64_t begins = l->in->is_by_cpu ? op->other : op->start,
                       ends = l->in->is_by_cpu ? op->other_end : op->end;
        uint64_t *bytes;

        if (i > 0 && threshold > 0 && l->gap[i] >= threshold)
            b++;
        if (b->n++ == 0) {
            b->first = i;
            b->start = op->start;
            from = begins;
            to = ends;
        }
        from = begins < from ? begins : from;
        to = ends > to ? ends : to;
        b->takes = to > from ? to - from : 0;
        b->end = op->end > b->end ? op->end : b->end;
        b->ops += op->n;
        bytes = &b->bytes[l->in->kinds[op->kind].is_write];
        *bytes = dsn_rhythm_sum(*bytes, bytes_of(l, op));
    }
    return 1;
}

/* ------------------------------------------------------------------ signatures */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static int by_key(const void *a, const void *b)
{
    const struct dsn__run *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

/* Counts that differ by up to 2 % are similar. */
static int are_alike_runs(const struct dsn__run *x, const struct dsn__run *y)
{
    const double most = (double)(x->n > y->n ? x->n : y->n);

    return x->key == y->key && fabs((double)x->n - (double)y->n) <= most / 50;
}

static int are_alike(const struct dsn__look *l, size_t a, size_t b)
{
    const struct dsn__run *x = l->runs + l->run_of[a], *y = l->runs + l->run_of[b];
    const size_t n = l->run_of[a + 1] - l->run_of[a];

    if (l->run_of[b + 1] - l->run_of[b] != n)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (!are_alike_runs(&x[i], &y[i]))
            return 0;
    return 1;
}

/* 0: no memory. */
static int sign(struct dsn__look *l, struct dsn__idmap *kinds, struct dsn_rhythm_part *p, size_t burst, uint64_t hash)
{
    uint32_t first = dsn__idmap_add(kinds, hash, (uint32_t)burst);

    if (first == DSN_IDMAP_NONE)
        return 0;
    for (int i = 0; first != burst && !are_alike(l, first, burst); i++) {
        if (i == LONGEST_CHAIN) {
            p->bursts[burst].signature = (uint32_t)burst;
            return 1;
        }
        if (l->next[first] == 0)
            l->next[first] = (uint32_t)burst;
        first = l->next[first];
    }
    p->bursts[burst].signature = first;
    return 1;
}

static uint32_t key_of(const struct dsn__look *l, enum dsn_rhythm_likeness likeness, const struct dsn_rhythm_op *op)
{
    return likeness == DSN_LIKE_NAMES ? l->in->like[op->kind] : op->kind;
}

/* Runs of consecutive operations of the same kind. */
static size_t runs_in_order(const struct dsn__look *l, enum dsn_rhythm_likeness likeness,
                            const struct dsn_rhythm_burst *b, struct dsn__run *runs)
{
    size_t nruns = 0;

    for (size_t i = b->first; i < b->first + b->n; i++) {
        const uint32_t key = key_of(l, likeness, &l->ops[i]);

        if (nruns == 0 || runs[nruns - 1].key != key)
            runs[nruns++] = (struct dsn__run){ .key = key };
        runs[nruns - 1].n += l->ops[i].n;
        runs[nruns - 1].bytes = dsn_rhythm_sum(runs[nruns - 1].bytes, bytes_of(l, &l->ops[i]));
    }
    return nruns;
}

/* Runs of all operations of a kind, wherever they are in the burst. `at` has the run of each kind in the last burst
 * that contained it; the run itself shows whether it is of this burst. */
static size_t runs_of_kinds(const struct dsn__look *l, enum dsn_rhythm_likeness likeness,
                            const struct dsn_rhythm_burst *b, uint32_t *at, struct dsn__run *runs)
{
    size_t nruns = 0;

    for (size_t i = b->first; i < b->first + b->n; i++) {
        const uint32_t key = key_of(l, likeness, &l->ops[i]);

        if (at[key] >= nruns || runs[at[key]].key != key) {
            at[key] = (uint32_t)nruns;
            runs[nruns++] = (struct dsn__run){ .key = key };
        }
        runs[at[key]].n += l->ops[i].n;
        runs[at[key]].bytes = dsn_rhythm_sum(runs[at[key]].bytes, bytes_of(l, &l->ops[i]));
    }
    qsort(runs, nruns, sizeof *runs, by_key);
    return nruns;
}

/* Within a quarter, ignoring amounts below a hundredth of the other. */
static int are_alike_bytes(const struct dsn_rhythm_burst *x, const struct dsn_rhythm_burst *y)
{
    const double all = (double)x->bytes[0] + (double)x->bytes[1];

    for (int k = 0; k < 2; k++) {
        const double a = (double)x->bytes[k], b = (double)y->bytes[k];

        if ((a > all / 100 || b > all / 100) && (a > 1.25 * b || b > 1.25 * a))
            return 0;
    }
    return 1;
}

/* Assigns to each burst the first one that is similar. */
static void sign_by_bytes(struct dsn_rhythm_part *p)
{
    uint32_t first[MOST_SIZES];
    size_t n = 0, i;

    for (size_t b = 0; b < p->nbursts; b++) {
        for (i = 0; i < n && !are_alike_bytes(&p->bursts[first[i]], &p->bursts[b]);)
            i++;
        p->bursts[b].signature = i < n ? first[i] : (uint32_t)b;
        if (i == n && n < MOST_SIZES)
            first[n++] = (uint32_t)b;
    }
}

int dsn__find_signatures(struct dsn__look *l, enum dsn_rhythm_likeness likeness, struct dsn_rhythm_part *p)
{
    struct dsn__idmap kinds;
    uint32_t *at = NULL;
    size_t nruns = 0;
    int ok = 1;

    p->likeness = likeness;
    if (likeness == DSN_LIKE_BYTES)
        sign_by_bytes(p); /* those that are all alike have the first signature already */
    if (likeness >= DSN_LIKE_BYTES)
        return 1;
    if (likeness != DSN_LIKE_IN_ORDER && !(at = calloc(l->in->kind_index.used + 1, sizeof *at)))
        return 0;
    dsn__idmap_init(&kinds);
    memset(l->next, 0, (p->nbursts + 1) * sizeof *l->next);
    l->run_of[0] = 0;
    for (size_t b = 0; ok && b < p->nbursts; b++) {
        struct dsn__run *runs = l->runs + nruns;
        const size_t n =
            at ? runs_of_kinds(l, likeness, &p->bursts[b], at, runs) : runs_in_order(l, likeness, &p->bursts[b], runs);
        uint64_t hash = 0;

        for (size_t i = 0; i < n; i++)
            hash = mix(hash, runs[i].key);
        nruns += n;
        l->run_of[b + 1] = nruns;
        ok = sign(l, &kinds, p, b, hash);
    }
    dsn__idmap_free(&kinds);
    free(at);
    return ok;
}

/* ------------------------------------------------------------------ the largest piece of work */

/* Whether the burst contains the anchor: the run that moves the most bytes, or, if bytes are compared, the largest
 * burst. */
static int has_anchor(const struct dsn__look *l, const struct dsn_rhythm_part *p, size_t burst, size_t anchor)
{
    size_t i;

    if (p->likeness >= DSN_LIKE_BYTES)
        return are_alike_bytes(&p->bursts[burst], &p->bursts[anchor]);
    for (i = l->run_of[burst]; i < l->run_of[burst + 1];)
        if (are_alike_runs(&l->runs[i++], &l->runs[anchor]))
            return 1;
    return 0;
}

static size_t find_anchor(const struct dsn__look *l, const struct dsn_rhythm_part *p)
{
    size_t anchor = 0;

    if (p->likeness < DSN_LIKE_BYTES) {
        for (size_t i = 1; i < l->run_of[p->nbursts]; i++)
            anchor = l->runs[i].bytes > l->runs[anchor].bytes ? i : anchor;
        return anchor;
    }
    for (size_t i = 1; i < p->nbursts; i++)
        if (p->bursts[i].bytes[0] / 2 + p->bursts[i].bytes[1] / 2 >
            p->bursts[anchor].bytes[0] / 2 + p->bursts[anchor].bytes[1] / 2)
            anchor = i;
    return anchor;
}

int dsn__find_anchors(const struct dsn__look *l, struct dsn_rhythm_part *p)
{
    double *steps = malloc((p->nbursts + 1) * sizeof *steps);
    size_t last = 0, n = 0;

    if (!steps)
        return 0;
    if (p->nbursts > 0) {
        const size_t anchor = find_anchor(l, p);

        for (size_t b = 0; b < p->nbursts; b++) {
            if (!has_anchor(l, p, b, anchor))
                continue;
            if (p->anchors++ > 0)
                steps[n++] = (double)(p->bursts[b].start - p->bursts[last].start) / 1e9;
            last = b;
        }
    }
    qsort(steps, n, sizeof *steps, dsn__by_value);
    if (n > 0)
        p->interval = n % 2 ? steps[n / 2] : (steps[n / 2 - 1] + steps[n / 2]) / 2;
    free(steps);
    return 1;
}
