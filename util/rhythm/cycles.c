/* cycles.c - finds cycles, which are recurring sequences of bursts: how regular and how likely by chance they are
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/grow.h"
#include "util/trace/pairmap.h"

#define LEAST_REPEATS 3
#define LIKELY        5e-4 /* probability by chance, given many attempts, from which on there is no rhythm */
#define LIKELY_FEW    1e-4 /* likewise, for less than FEW bursts */
#define FEW           10
#define LIKELY_PARTLY 1e-6  /* likewise, if some are missing or passed over, which may be found in many ways */
#define FEW_STRANGERS 10    /* repeats of a sequence for each one that does not fit */
#define LIKELY_ORDER  0.01  /* probability by chance from which on there is no cycle */
#define LEAST_EVENTS  5     /* of one signature, whatever comes between */
#define MOST_CLASSES  64    /* signatures that are tried by themselves, those with most bytes */
#define MOST_NESTED   16    /* cycles that may nest, likewise */
#define NESTS         0.005 /* maximum distance of the ratio of two periods from a whole number, relative */
#define MANY_TIMES    10    /* ratio of periods from which on it may be off by one: lines that come with a checkpoint */
#define OFF           2     /* repeats by which their number may differ from the ratio of the periods */
#define OVERLAPS      0.8   /* minimum share of the outer cycle's time in which there is the inner one */
#define JOINS         1     /* of its bursts, so many others may come before a cycle goes on */
#define LOOKS_BACK    8     /* cycles: so many of the last ones it may be */
#define EVENLY        2     /* medians: what a burst has beyond that is not explained by the cycle */
#define AGREE         0.75  /* minimum share of the outer cycle's repeats with the same number of the inner one's */

struct finding {
    struct dsn_rhythm_part *p;
    uint32_t *count;     /* by signature */
    uint32_t *signature; /* of each burst; a compact copy, because they are compared with many others */
    double *time, *step; /* of events, in seconds */
    unsigned char *fits;
    size_t *event; /* burst of each */
    size_t cycles_room;
    double resolution;      /* seconds: start times are no more exact than that */
    double chance_of_order; /* of the current cycle */
};

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
        c->own_ops += b->ops;
        c->own_bytes[0] = dsn_rhythm_sum(c->own_bytes[0], b->bytes[0]);
        c->own_bytes[1] = dsn_rhythm_sum(c->own_bytes[1], b->bytes[1]);
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

/* Logarithm of the probability that bursts in random order repeat like this, anywhere and with any period. */
static double log_chance_of_order(const struct finding *f, const struct dsn_rhythm_cycle *c)
{
    const double all = (double)f->p->nbursts, covered = (double)c->repeats * (double)c->period;
    double log_once = 0;

    for (size_t i = 0; i < c->period; i++)
        log_once += log((double)f->count[f->p->bursts[c->first + i].signature] / all);
    return (double)(c->repeats - 1) * log_once + log(all - covered + 1) + log((double)c->period);
}

/* `log_chance`: of what was seen besides the steps. */
static void take_steps(struct dsn_rhythm_cycle *c, const struct dsn__steps *s, double log_chance)
{
    log_chance += s->log_chance;
    c->mean = s->mean;
    c->deviation = s->deviation;
    c->trend[0] = s->trend[0];
    c->trend[1] = s->trend[1];
    c->missing = s->missing;
    c->chance = log_chance < 0 ? exp(log_chance) : 1;
    c->is_regular = s->used >= 2 && s->is_steady &&
                    c->chance <= (s->missing > 0 || s->strangers > 0 ? LIKELY_PARTLY
                                  : (s->used + 1) * c->period < FEW  ? LIKELY_FEW
                                                                     : LIKELY);
}

static void judge(struct finding *f, struct dsn_rhythm_cycle *c, uint32_t number)
{
    const double log_order = log_chance_of_order(f, c);
    /* it could have been interrupted anywhere, and have resumed in many places */
    const double log_ways = dsn__log_choose(c->repeats + c->interruptions, c->interruptions) +
                            (double)c->interruptions * log(2 * (double)c->period + 1);
    struct dsn__steps s;
    size_t n = 0;

    for (size_t i = c->first; i <= c->last; i++)
        if (f->p->bursts[i].cycle == number && f->p->bursts[i].place == 0)
            f->time[n++] = (double)f->p->bursts[i].start / 1e9;
    s = dsn__fit_steps(f->time, n, f->resolution, f->step, f->fits);
    f->chance_of_order = log_order < 0 ? exp(log_order) : 1;
    take_steps(c, &s, log_order + log_ways);
    c->is_regular = c->is_regular && s.strangers <= s.used / FEW_STRANGERS;
}

