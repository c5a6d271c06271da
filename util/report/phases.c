/* phases.c - bursts of I/O, and cycles in which they recur
 * SPDX-License-Identifier: BSD-3-Clause */
#include "util/report/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/idmap.h"

#define LEAST_REPEATS 3
#define LEAST_JUMP    2 /* from one gap to the next longer one */

/* A run of events with one key. */
struct run {
    uint64_t key;
    size_t n;
    int64_t bytes;
};

struct finding {
    struct dsn_event *events;
    size_t n;
    struct dsn_phases *p;
    struct run *runs;        /* of all bursts, one after the other */
    size_t *run_of;          /* the first of each burst's; nbursts + 1 of them */
    struct dsn__idmap kinds; /* by the hash of the keys: number of the first burst that has them */
    uint32_t *next;          /* the next burst of another signature with the same hash; 0: none */
};

static int by_key(const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sums of a damaged log end at what there is room for. */
static int64_t sum(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* ------------------------------------------------------------------ order of time */

/* The end of the ascending run that begins at `from`. */
static size_t run_end(const struct dsn_event *e, size_t from, size_t n)
{
    size_t i = from + 1;

    while (i < n && e[i].start >= e[i - 1].start)
        i++;
    return i < n ? i : n;
}

static void merge(const struct dsn_event *e, size_t from, size_t middle, size_t end, struct dsn_event *to)
{
    size_t a = from, b = middle;

    for (size_t i = from; i < end; i++)
        to[i] = b == end || (a < middle && e[a].start <= e[b].start) ? e[a++] : e[b++];
}

/* Merges the ascending runs that there are, for a trace is made of few of them. 0: no memory. */
static int sort_by_start(struct dsn_event *events, size_t n)
{
    struct dsn_event *from = events, *to;

    if (n == 0 || run_end(events, 0, n) == n)
        return 1;
    to = malloc(n * sizeof *to);
    if (!to)
        return 0;
    struct dsn_event *const room = to;

    while (run_end(from, 0, n) < n) {
        struct dsn_event *const other = from;

        for (size_t i = 0; i < n;) {
            const size_t middle = run_end(from, i, n), end = middle < n ? run_end(from, middle, n) : n;

            merge(from, i, middle, end, to);
            i = end;
        }
        from = to;
        to = other;
    }
    if (from == room)
        memcpy(events, room, n * sizeof *room);
    free(room);
    return 1;
}

/* ------------------------------------------------------------------ bursts */

/* gap[i]: the pause before events[i], 0 if something was still going on. */
static void measure_gaps(const struct dsn_event *e, size_t n, double *gap)
{
    double end = n > 0 ? e[0].end : 0;

    for (size_t i = 1; i < n; i++) {
        gap[i] = e[i].start > end ? e[i].start - end : 0;
        end = e[i].end > end ? e[i].end : end;
    }
}

/* Numbers by their size: a bin for every 64th of an octave, from DSN_LEAST_GAP on. */
#define BINS_PER_OCTAVE 64
#define NBINS           (64 * BINS_PER_OCTAVE)

struct bins {
    size_t n[NBINS];
    double least[NBINS], most[NBINS];
    size_t all;
};

static void put_in_bin(struct bins *b, double v)
{
    const double at = v > DSN_LEAST_GAP ? log2(v / DSN_LEAST_GAP) * BINS_PER_OCTAVE : 0;
    const size_t i = at < NBINS - 1 ? (size_t)at : NBINS - 1;

    if (b->n[i]++ == 0 || v < b->least[i])
        b->least[i] = v;
    if (b->n[i] == 1 || v > b->most[i])
        b->most[i] = v;
    b->all++;
}

/* Within the width of a bin. */
static double median_of(const struct bins *b)
{
    size_t i = 0, below = 0;

    while (i < NBINS - 1 && below + b->n[i] <= b->all / 2)
        below += b->n[i++];
    return b->least[i];
}

/* The geometric mean of the two neighbours at the widest jump, if that is LEAST_JUMP: numbers in one bin differ by
 * less, so only those of neighbouring bins need be looked at. 0: there is none. */
static double widest_jump(const struct bins *b)
{
    double widest = LEAST_JUMP, threshold = 0, last = 0;

    for (size_t i = 0; i < NBINS; i++) {
        if (b->n[i] == 0)
            continue;
        if (last > 0 && b->least[i] / last >= widest) {
            widest = b->least[i] / last;
            threshold = sqrt(b->least[i] * last);
        }
        last = b->most[i];
    }
    return threshold;
}

/* Where no gap is twice as long as the next shorter one, gaps are of one kind: all part bursts if most are longer than
 * most events, else none does. Returns 0 for the latter; negative: no memory. */
static double find_threshold(const struct dsn_event *e, const double *gap, size_t n)
{
    struct bins *gaps = calloc(2, sizeof *gaps), *durations = gaps + 1;
    double threshold = -1;

    if (!gaps)
        return threshold;
    for (size_t i = 0; i < n; i++) {
        put_in_bin(durations, e[i].end - e[i].start);
        if (i > 0 && gap[i] >= DSN_LEAST_GAP)
            put_in_bin(gaps, gap[i]);
    }
    threshold = widest_jump(gaps);
    if (threshold == 0 && gaps->all > 0 && median_of(gaps) > median_of(durations))
        threshold = DSN_LEAST_GAP;
    free(gaps);
    return threshold;
}

static void fill_burst(struct dsn_burst *b, const struct dsn_event *e)
{
    b->start = e[b->first].start;
    b->end = b->start;
    b->read = b->written = 0;
    for (size_t i = b->first; i < b->first + b->n; i++) {
        b->end = e[i].end > b->end ? e[i].end : b->end;
        int64_t *bytes = e[i].is_write ? &b->written : &b->read;

        *bytes = sum(*bytes, (int64_t)e[i].bytes);
    }
}

/* 0: no memory. */
static int find_bursts(struct finding *f, const double *gap)
{
    struct dsn_phases *p = f->p;
    size_t n = f->n > 0;

    for (size_t i = 1; i < f->n; i++)
        n += p->threshold > 0 && gap[i] >= p->threshold;
    p->bursts = calloc(n + 1, sizeof *p->bursts);
    if (!p->bursts)
        return 0;
    for (size_t i = 0; i < f->n; i++) {
        if (i == 0 || (p->threshold > 0 && gap[i] >= p->threshold))
            p->bursts[p->nbursts++].first = i;
        p->bursts[p->nbursts - 1].n++;
    }
    for (size_t i = 0; i < p->nbursts; i++)
        fill_burst(&p->bursts[i], f->events);
    return 1;
}

/* ------------------------------------------------------------------ signatures */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Counts that differ by up to 2 % are alike. */
static int are_alike_runs(const struct run *x, const struct run *y)
{
    const double most = (double)(x->n > y->n ? x->n : y->n);

    return x->key == y->key && fabs((double)x->n - (double)y->n) <= most / 50;
}

static int are_alike(const struct finding *f, size_t a, size_t b)
{
    const struct run *x = f->runs + f->run_of[a], *y = f->runs + f->run_of[b];
    const size_t n = f->run_of[a + 1] - f->run_of[a];

    if (f->run_of[b + 1] - f->run_of[b] != n)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (!are_alike_runs(&x[i], &y[i]))
            return 0;
    return 1;
}

/* 0: no memory. */
static int sign(struct finding *f, size_t burst, uint64_t hash)
{
    uint32_t first = dsn__idmap_add(&f->kinds, hash, (uint32_t)burst);

    if (first == DSN_IDMAP_NONE)
        return 0;
    while (first != burst && !are_alike(f, first, burst)) {
        if (f->next[first] == 0)
            f->next[first] = (uint32_t)burst;
        first = f->next[first];
    }
    f->p->bursts[burst].signature = first;
    return 1;
}

/* What comes one after the other, of the same kind. */
static size_t runs_in_order(const struct dsn_event *e, size_t n, struct run *runs)
{
    size_t nruns = 0;

    for (size_t i = 0; i < n; i++) {
        if (i == 0 || e[i].key != e[i - 1].key)
            runs[nruns++] = (struct run){ .key = e[i].key };
        runs[nruns - 1].n++;
        runs[nruns - 1].bytes = sum(runs[nruns - 1].bytes, (int64_t)e[i].bytes);
    }
    return nruns;
}

/* All of the same kind, wherever they are. `keys` remembers where the run of each kind was in the last burst that had
 * it; whether it is there in this one, that run tells. Returns SIZE_MAX if there is no memory. */
static size_t runs_of_kinds(const struct dsn_event *e, size_t n, struct dsn__idmap *keys, struct run *runs)
{
    size_t nruns = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t at = dsn__idmap_add(keys, e[i].key, (uint32_t)nruns);

        if (at == DSN_IDMAP_NONE)
            return SIZE_MAX;
        if (at >= nruns || runs[at].key != e[i].key) {
            at = (uint32_t)nruns;
            dsn__idmap_set(keys, e[i].key, at);
            runs[nruns++] = (struct run){ .key = e[i].key };
        }
        runs[at].n++;
        runs[at].bytes = sum(runs[at].bytes, (int64_t)e[i].bytes);
    }
    qsort(runs, nruns, sizeof *runs, by_key);
    return nruns;
}

static int find_signatures(struct finding *f, enum dsn_burst_order order)
{
    struct dsn__idmap keys;
    size_t nruns = 0;
    int ok;

    f->runs = calloc(f->n + 1, sizeof *f->runs);
    f->run_of = calloc(f->p->nbursts + 1, sizeof *f->run_of);
    f->next = calloc(f->p->nbursts + 1, sizeof *f->next);
    dsn__idmap_init(&keys);
    ok = f->runs && f->run_of && f->next;
    for (size_t b = 0; ok && b < f->p->nbursts; b++) {
        const struct dsn_burst *burst = &f->p->bursts[b];
        const struct dsn_event *e = f->events + burst->first;
        struct run *runs = f->runs + nruns;
        const size_t n =
            order == DSN_ANY_ORDER ? runs_of_kinds(e, burst->n, &keys, runs) : runs_in_order(e, burst->n, runs);
        uint64_t hash = 0;

        for (size_t i = 0; n < SIZE_MAX && i < n; i++)
            hash = mix(hash, runs[i].key);
        nruns += n < SIZE_MAX ? n : 0;
        f->run_of[b + 1] = nruns;
        ok = n < SIZE_MAX && sign(f, b, hash);
    }
    dsn__idmap_free(&keys);
    return ok;
}

/* ------------------------------------------------------------------ cycles */

static void fill_cycle(struct dsn_phases *p, struct dsn_cycle *c)
{
    const size_t n = c->period * c->repeats;
    double steps = 0, squares = 0;

    c->start = p->bursts[c->first].start;
    c->end = p->bursts[c->first + n - 1].end;
    for (size_t i = 0; i < n; i++) {
        c->read = sum(c->read, p->bursts[c->first + i].read);
        c->written = sum(c->written, p->bursts[c->first + i].written);
    }
    for (size_t i = 1; i < c->repeats; i++) {
        const double step = p->bursts[c->first + i * c->period].start - p->bursts[c->first + (i - 1) * c->period].start;

        steps += step;
        squares += step * step;
    }
    c->mean = steps / (double)(c->repeats - 1);
    squares = squares / (double)(c->repeats - 1) - c->mean * c->mean;
    c->deviation = squares > 0 ? sqrt(squares) : 0;
}

/* The longest stretch from burst `at` on that is a cycle; repeats 0: there is none. `agree[period]` is how far bursts
 * are known to be like those a period later: it only moves on, so that all calls together take linear time. */
static struct dsn_cycle best_cycle(const struct dsn_phases *p, size_t at, size_t agree[DSN_MAX_PERIOD + 1])
{
    struct dsn_cycle best = { .first = at };

    for (size_t period = 1; period <= DSN_MAX_PERIOD && at + LEAST_REPEATS * period <= p->nbursts; period++) {
        size_t to = agree[period] > at ? agree[period] : at;

        while (to + period < p->nbursts && p->bursts[to].signature == p->bursts[to + period].signature)
            to++;
        agree[period] = to;
        const size_t repeats = (to - at) / period + 1;

        if (repeats >= LEAST_REPEATS && repeats * period > best.repeats * best.period) {
            best.period = period;
            best.repeats = repeats;
        }
    }
    return best;
}

static void find_cycles(struct dsn_phases *p)
{
    size_t agree[DSN_MAX_PERIOD + 1] = { 0 }, covered = 0;

    for (size_t at = 0; at < p->nbursts;) {
        struct dsn_cycle c = best_cycle(p, at, agree);

        if (c.repeats == 0) {
            at++;
            continue;
        }
        fill_cycle(p, &c);
        for (size_t i = 0; i < c.period * c.repeats; i++)
            covered += p->bursts[at + i].n;
        if (p->ncycles < DSN_MAX_CYCLES)
            p->cycle[p->ncycles++] = c;
        at += c.period * c.repeats;
    }
    p->regularity = p->nevents > 0 ? (double)covered / (double)p->nevents : 0;
}

/* 0: no memory. */
static int find_anchor(const struct finding *f)
{
    struct dsn_phases *p = f->p;
    double *room = malloc((p->nbursts + 1) * sizeof *room);
    size_t anchor = 0, last = 0, n = 0;

    if (!room)
        return 0;
    for (size_t i = 1; i < f->run_of[p->nbursts]; i++)
        if (f->runs[i].bytes > f->runs[anchor].bytes)
            anchor = i;
    for (size_t b = 0; b < p->nbursts; b++) {
        size_t i = f->run_of[b];

        while (i < f->run_of[b + 1] && !are_alike_runs(&f->runs[i], &f->runs[anchor]))
            i++;
        if (i == f->run_of[b + 1])
            continue;
        if (p->anchors++ > 0)
            room[n++] = p->bursts[b].start - p->bursts[last].start;
        last = b;
    }
    qsort(room, n, sizeof *room, by_value);
    if (n > 0)
        p->interval = n % 2 ? room[n / 2] : (room[n / 2 - 1] + room[n / 2]) / 2;
    free(room);
    return 1;
}

/* 0: no memory. */
static int part(struct finding *f, double threshold)
{
    double *gap = calloc(f->n + 1, sizeof *gap);
    int ok = gap && sort_by_start(f->events, f->n);

    if (ok) {
        measure_gaps(f->events, f->n, gap);
        f->p->threshold = threshold > 0 ? threshold : find_threshold(f->events, gap, f->n);
        ok = f->p->threshold >= 0 && find_bursts(f, gap);
    }
    free(gap);
    return ok;
}

int dsn_phases_find(struct dsn_event *events, size_t n, enum dsn_burst_order order, double threshold,
                    struct dsn_phases *out)
{
    struct finding f = { .events = events, .n = n, .p = out };
    int ok;

    memset(out, 0, sizeof *out);
    out->nevents = n;
    dsn__idmap_init(&f.kinds);
    ok = part(&f, threshold) && find_signatures(&f, order);
    if (ok) {
        find_cycles(out);
        ok = find_anchor(&f);
    }
    free(f.runs);
    free(f.run_of);
    free(f.next);
    dsn__idmap_free(&f.kinds);
    if (!ok)
        dsn_phases_free(out);
    return ok;
}

void dsn_phases_free(struct dsn_phases *p)
{
    free(p->bursts);
    p->bursts = NULL;
    p->nbursts = p->ncycles = 0;
}
