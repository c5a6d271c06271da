/* cycles.c - finds cycles, which are recurring sequences of bursts: how regular and how likely by chance they are
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/trace/pairmap.h"

#define LEAST_REPEATS 3
#define STEADY        0.3    /* maximum deviation over mean of a rhythm's period */
#define LONG_STEP     1.5    /* medians: a longer step has missing repeats */
#define FITS          0.25   /* medians: maximum distance of such a step from a multiple */
#define LIKELY        0.0005 /* probability by chance, given many attempts, from which on there is no rhythm */
#define LIKELY_BURSTS 0.005  /* likewise, for bursts that are far apart, which random operations do not form */
#define LIKELY_ORDER  0.01   /* probability by chance from which on there is no cycle */

struct finding {
    struct dsn_rhythm_part *p;
    uint32_t *count;     /* by signature */
    uint32_t *signature; /* of each burst; a compact copy, because they are compared with many others */
    double *step, *sorted;
    size_t cycles_room;
    int is_well_separated;
    double chance_of_order; /* of the current cycle */
};

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > INT64_MAX - b || b > INT64_MAX ? INT64_MAX : a + b;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ------------------------------------------------------------------ sequences that recur */

/* The longest cycle that starts at burst `at`; repeats 0: none. `agree[period]` is up to where bursts are known to
 * match those a period later: it only increases, so that all calls together take linear time. */
static struct dsn_rhythm_cycle best_cycle(const uint32_t *signature, size_t nbursts, size_t at,
                                          size_t agree[DSN_RHYTHM_MAX_PERIOD + 1])
{
    struct dsn_rhythm_cycle best = { .first = at };

    for (size_t period = 1; period <= DSN_RHYTHM_MAX_PERIOD && at + LEAST_REPEATS * period <= nbursts; period++) {
        size_t to = agree[period] > at ? agree[period] : at;

        while (to + period < nbursts && signature[to] == signature[to + period])
            to++;
        agree[period] = to;
        if (to - at < (LEAST_REPEATS - 1) * period) /* mostly so, and far cheaper than the division */
            continue;
        const size_t repeats = (to - at) / period + 1;

        if (repeats * period > best.repeats * best.period) {
            best.period = period;
            best.repeats = repeats;
        }
    }
    return best;
}

/* Number of bursts from `at` on that match the cycle's first repeat, in order. */
static size_t matching(const struct dsn_rhythm_part *p, const struct dsn_rhythm_cycle *c, size_t at)
{
    size_t i = 0;

    while (i < c->period && at + i < p->nbursts && p->bursts[at + i].signature == p->bursts[c->first + i].signature)
        i++;
    return i;
}

static void mark(struct dsn_rhythm_part *p, struct dsn_rhythm_cycle *c, uint32_t number, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct dsn_rhythm_burst *b = &p->bursts[at + i];

        b->cycle = number;
        b->place = (uint32_t)(i % c->period);
        b->is_partial = n < c->period;
        c->last = at + i;
        if (b->is_partial)
            continue;
        c->ops += b->ops;
        c->bytes[0] = sum(c->bytes[0], b->bytes[0]);
        c->bytes[1] = sum(c->bytes[1], b->bytes[1]);
        c->end = b->end > c->end ? b->end : c->end;
    }
}

/* Where the cycle continues after an interruption of at most two periods; 0: it does not. */
static size_t goes_on(const struct dsn_rhythm_part *p, const struct dsn_rhythm_cycle *c, size_t from)
{
    for (size_t at = from; at <= from + 2 * c->period && at + c->period <= p->nbursts; at++)
        if (matching(p, c, at) == c->period)
            return at;
    return 0;
}

/* Marks the bursts of the cycle, skipping interruptions; returns the burst after it. */
static size_t follow(struct dsn_rhythm_part *p, struct dsn_rhythm_cycle *c, uint32_t number)
{
    size_t at = c->first, n;

    c->start = p->bursts[c->first].start;
    c->repeats = 0;
    for (;;) {
        while ((n = matching(p, c, at)) == c->period) {
            mark(p, c, number, at, n);
            c->repeats++;
            at += n;
        }
        mark(p, c, number, at, n);
        at += n;
        if (2 * c->interruptions > c->repeats || (n = goes_on(p, c, at - n)) == 0)
            return at;
        at = n;
        c->interruptions++;
    }
}

/* ------------------------------------------------------------------ how steady they are */