static void unmark(struct dsn_rhythm_part *p, const struct dsn_rhythm_cycle *c, uint32_t number)
{
    for (size_t i = c->first; i <= c->last; i++)
        if (p->bursts[i].cycle == number) {
            p->bursts[i].cycle = p->bursts[i].place = 0;
            p->bursts[i].is_partial = 0;
        }
}

/* Bursts that are taken as alike whatever they move may hide larger ones that come less often. */
static double even_bytes(struct finding *f, const struct dsn_rhythm_cycle *c, uint32_t number)
{
    const struct dsn_rhythm_part *p = f->p;
    double all = 0;
    size_t n = 0;

    if (p->likeness != DSN_LIKE_ANY)
        return (double)c->own_bytes[0] + (double)c->own_bytes[1];
    for (size_t i = c->first; i <= c->last; i++)
        if (p->bursts[i].cycle == number)
            f->step[n++] = (double)p->bursts[i].bytes[0] + (double)p->bursts[i].bytes[1];
    qsort(f->step, n, sizeof *f->step, dsn__by_value);
    for (size_t i = 0; i < n; i++)
        all += f->step[i] < EVENLY * f->step[n / 2] ? f->step[i] : EVENLY * f->step[n / 2];
    return all;
}

/* 0: no memory. */
static int add_cycle(struct finding *f, struct dsn_rhythm_cycle *c)
{
    struct dsn_rhythm_part *p = f->p;

    c->even_bytes = even_bytes(f, c, (uint32_t)p->ncycles + 1);
    if (!dsn_grow_zeroed(&p->cycles, &f->cycles_room, sizeof *p->cycles, p->ncycles))
        return 0;
    p->cycles[p->ncycles] = *c;
    p->cycles[p->ncycles].threshold = p->threshold;
    p->cycles[p->ncycles++].likeness = p->likeness;
    return 1;
}

/* The place in `a` at which `b` begins, if both are the same sequence of bursts, begun elsewhere; else their period. */
static size_t shift_of(const struct finding *f, const struct dsn_rhythm_cycle *a, const struct dsn_rhythm_cycle *b)
{
    const uint32_t *x = f->signature + a->first, *y = f->signature + b->first;
    size_t shift = a->period == b->period ? 0 : a->period;

    for (size_t i = 0; shift < a->period && i < a->period; i++)
        if (x[(shift + i) % a->period] != y[i]) {
            shift++;
            i = SIZE_MAX; /* begins again */
        }
    return shift;
}

/* Gives the bursts of a cycle another number, and places that are moved by `shift`. */
static void renumber(struct dsn_rhythm_part *p, const struct dsn_rhythm_cycle *c, uint32_t from, uint32_t to,
                     size_t shift)
{
    for (size_t i = c->first; i <= c->last; i++)
        if (p->bursts[i].cycle == from) {
            p->bursts[i].cycle = to;
            p->bursts[i].place = (uint32_t)((p->bursts[i].place + shift) % c->period);
        }
}

/* A sequence that goes on after a longer interruption, at another place, is the same cycle: joins it to one of the last few,
 * unless only each by itself is regular. Returns whether it did. */
static int join_earlier(struct finding *f, const struct dsn_rhythm_cycle *c, uint32_t number)
{
    struct dsn_rhythm_part *p = f->p;
    struct dsn_rhythm_cycle *earlier = NULL, both;
    uint32_t to = 0;
    size_t shift = 0;

    for (size_t back = 1; !earlier && back <= LOOKS_BACK && back <= p->ncycles; back++) {
        struct dsn_rhythm_cycle *e = &p->cycles[p->ncycles - back];

        if (c->first - e->last <= JOINS * (e->last - e->first + 1) && (shift = shift_of(f, e, c)) < e->period) {
            earlier = e;
            to = (uint32_t)(p->ncycles - back + 1);
        }
    }
    if (!earlier)
        return 0;
    both = *earlier;
    both.repeats += c->repeats;
    both.interruptions += c->interruptions + 1;
    both.last = c->last;
    both.end = c->end > both.end ? c->end : both.end;
    both.own_ops += c->own_ops;
    for (int k = 0; k < 2; k++)
        both.own_bytes[k] = dsn_rhythm_sum(both.own_bytes[k], c->own_bytes[k]);
    renumber(p, c, number, to, shift);
    judge(f, &both, to);
    if (!both.is_regular && (earlier->is_regular || c->is_regular)) {
        renumber(p, c, to, number, c->period - shift); /* bursts of the earlier one are before */
        return 0;
    }
    both.even_bytes = even_bytes(f, &both, to);
    *earlier = both;
    return 1;
}

static int find_sequences(struct finding *f)
{
    struct dsn_rhythm_part *p = f->p;
    size_t agree[DSN_RHYTHM_MAX_PERIOD + 1] = { 0 };

    for (size_t at = 0; at < p->nbursts;) {
        struct dsn_rhythm_cycle c = best_cycle(f->signature, p->nbursts, at, agree);
        const uint32_t number = (uint32_t)p->ncycles + 1;

        if (c.repeats == 0) {
            at++;
            continue;
        }
        at = follow(p, &c, number);
        judge(f, &c, number);
        if (!c.is_regular && f->chance_of_order > LIKELY_ORDER)
            unmark(p, &c, number);
        else if (!join_earlier(f, &c, number) && !add_cycle(f, &c))
            return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------ bursts of one signature, whatever comes between */

struct class
{
    double bytes;
    uint32_t signature;
};

static int most_bytes(const void *a, const void *b)
{
    const struct class *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->signature > y->signature) - (x->signature < y->signature);
}

/* Bursts of one signature may have a rhythm, then another one, or two at once. */
static int look_at_class(struct finding *f, uint32_t signature)
{
    struct dsn_rhythm_part *p = f->p;
    size_t n = 0;

    for (size_t i = signature; i < p->nbursts; i++)
        if (f->signature[i] == signature)
            f->event[n++] = i;
    while (n >= LEAST_EVENTS) {
        struct dsn_rhythm_cycle c = { .period = 1, .first = SIZE_MAX };
        struct dsn__steps s;
        size_t left = 0;

        for (size_t i = 0; i < n; i++)
            f->time[i] = (double)p->bursts[f->event[i]].start / 1e9;
        s = dsn__fit_steps(f->time, n, f->resolution, f->step, f->fits);
        take_steps(&c, &s, 0);
        if (!c.is_regular)
            break;
        for (size_t i = 0; i < n; i++) {
            if (!f->fits[i]) {
                f->event[left++] = f->event[i];
                continue;
            }
            c.start = c.first == SIZE_MAX ? p->bursts[f->event[i]].start : c.start;
            c.first = c.first == SIZE_MAX ? f->event[i] : c.first;
            mark(p, &c, (uint32_t)p->ncycles + 1, f->event[i], 1);
            c.repeats++;
        }
        c.interruptions = s.strangers;
        if (!add_cycle(f, &c))
            return 0;
        n = left;
    }
    return 1;
}

static int find_classes(struct finding *f)
{
    struct dsn_rhythm_part *p = f->p;
    struct class *class = calloc(p->nbursts + 1, sizeof *class);
    size_t n = 0, k = 0;
    int ok = class != NULL;

    for (size_t i = 0; ok && i < p->nbursts; i++) {
        class[i].signature = (uint32_t)i;
        class[f->signature[i]].bytes += (double)p->bursts[i].bytes[0] + (double)p->bursts[i].bytes[1];
    }
    for (size_t i = 0; ok && i < p->nbursts; i++)
        if (f->count[i] >= LEAST_EVENTS)
            class[n++] = class[i];
    if (ok)
        qsort(class, n, sizeof *class, most_bytes);
    while (ok && k < n && k < MOST_CLASSES)
        ok = look_at_class(f, class[k++].signature);
    free(class);
    return ok;
}

/* ------------------------------------------------------------------ cycles within cycles */

static int is_first_of(const struct dsn_rhythm_part *p, size_t burst, uint32_t number)
{
    return p->bursts[burst].cycle == number && p->bursts[burst].place == 0;
}

/* How many repeats of `inner` begin within each of `outer`, if it is mostly the same number; 0: it is not. */
static size_t times_within(const struct dsn_rhythm_part *p, uint32_t outer, uint32_t inner)
{
    const struct dsn_rhythm_cycle *o = &p->cycles[outer - 1], *c = &p->cycles[inner - 1];
    const double ratio = o->mean / c->mean, times = round(ratio), shift = c->mean / 2 * 1e9;
    const uint64_t from = o->start > c->start ? o->start : c->start, to = o->end < c->end ? o->end : c->end;
    size_t best = 0, all = 0, within = 0;

    if (times < 1 || fabs(ratio - times) > (times < MANY_TIMES ? NESTS * times : 1) || from >= to ||
        (double)(to - from) < OVERLAPS * (double)(o->end - o->start))
        return 0;
    /* where both begin at once, either may come first: those of the inner cycle are counted half a period later, too */
    for (int late = 0; late < 2; late++) {
        size_t i = c->first, same[2 * OFF + 1] = { 0 };
        double before = -1;

        all = 0;
        for (size_t b = o->first; b <= o->last; b++) {
            double at, n = 0;

            if (!is_first_of(p, b, outer))
                continue;
            at = (double)p->bursts[b].start + (late ? shift : 0);
            for (; i <= c->last && (double)p->bursts[i].start < at; i++)
                n += is_first_of(p, i, inner);
            if (before >= 0) {
                const double steps = round((at - before) / 1e9 / o->mean);

                n = n / (steps < 1 ? 1 : steps) - times + OFF;
                all++;
                if (n >= 0 && n <= 2 * OFF && n == floor(n))
                    same[(size_t)n]++;
            }
            before = at;
        }
        for (size_t k = 0; k <= 2 * OFF; k++)
            if (same[k] > best && times + (double)k > OFF) {
                best = same[k];
                within = (size_t)times + k - OFF;
            }
    }
    return all >= 2 && (double)best >= AGREE * (double)all ? within : 0;
}

static void find_nested(struct dsn_rhythm_part *p)
{
    uint32_t cycle[MOST_NESTED], outer[MOST_NESTED]; /* by descending bytes; by ascending period */
    size_t n = 0;

    for (size_t i = 0; i < p->ncycles; i++) {
        struct dsn_rhythm_cycle *c = &p->cycles[i];
        size_t at = n;

        c->inside = 0;
        if (!c->is_regular)
            continue;
        while (at > 0 && c->even_bytes > p->cycles[cycle[at - 1] - 1].even_bytes)
            at--;
        if (at == MOST_NESTED)
            continue;
        n += n < MOST_NESTED;
        memmove(cycle + at + 1, cycle + at, (n - at - 1) * sizeof *cycle);
        cycle[at] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < n; i++) {
        size_t at = i;

        for (; at > 0 && p->cycles[cycle[i] - 1].mean < p->cycles[outer[at - 1] - 1].mean; at--)
            outer[at] = outer[at - 1];
        outer[at] = cycle[i];
    }
    /* each is within the shortest that it fits; of cycles of one period, the one with the most bytes has the others in it */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0, is_past = 0; k < n && !p->cycles[outer[i] - 1].inside; k++) {
            struct dsn_rhythm_cycle *c = &p->cycles[cycle[k] - 1], *o = &p->cycles[outer[i] - 1];
            size_t times;

            is_past |= c == o;
            if (c == o || c->inside || (times = times_within(p, outer[i], cycle[k])) == 0 || (times == 1 && !is_past))
                continue;
            c->inside = outer[i];
            c->per = times;
            o->ops += c->ops;
            o->bytes[0] = dsn_rhythm_sum(o->bytes[0], c->bytes[0]);
            o->bytes[1] = dsn_rhythm_sum(o->bytes[1], c->bytes[1]);
        }
}