double dsn__chance_of_steps(size_t n, double variation)
{
    const double d = (double)n - 1;
    double log_chance;

    if (n < 2)
        return 1;
    if (variation <= 0)
        return 0;
    /* Intervals of random events, divided by their sum, are uniform on a simplex of d dimensions; those with so little
     * variation are in a ball around its centre. */
    log_chance = d / 2 * log(M_PI) - lgamma(d / 2 + 1) + d * log(variation / sqrt((double)n)) + lgamma(d + 1) -
                 log((double)n) / 2;
    return log_chance < 0 ? exp(log_chance) : 1;
}

/* Seconds from the start of each repeat to that of the next. */
static size_t take_steps(const struct dsn_rhythm_part *p, const struct dsn_rhythm_cycle *c, uint32_t number,
                         double *step)
{
    size_t n = 0, before = c->first;

    for (size_t i = c->first + 1; i <= c->last; i++)
        if (p->bursts[i].cycle == number && p->bursts[i].place == 0) {
            step[n++] = (double)(p->bursts[i].start - p->bursts[before].start) / 1e9;
            before = i;
        }
    return n;
}

/* Divides steps with missing repeats by their number, if these are few; drops those that do not fit. Returns the number
 * of steps left. */
static size_t divide_long_steps(struct dsn_rhythm_cycle *c, double *step, size_t n, double median, size_t *longer)
{
    size_t left = 0;

    *longer = 0;
    for (size_t i = 0; i < n; i++)
        *longer += step[i] >= LONG_STEP * median;
    if (*longer == 0 || (*longer > n / 5 && *longer > c->interruptions) || *longer > n / 2 || !(median > 0))
        return n;
    for (size_t i = 0; i < n; i++) {
        const double k = round(step[i] / median);

        if (step[i] < LONG_STEP * median) {
            step[left++] = step[i];
        } else if (k >= 2 && k < 1e6 && fabs(step[i] - k * median) <= FITS * median) {
            step[left++] = step[i] / k;
            c->missing += (size_t)k - 1;
        }
    }
    return left;
}

static double log_choose(size_t n, size_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* Logarithm of the probability that bursts in random order repeat like this, anywhere and with any period. */
static double log_chance_of_order(const struct finding *f, const struct dsn_rhythm_cycle *c)
{
    const double all = (double)f->p->nbursts, covered = (double)c->repeats * (double)c->period;
    double log_once = 0;

    for (size_t i = 0; i < c->period; i++)
        log_once += log((double)f->count[f->p->bursts[c->first + i].signature] / all);
    return (double)(c->repeats - 1) * log_once + log(all - covered + 1) + log((double)c->period);
}

static void judge(struct finding *f, struct dsn_rhythm_cycle *c, uint32_t number)
{
    size_t n = take_steps(f->p, c, number, f->step), longer, used;
    double steps = 0, squares = 0, median, log_order = log_chance_of_order(f, c), log_chance;

    memcpy(f->sorted, f->step, n * sizeof *f->sorted);
    qsort(f->sorted, n, sizeof *f->sorted, by_value);
    median = f->sorted[n / 2];
    used = divide_long_steps(c, f->step, n, median, &longer);
    for (size_t i = 0; i < used; i++)
        steps += f->step[i];
    c->mean = used > 0 ? steps / (double)used : 0;
    for (size_t i = 0; i < used; i++)
        squares += (f->step[i] - c->mean) * (f->step[i] - c->mean);
    c->deviation = used > 0 ? sqrt(squares / (double)used) : 0;
    log_chance = log(dsn__chance_of_steps(used, c->mean > 0 ? c->deviation / c->mean : 1)) + log_order;
    if (used < n || longer > 0)
        log_chance += log_choose(n, longer < n ? longer : n);
    /* it could have been interrupted anywhere, and have resumed in many places */
    log_chance += log_choose(c->repeats + c->interruptions, c->interruptions) +
                  (double)c->interruptions * log(2 * (double)c->period + 1);
    c->chance = log_chance < 0 ? exp(log_chance) : 1;
    f->chance_of_order = log_order < 0 ? exp(log_order) : 1;
    c->is_regular = used >= 2 && c->mean > 0 && c->deviation <= STEADY * c->mean &&
                    c->chance <= (f->is_well_separated ? LIKELY_BURSTS : LIKELY);
}

static void unmark(struct dsn_rhythm_part *p, const struct dsn_rhythm_cycle *c, uint32_t number)
{
    for (size_t i = c->first; i <= c->last; i++)
        if (p->bursts[i].cycle == number) {
            p->bursts[i].cycle = p->bursts[i].place = 0;
            p->bursts[i].is_partial = 0;
        }
}

/* ------------------------------------------------------------------ what follows of them */

/* Predicts the next burst from the step at the same place in earlier repeats. */
static void predict(struct finding *f)
{
    struct dsn_rhythm_part *p = f->p;
    const struct dsn_rhythm_burst *last = &p->bursts[p->nbursts - 1];
    const struct dsn_rhythm_cycle *c = last->cycle ? &p->cycles[last->cycle - 1] : NULL;
    double steps = 0, squares = 0, median;
    size_t n = 0, used = 0;

    if (!c || !c->is_regular)
        return;
    p->next_place = (uint32_t)((last->place + 1) % c->period);
    for (size_t i = c->first; i + 1 < p->nbursts; i++) {
        const struct dsn_rhythm_burst *b = &p->bursts[i];

        if (b->cycle == last->cycle && b[1].cycle == last->cycle && b->place == last->place &&
            b[1].place == p->next_place)
            f->step[n++] = (double)(b[1].start - b->start) / 1e9;
    }
    if (n == 0)
        return;
    memcpy(f->sorted, f->step, n * sizeof *f->sorted);
    qsort(f->sorted, n, sizeof *f->sorted, by_value);
    median = f->sorted[n / 2];
    for (size_t i = 0; i < n; i++)
        if (f->step[i] <= LONG_STEP * median) {
            steps += f->step[i];
            squares += f->step[i] * f->step[i];
            used++;
        }
    p->next_known = 1;
    p->next = (double)last->start / 1e9 + steps / (double)used;
    squares = squares / (double)used - steps / (double)used * (steps / (double)used);
    p->next_within = squares > 0 ? sqrt(squares) : 0;
}

static void add_up(struct dsn_rhythm_part *p)
{
    double covered = 0, steady = 0, bytes = 0, all = (double)p->bytes[0] + (double)p->bytes[1], most = 0;

    for (size_t i = 0; i < p->ncycles; i++) {
        const struct dsn_rhythm_cycle *c = &p->cycles[i];
        const double moved = (double)c->bytes[0] + (double)c->bytes[1];
        double part = p->ops > 0 ? (double)c->ops / (double)p->ops : 0;

        covered += (double)c->ops;
        if (!c->is_regular)
            continue;
        steady += (double)c->ops;
        bytes += moved;
        part = all > 0 && moved / all > part ? moved / all : part;
        if (part > most) {
            most = part;
            p->rhythm = (uint32_t)(i + 1);
        }
    }
    p->regularity = p->ops > 0 ? covered / (double)p->ops : 0;
    p->steadiness = p->ops > 0 ? steady / (double)p->ops : 0;
    if (all > 0 && bytes / all > p->steadiness)
        p->steadiness = bytes / all;
}

static int find(struct finding *f)
{
    struct dsn_rhythm_part *p = f->p;
    size_t agree[DSN_RHYTHM_MAX_PERIOD + 1] = { 0 };

    for (size_t i = 0; i < p->nbursts; i++) {
        f->signature[i] = p->bursts[i].signature;
        if (++f->count[p->bursts[i].signature] > p->alike)
            p->alike = f->count[p->bursts[i].signature];
    }
    for (size_t at = 0; at < p->nbursts;) {
        struct dsn_rhythm_cycle c = best_cycle(f->signature, p->nbursts, at, agree);
        const uint32_t number = (uint32_t)p->ncycles + 1;
        void *cycles = p->cycles;

        if (c.repeats == 0) {
            at++;
            continue;
        }
        at = follow(p, &c, number);
        judge(f, &c, number);
        if (!c.is_regular && f->chance_of_order > LIKELY_ORDER) {
            unmark(p, &c, number);
            continue;
        }
        if (!dsn__grow(&cycles, &f->cycles_room, sizeof *p->cycles, p->ncycles))
            return 0;
        p->cycles = cycles;
        p->cycles[p->ncycles++] = c;
    }
    add_up(p);
    if (p->nbursts > 0)
        predict(f);
    return 1;
}

int dsn__find_cycles(struct dsn_rhythm_part *p, int is_well_separated)
{
    struct finding f = { .p = p, .is_well_separated = is_well_separated };
    int ok;

    f.count = calloc(p->nbursts + 1, sizeof *f.count);
    f.signature = malloc((p->nbursts + 1) * sizeof *f.signature);
    f.step = malloc((p->nbursts + 1) * sizeof *f.step);
    f.sorted = malloc((p->nbursts + 1) * sizeof *f.sorted);
    ok = f.count && f.signature && f.step && f.sorted && find(&f);
    free(f.count);
    free(f.signature);
    free(f.step);
    free(f.sorted);
    return ok;
}