/* ------------------------------------------------------------------ what follows of them */

/* Predicts the next burst of the cycle that goes on to the end: the one with most bytes, or that of the last burst. It
 * comes after the median of the steps from the same place in earlier repeats, or after what the trend says. */
static void predict(struct dsn_rhythm_part *p, double *step)
{
    const struct dsn_rhythm_cycle *c = p->rhythm ? &p->cycles[p->rhythm - 1] : NULL;
    const struct dsn_rhythm_burst *last = &p->bursts[p->nbursts - 1];
    double steps = 0, squares = 0, median;
    size_t n = 0, used = 0, before = SIZE_MAX;

    p->next_known = 0;
    for (size_t i = 0; i < p->nbursts; i++) /* bursts of streams are one stream after the other */
        last = p->bursts[i].start >= last->start ? &p->bursts[i] : last;
    if (c && (double)p->bursts[c->last].start / 1e9 + 1.5 * (c->trend[1] > 0 ? c->trend[1] : c->mean) >=
                 (double)p->end / 1e9)
        last = &p->bursts[c->last];
    c = last->cycle ? &p->cycles[last->cycle - 1] : NULL;
    if (!c || !c->is_regular)
        return;
    p->next_place = (uint32_t)((last->place + 1) % c->period);
    for (size_t i = c->first; i <= c->last; i++) {
        const struct dsn_rhythm_burst *b = &p->bursts[i];

        if (b->cycle != last->cycle)
            continue;
        if (before != SIZE_MAX && b->place == p->next_place && p->bursts[before].place == last->place)
            step[n++] = (double)(b->start - p->bursts[before].start) / 1e9;
        before = i;
    }
    if (n == 0)
        return;
    qsort(step, n, sizeof *step, dsn__by_value);
    median = step[n / 2];
    median = c->period == 1 && (n < 3 * c->missing || median > 1.5 * c->mean) ? c->mean : median;
    for (size_t i = 0; i < n; i++)
        if (step[i] <= 1.5 * median && step[i] >= median / 2) {
            steps += step[i];
            squares += step[i] * step[i];
            used++;
        }
    if (used == 0)
        return;
    p->next_known = 1;
    squares = squares / (double)used - steps / (double)used * (steps / (double)used);
    p->next_within = squares > 0 ? sqrt(squares) : 0;
    p->next = (double)last->start / 1e9 + steps / (double)used;
    if (c->trend[1] > 0) {
        p->next += (c->trend[1] - c->mean) / (double)c->period;
        p->next_within = c->deviation;
    }
}

int dsn__add_up(struct dsn_rhythm_part *p)
{
    const double all = (double)p->bytes[0] + (double)p->bytes[1];
    double *step = malloc((p->nbursts + 1) * sizeof *step), covered = 0, steady = 0, bytes = 0, most = -1;

    if (!step)
        return 0;
    p->rhythm = 0;
    for (size_t i = 0; i < p->ncycles; i++) {
        struct dsn_rhythm_cycle *c = &p->cycles[i];

        c->ops = c->own_ops;
        c->bytes[0] = c->own_bytes[0];
        c->bytes[1] = c->own_bytes[1];
        covered += (double)c->ops;
        if (!c->is_regular)
            continue;
        steady += (double)c->ops;
        bytes += c->even_bytes;
        if ((all > 0 ? c->even_bytes : (double)c->ops) > most) {
            most = all > 0 ? c->even_bytes : (double)c->ops;
            p->rhythm = (uint32_t)(i + 1);
        }
    }
    find_nested(p);
    p->regularity = p->ops > 0 ? covered / (double)p->ops : 0;
    p->steadiness = all > 0 ? bytes / all : p->ops > 0 ? steady / (double)p->ops : 0;
    if (p->nbursts > 0)
        predict(p, step);
    free(step);
    return 1;
}

int dsn__find_cycles(struct dsn_rhythm_part *p, enum dsn__method method, double resolution)
{
    struct finding f = { .p = p, .resolution = resolution };
    const size_t n = p->nbursts + 1;
    int ok;

    f.count = calloc(n, sizeof *f.count);
    f.signature = malloc(n * sizeof *f.signature);
    f.time = malloc(n * sizeof *f.time);
    f.step = malloc(2 * n * sizeof *f.step);
    f.fits = malloc(n);
    f.event = malloc(n * sizeof *f.event);
    ok = f.count && f.signature && f.time && f.step && f.fits && f.event;
    for (size_t i = 0; ok && i < p->nbursts; i++) {
        f.signature[i] = p->bursts[i].signature;
        if (++f.count[p->bursts[i].signature] > p->alike)
            p->alike = f.count[p->bursts[i].signature];
    }
    ok = ok && (method == DSN__SEQUENCES ? find_sequences(&f) : find_classes(&f)) && dsn__add_up(p);
    free(f.count);
    free(f.signature);
    free(f.time);
    free(f.step);
    free(f.fits);
    free(f.event);
    return ok;
}
