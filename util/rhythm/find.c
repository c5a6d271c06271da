/* find.c - decides whether there is a rhythm, from the strictest to the most lenient attempt, for job and processes
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "parts.h"
#include "util/lib/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BINS    65536
#define FINE_BINS    1024
#define TENTH        1e8  /* ns: bins of the series for the spectrum */
#define GOOD         0.9  /* share of operations and time from which on no further attempt is made */
#define LEAST_STEADY 0.25 /* minimum share of bytes in regular cycles, and of the run time, ... */
#define LEAST_SPAN   0.2
#define LEAST_SHARE  0.1 /* ... or, of the longer part of a run, this share of bytes */
#define MOST_OF_IT                                                                                                     \
    0.5 /* share of bytes below which a rhythm must be less likely by chance: other parts could have had one */
#define LIKELY_PART    1e-6
#define MOST_RECURS    0.75 /* share of bytes and operations from which on a cycle is what the program does, ... */
#define OFTEN          10   /* ... if it recurs so often, though at irregular times */
#define LONG_SPAN      0.5
#define SPAN_BINS      1024 /* in which the run time that cycles take is counted */
#define MOST_STREAMS   32   /* kinds of files whose bursts are separated by themselves, those with most bytes */
#define BRIEFLY        50   /* share of the run time within which a file is used once */
#define AS_GOOD        0.97 /* share of the score that streams need, if one nests in another, against a sequence */
#define MANY_STEPS     3    /* bursts of such a sequence, and repeats of such a stream */
#define STREAM_PAUSE   0.1  /* seconds: single operations with shorter pauses are a stream */
#define STREAM_OPS     1.5  /* mean number of operations per burst up to which they are single */
#define STREAM_BURSTS  1e-3 /* seconds: bursts with shorter pauses are a stream, too */
#define STREAM_BUSY    0.9  /* share of the time in I/O from which on it is a stream */
#define LENIENT        1.15 /* factor by which the result of a more lenient comparison must be better */
#define ANY            0.8  /* likewise, of what is found if all bursts are alike */
#define CLEARLY        1.05 /* likewise, for another threshold with the same comparison */
#define LEAST_BRIEF    0.1  /* minimum share of operations or time to report a pattern that recurs in part of the run */
#define MOST_PROCESSES 1024
#define SAME_PERIOD    0.05
#define MOST_WORK      4e6 /* operations, plus weighted bursts, beyond which no further attempt is made */
#define BURST_WORK     4

/* ------------------------------------------------------------------ one set of operations */

static void free_part(struct dsn_rhythm_part *p)
{
    free(p->bursts);
    free(p->cycles);
    p->bursts = NULL;
    p->cycles = NULL;
    p->nbursts = p->ncycles = 0;
}

/* Steady operations without notable pauses. */
static int is_stream(const struct dsn_rhythm_part *p, const struct dsn_rhythm_cycle *c, uint32_t number)
{
    const double bursts = (double)c->repeats * (double)c->period, step = c->mean / (double)c->period;
    double busy = 0;

    for (size_t i = c->first; i <= c->last; i++)
        if (p->bursts[i].cycle == number && !p->bursts[i].is_partial)
            busy += (double)(p->bursts[i].end - p->bursts[i].start) / 1e9;
    busy /= bursts;
    if (step < STREAM_BURSTS || busy > STREAM_BUSY * step)
        return 1;
    return (double)c->ops < STREAM_OPS * bursts && (step < STREAM_PAUSE || step < 2 * busy);
}

/* The share of regular cycles in the whole; 0 if that is too small for a rhythm. */
static double score_of(struct dsn_rhythm_part *p)
{
    const double all = (double)(p->end - p->start) / 1e9;
    unsigned char taken[SPAN_BINS] = { 0 };
    const double bytes = (double)p->bytes[0] + (double)p->bytes[1];
    const struct dsn_rhythm_cycle *main;
    double share;
    size_t ntaken = 0;

    for (size_t i = 0; i < p->ncycles; i++) {
        struct dsn_rhythm_cycle *c = &p->cycles[i];
        const double from = (double)(c->start - p->start) / 1e9,
                     to = from + c->mean * (double)(c->repeats + c->missing); /* with the pause after the last repeat */

        c->is_stream = c->is_regular && is_stream(p, c, (uint32_t)(i + 1));
        for (double at = all > 0 ? floor(from / all * SPAN_BINS) : SPAN_BINS;
             c->is_regular && !c->is_stream && at < SPAN_BINS && at < to / all * SPAN_BINS; at++)
            taken[(size_t)at] = 1;
    }
    for (size_t i = 0; i < SPAN_BINS; i++)
        ntaken += taken[i];
    p->span = all > 0 ? (double)ntaken / SPAN_BINS : 0;
    if (p->rhythm > 0 && p->cycles[p->rhythm - 1].is_stream)
        return 0;
    if (p->rhythm == 0 || p->steadiness < LEAST_SHARE ||
        !(p->span >= LONG_SPAN || (p->span >= LEAST_SPAN && p->steadiness >= LEAST_STEADY)))
        return 0;
    main = &p->cycles[p->rhythm - 1];
    if (p->steadiness < MOST_OF_IT && main->chance > LIKELY_PART)
        return 0;
    /* a rhythm of all the time is better than several, one after the other */
    share = bytes > 0 ? ((double)main->bytes[0] + (double)main->bytes[1]) / bytes : p->steadiness;
    share = (p->steadiness + (share < p->steadiness ? share : p->steadiness)) / 2;
    share *= sqrt((double)main->repeats / (double)(main->repeats + main->missing));
    return (p->likeness == DSN_LIKE_ANY ? ANY : 1) * share * (1 + p->span) / 2 * (1 - main->deviation / main->mean);
}

/* 0: no memory. */
static int attempt(struct dsn__look *l, uint64_t threshold, enum dsn_rhythm_likeness likeness, enum dsn__method method,
                   const struct dsn_rhythm_part *base, struct dsn_rhythm_part *p)
{
    *p = *base;
    if (!dsn__find_bursts(l, threshold, p) || !dsn__find_signatures(l, likeness, p) ||
        !dsn__find_cycles(p, method, l->in->is_heat ? l->in->width : 0) || !dsn__find_anchors(l, p)) {
        free_part(p);
        return 0;
    }
    p->is_by_class = method == DSN__CLASSES;
    p->score = score_of(p);
    return 1;
}

/* Bursts per repeat. */
static size_t period_of(const struct dsn_rhythm_part *p)
{
    return p->rhythm > 0 ? p->cycles[p->rhythm - 1].period : 0;
}

/* With the same comparison, the first threshold is preferred as the most likely; a more lenient comparison must find
 * much more, or a shorter period with the same bursts, where a stricter one distinguishes similar bursts such as those
 * to two alternating files. */
static int is_better(const struct dsn_rhythm_part *best, const struct dsn_rhythm_part *other)
{
    if (best->score == 0 || other->score == 0 || other->likeness == best->likeness)
        return other->score > CLEARLY * best->score;
    if (other->likeness < best->likeness)
        return !is_better(other, best);
    return other->score > LENIENT * best->score ||
           (other->score >= best->score && other->nbursts >= best->nbursts && period_of(other) < period_of(best));
}

/* Keeps the better one in *best: without a rhythm the first, because it is the strictest. */
static void keep_better(struct dsn_rhythm_part *best, struct dsn_rhythm_part *other)
{
    if (!best->bursts || is_better(best, other)) {
        struct dsn_rhythm_part old = *best;

        *best = *other;
        *other = old;
    }
    free_part(other);
}

/* No better result is possible: a simple cycle, or a steady stream; classes need not be tried if sequences are good. */
static int is_good(const struct dsn_rhythm_part *p, int method)
{
    return (p->score >= GOOD && (period_of(p) == 1 || method == DSN__CLASSES)) ||
           (p->ncycles == 1 && p->cycles[0].is_stream && (double)p->cycles[0].ops >= GOOD * (double)p->ops);
}

/* The irregular cycle that is most of what is done: its number, or 0. */
static uint32_t find_recurring(const struct dsn_rhythm_part *p)
{
    const double all = (double)p->bytes[0] + (double)p->bytes[1];

    for (size_t i = 0; i < p->ncycles; i++) {
        const struct dsn_rhythm_cycle *c = &p->cycles[i];

        if (!c->is_regular && c->repeats >= OFTEN && (double)c->own_ops >= MOST_RECURS * (double)p->ops &&
            (double)c->own_bytes[0] + (double)c->own_bytes[1] >= MOST_RECURS * all &&
            !is_stream(p, c, (uint32_t)(i + 1)))
            return (uint32_t)(i + 1);
    }
    return 0;
}

/* Whether the regular cycles are only parts of what recurs irregularly: the largest has less than half of the bytes. */
static int is_of_parts(const struct dsn_rhythm_part *p)
{
    const double all = (double)p->bytes[0] + (double)p->bytes[1];

    for (size_t i = 0; i < p->ncycles; i++)
        if (p->cycles[i].is_stream && (double)p->cycles[i].ops >= (double)p->ops / 2)
            return 0; /* a stream, which says more */
    return p->score == 0 || p->rhythm == 0 ||
           (double)p->cycles[p->rhythm - 1].bytes[0] + (double)p->cycles[p->rhythm - 1].bytes[1] < MOST_OF_IT * all;
}

static struct dsn_rhythm_part totals_of(const struct dsn__look *l)
{
    struct dsn_rhythm_part p = { .start = l->n > 0 ? l->ops[0].start : 0 };

    for (size_t i = 0; i < l->n; i++) {
        const struct dsn_rhythm_op *op = &l->ops[i];
        const struct dsn_rhythm_kind *kind = &l->in->kinds[op->kind];
        const double bytes = (double)kind->size * op->n + (double)p.bytes[kind->is_write];

        p.ops += op->n;
        p.bytes[kind->is_write] = bytes < 9e18 ? p.bytes[kind->is_write] + kind->size * op->n : INT64_MAX;
        p.end = op->end > p.end ? op->end : p.end;
    }
    return p;
}

/* Tries thresholds by likelihood, comparisons from strict to lenient; the last `nstrict` thresholds by strict ones only. 0: no
 * memory. */
static int look(struct dsn__look *l, const uint64_t *threshold, int nthresholds, int nstrict,
                const enum dsn_rhythm_likeness *likeness, int nlikenesses, struct dsn_rhythm_part *out)
{
    static const uint64_t none = 0;
    const struct dsn_rhythm_part base = totals_of(l);
    struct dsn_rhythm_part best = { .score = 0 };
    const double most_work = MOST_WORK / (double)(l->in->n + 1) * (double)(l->n + 1);
    double work = 0;
    uint64_t recurring_at = 0;
    enum dsn_rhythm_likeness recurring_by = DSN_NLIKENESSES; /* none yet */

    if (nthresholds == 0) {
        threshold = &none;
        nthresholds = 1;
    }
    for (int method = DSN__SEQUENCES; method <= DSN__CLASSES; method++)
        for (int k = 0; k < nthresholds; k++)
            for (int i = 0; i < nlikenesses && !is_good(&best, method) && work < most_work; i++) {
                struct dsn_rhythm_part other;

                if (k >= nthresholds - nstrict && likeness[i] > DSN_LIKE_NAMES)
                    break;
                if (!attempt(l, threshold[k], likeness[i], (enum dsn__method)method, &base, &other)) {
                    free_part(&best);
                    return 0;
                }
                work += (double)l->n + BURST_WORK * (double)other.nbursts;
                if (method == DSN__SEQUENCES && likeness[i] < recurring_by && likeness[i] <= DSN_LIKE_NAMES &&
                    find_recurring(&other)) {
                    recurring_at = threshold[k];
                    recurring_by = likeness[i];
                }
                if (k >= nthresholds - nstrict && best.score > 0 && other.score < LENIENT * best.score)
                    free_part(&other); /* the others are more likely */
                else
                    keep_better(&best, &other);
            }
    if (recurring_by < DSN_NLIKENESSES && is_of_parts(&best)) {
        free_part(&best);
        if (!attempt(l, recurring_at, recurring_by, DSN__SEQUENCES, &base, &best))
            return 0;
        best.recurring = find_recurring(&best);
        best.score = 0;
    }
    *out = best;
    if (best.score == 0) {
        out->rhythm = 0;
        out->next_known = 0;
    }
    return 1;
}

/* ------------------------------------------------------------------ the job, and its processes */

struct finding {
    struct dsn_rhythm_input *in;
    const struct dsn_rhythm_options *options;
    struct dsn_rhythm *r;
    uint32_t *number; /* room: of the stream of each name */
};

/* All operations together. `period`: of the spectrum; 0: none. 0: no memory. */
static int look_at_all(const struct finding *f, const struct dsn_rhythm_op *ops, size_t n, int several, double period,
                       struct dsn_rhythm_part *out)
{
    const int is_numbered = f->in->like_index.used < f->in->kind_index.used; /* names that differ in numbers only */
    enum dsn_rhythm_likeness likeness[DSN_NLIKENESSES];
    uint64_t threshold[DSN__THRESHOLDS + DSN__VALLEYS + 2] = { 0 };
    struct dsn__look l;
    int k = 0, nvalleys = 0, nlikenesses = 0, ok = dsn__look_begin(&l, f->in, ops, n);

    if (ok && f->options->pause > 0) {
        threshold[k++] = (uint64_t)(f->options->pause * 1e9);
    } else if (ok && n > 1) {
        k = dsn__find_thresholds(&l, threshold);
        ok = k >= 0;
        if (f->in->is_heat) /* treats every run of bins as a burst */
            threshold[k++] = (uint64_t)(f->in->width * 1e9 / 2) + 1;
        if (period > 0)
            threshold[k++] = (uint64_t)(period / 4 * 1e9);
        if (ok && !f->in->is_heat && k > 0) {
            nvalleys = dsn__find_valleys(&l, threshold, k, threshold + k);
            ok = nvalleys >= 0;
            k += nvalleys;
        }
    }
    if (!f->in->is_heat) {
        if (!several)
            likeness[nlikenesses++] = DSN_LIKE_IN_ORDER;
        likeness[nlikenesses++] = DSN_LIKE_FILES;
        if (is_numbered)
            likeness[nlikenesses++] = DSN_LIKE_NAMES;
    }
    likeness[nlikenesses++] = DSN_LIKE_BYTES;
    likeness[nlikenesses++] = DSN_LIKE_ANY;
    ok = ok && look(&l, threshold, k, nvalleys, likeness, nlikenesses, out);
    dsn__look_end(&l);
    return ok;
}

struct stream {
    double bytes;
    uint64_t from, to; /* ns */
    uint32_t name;
};

static int most_in_stream(const void *a, const void *b)
{
    const struct stream *x = a, *y = b;

    return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : (x->name > y->name) - (x->name < y->name);
}

/* Numbers kinds of files, whose names differ in numbers only, by descending bytes. Those that are used once, as files
 * with other names each time, are the first one; those beyond the most are the last one. Looks only at the names that these
 * operations use, because each of many processes may have names of its own. Returns how many streams there are; 0: no
 * memory, or no operations. */
static size_t number_streams(const struct finding *f, const struct dsn_rhythm_op *ops, size_t n)
{
    const size_t nnames = f->in->names.index.used;
    struct stream *stream = malloc(((n < nnames ? n : nnames) + 1) * sizeof *stream);
    const uint64_t brief = n > 0 ? (ops[n - 1].start - ops[0].start) / BRIEFLY : 0;
    size_t used = 0, nbrief = 0, nstreams;

    if (!stream)
        return 0;
    for (size_t i = 0; i < n; i++)
        f->number[f->in->files[f->in->kinds[ops[i].kind].file].name] = 0;
    for (size_t i = 0; i < n; i++) {
        const struct dsn_rhythm_kind *kind = &f->in->kinds[ops[i].kind];
        const uint32_t name = f->in->files[kind->file].name;
        struct stream *s;

        if (f->number[name] == 0) {
            stream[used++] = (struct stream){ .name = name, .from = ops[i].start };
            f->number[name] = (uint32_t)used;
        }
        s = &stream[f->number[name] - 1];
        s->to = ops[i].start;
        s->bytes += ((double)kind->size + 1e-9) * ops[i].n;
    }
    for (size_t i = 0; i < used; i++)
        nbrief += stream[i].to - stream[i].from <= brief;
    nstreams = nbrief > 0;
    qsort(stream, used, sizeof *stream, most_in_stream);
    for (size_t i = 0; i < used; i++)
        if (stream[i].to - stream[i].from > brief) {
            nstreams += nstreams < MOST_STREAMS;
            f->number[stream[i].name] = (uint32_t)nstreams - 1;
        } else {
            f->number[stream[i].name] = 0;
        }
    free(stream);
    return nstreams;
}

/* Appends bursts and cycles of the operations from `first` on. 0: no memory. */
static int append(struct dsn_rhythm_part *p, const struct dsn_rhythm_part *of, size_t first)
{
    if (!dsn_resize(&p->bursts, p->nbursts + of->nbursts + 1, sizeof *p->bursts) ||
        !dsn_resize(&p->cycles, p->ncycles + of->ncycles + 1, sizeof *p->cycles))
        return 0;
    for (size_t i = 0; i < of->nbursts; i++) {
        struct dsn_rhythm_burst *b = &p->bursts[p->nbursts + i];

        *b = of->bursts[i];
        b->first += first;
        b->signature += (uint32_t)p->nbursts;
        b->cycle += b->cycle ? (uint32_t)p->ncycles : 0;
    }
    for (size_t i = 0; i < of->ncycles; i++) {
        struct dsn_rhythm_cycle *c = &p->cycles[p->ncycles + i];

        *c = of->cycles[i];
        c->first += p->nbursts;
        c->last += p->nbursts;
    }
    p->nbursts += of->nbursts;
    p->ncycles += of->ncycles;
    return 1;
}

/* Each kind of file by itself: `ops` are put in the order of these, and `out` has the bursts and cycles of one after the
 * other. `sorted`: room. 0: no memory. */
static int look_at_streams(const struct finding *f, struct dsn_rhythm_op *ops, struct dsn_rhythm_op *sorted, size_t n,
                           int several, size_t nstreams, struct dsn_rhythm_part *out)
{
    const struct dsn__look all = { .in = f->in, .ops = ops, .n = n };
    size_t end = 0;
    int ok = 1;

    *out = totals_of(&all);
    for (uint32_t s = 0; ok && s < nstreams; s++) {
        const size_t first = end;
        struct dsn_rhythm_part part;

        for (size_t i = 0; i < n; i++)
            if (f->number[f->in->files[f->in->kinds[ops[i].kind].file].name] == s)
                sorted[end++] = ops[i];
        ok = look_at_all(f, sorted + first, end - first, several, 0, &part);
        if (!ok)
            break;
        ok = append(out, &part, first);
        free_part(&part);
    }
    ok = ok && dsn__add_up(out);
    if (!ok) {
        free_part(out);
        return 0;
    }
    memcpy(ops, sorted, n * sizeof *ops);
    out->nstreams = nstreams;
    out->score = score_of(out);
    if (out->rhythm > 0) {
        const struct dsn_rhythm_cycle *c = &out->cycles[out->rhythm - 1];

        out->likeness = c->likeness;
        out->threshold = c->threshold;
        out->anchors = c->repeats;
        out->interval = c->mean;
    }
    return 1;
}

/* Whether kinds of files by themselves explain more than all together; or as much, and it is clearer: all together,
 * what comes between was passed over, or there is a long sequence of bursts where one kind of file nests in another. */
static int streams_are_better(const struct dsn_rhythm_part *all, const struct dsn_rhythm_part *streams)
{
    if (all->recurring && is_of_parts(streams))
        return 0;
    if (streams->score > CLEARLY * all->score)
        return 1;
    if (streams->score < AS_GOOD * all->score)
        return 0;
    if (all->is_by_class)
        return 1;
    if (period_of(all) < MANY_STEPS)
        return 0;
    for (size_t i = 0; i < streams->ncycles; i++)
        if (streams->cycles[i].inside == streams->rhythm && streams->cycles[i].per >= MANY_STEPS)
            return 1;
    return 0;
}

/* All operations together, and, unless that is good, each kind of file by itself. 0: no memory. */
static int look_at(const struct finding *f, struct dsn_rhythm_op *ops, size_t n, int several, double period,
                   struct dsn_rhythm_part *out)
{
    struct dsn_rhythm_op *sorted;
    struct dsn_rhythm_part streams;
    size_t nstreams;
    int ok;

    if (!dsn__order_by_time(ops, n) || !look_at_all(f, ops, n, several, period, out))
        return 0;
    if (f->in->is_heat || (out->score >= GOOD && period_of(out) < MANY_STEPS) || n > MOST_WORK / 2)
        return 1;
    sorted = malloc((2 * n + 1) * sizeof *sorted);
    nstreams = sorted ? number_streams(f, ops, n) : 0;
    ok = nstreams > 0 || n == 0;
    if (nstreams > 1) {
        memcpy(sorted + n, ops, n * sizeof *ops);
        ok = look_at_streams(f, ops, sorted, n, several, nstreams, &streams);
        if (ok && streams_are_better(out, &streams)) {
            free_part(out);
            *out = streams;
        } else if (ok) {
            free_part(&streams);
            memcpy(ops, sorted + n, n * sizeof *ops);
        }
    }
    if (!ok)
        free_part(out);
    free(sorted);
    return ok;
}

/* Groups the operations by process. 0: no memory. */
static int by_process(const struct finding *f, size_t **first, struct dsn_rhythm_op **out)
{
    const size_t np = f->in->process_index.used;
    struct dsn_rhythm_op *ops = malloc((f->in->n + 1) * sizeof *ops);
    size_t *at = calloc(np + 2, sizeof *at);

    *first = at;
    *out = ops;
    if (!ops || !at)
        return 0;
    for (size_t i = 0; i < f->in->n; i++)
        at[f->in->ops[i].process + 2]++;
    for (size_t p = 2; p < np + 2; p++)
        at[p] += at[p - 1];
    for (size_t i = 0; i < f->in->n; i++)
        ops[at[f->in->ops[i].process + 1]++] = f->in->ops[i];
    return 1;
}

static int most_bytes(const void *a, const void *b)
{
    const struct dsn_rhythm_process *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

/* With the process's number in `id`, to be replaced by the caller. */
static struct dsn_rhythm_process *list_processes(const struct finding *f, const struct dsn_rhythm_op *ops,
                                                 const size_t *first)
{
    const size_t np = f->in->process_index.used;
    struct dsn_rhythm_process *list = calloc(np + 1, sizeof *list);

    for (size_t p = 0; list && p < np; p++) {
        list[p].id = p;
        for (size_t i = first[p]; i < first[p + 1]; i++) {
            const uint64_t size = f->in->kinds[ops[i].kind].size;

            list[p].ops += ops[i].n;
            list[p].bytes += size < (UINT64_MAX - list[p].bytes) / ops[i].n ? size * ops[i].n : 0;
        }
    }
    if (list)
        qsort(list, np, sizeof *list, most_bytes);
    return list;
}

static int have_one_period(const struct dsn_rhythm_process *a, const struct dsn_rhythm_process *b)
{
    return a->period > 0 && b->period > 0 && fabs(a->period - b->period) <= SAME_PERIOD * a->period;
}

/* The process that most others agree with. */
static size_t representative(struct dsn_rhythm *r)
{
    size_t best = 0;

    for (size_t i = 0; i < r->nlooked_at; i++) {
        size_t n = 0;

        for (size_t k = 0; k < r->nlooked_at; k++)
            n += (size_t)have_one_period(&r->processes[i], &r->processes[k]);
        if (n > r->nagreeing) {
            r->nagreeing = n;
            best = i;
        }
    }
    return best;
}

static int look_at_process(const struct finding *f, struct dsn_rhythm_op *ops, const size_t *first,
                           struct dsn_rhythm_process *p, struct dsn_rhythm_part *out)
{
    if (!look_at(f, ops + first[p->id], first[p->id + 1] - first[p->id], 0, 0, out))
        return 0;
    p->period = p->deviation = 0;
    if (out->rhythm > 0) {
        const struct dsn_rhythm_cycle *c = &out->cycles[out->rhythm - 1];

        p->period = c->mean;
        p->deviation = c->deviation;
        p->repeats = c->repeats;
        p->bursts = c->period;
        p->score = out->score;
    }
    return 1;
}

/* 0: no memory. */
static int look_at_processes(const struct finding *f)
{
    struct dsn_rhythm *r = f->r;
    const size_t np = f->in->process_index.used;
    size_t *first, best;
    struct dsn_rhythm_op *ops;
    int ok = by_process(f, &first, &ops);

    r->processes = ok ? list_processes(f, ops, first) : NULL;
    ok = r->processes != NULL;
    r->storage = ops;
    while (ok && r->nlooked_at < np && r->nlooked_at < MOST_PROCESSES) {
        struct dsn_rhythm_part part;

        ok = look_at_process(f, ops, first, &r->processes[r->nlooked_at], &part);
        if (ok) {
            r->nlooked_at++;
            free_part(&part);
        }
    }
    best = ok ? representative(r) : 0;
    if (ok && r->nagreeing > 0) {
        r->process_ops = ops + first[r->processes[best].id];
        r->process_id = dsn_rhythm_process_id(f->in, (uint32_t)r->processes[best].id);
        ok = look_at_process(f, ops, first, &r->processes[best], &r->process);
    }
    for (size_t i = 0; ok && i < np; i++)
        r->processes[i].id = dsn_rhythm_process_id(f->in, (uint32_t)r->processes[i].id);
    free(first);
    return ok;
}

/* ------------------------------------------------------------------ amounts over time */

/* `cpu`: over CPU time. 0: no memory. */
static int make_series(const struct finding *f, int cpu, struct dsn_rhythm_series *s)
{
    uint64_t end = 0;

    s->width = f->options->bin > 0 ? (uint64_t)(f->options->bin * 1e9) : 1000000000u;
    for (size_t i = 0; i < f->in->n; i++) {
        const uint64_t at = cpu ? f->in->ops[i].other : f->in->ops[i].start;

        end = at > end ? at : end;
    }
    while (end / s->width >= MOST_BINS)
        s->width *= 2;
    s->n = (size_t)(end / s->width) + 1;
    s->ops = calloc(s->n, sizeof *s->ops);
    s->bytes = calloc(s->n, sizeof *s->bytes);
    if (!s->ops || !s->bytes)
        return 0;
    for (size_t i = 0; i < f->in->n; i++) {
        const struct dsn_rhythm_op *op = &f->in->ops[i];
        const struct dsn_rhythm_kind *kind = &f->in->kinds[op->kind];
        const size_t at = (size_t)((cpu ? op->other : op->start) / s->width);

        s->ops[at][kind->is_write] += op->n;
        s->bytes[at][kind->is_write] += kind->size * op->n;
    }
    return 1;
}

/* 10 bins per second; more for a short run, fewer for a very long one. 0: no memory. */
static int find_spectrum(const struct finding *f)
{
    uint64_t end = 0;
    double width = TENTH, *bins;
    struct dsn__look l = { .in = f->in, .ops = f->in->ops, .n = f->in->n };
    size_t n;
    int ok;

    for (size_t i = 0; i < f->in->n; i++)
        end = f->in->ops[i].end > end ? f->in->ops[i].end : end;
    if (f->in->n == 0 || end == 0)
        return 1;
    if (f->in->is_heat)
        width = f->in->width * 1e9;
    else if ((double)end < TENTH * FINE_BINS)
        width = (double)end / FINE_BINS;
    if ((double)end > width * (MOST_BINS - 1))
        width = (double)end / (MOST_BINS - 1);
    n = (size_t)((double)end / width + 0.999);
    n = n > 0 ? n : 1;
    bins = calloc(n, sizeof *bins);
    ok = bins && dsn__spread_bytes(&l, width, bins, n) && dsn__find_spectrum(bins, n, width / 1e9, &f->r->spectrum);
    free(bins);
    return ok;
}

/* ------------------------------------------------------------------ all of it */

static enum dsn_rhythm_verdict why_not(const struct dsn_rhythm *r)
{
    const struct dsn_rhythm_part *p = &r->job;
    int regular = 0, streams = 0;

    if (p->ops == 1 && r->resolution > 0)
        return DSN_RHYTHM_ONE_BURST;
    if (p->ops < 2)
        return p->ops ? DSN_RHYTHM_ONE_OPERATION : DSN_RHYTHM_NOTHING;
    for (size_t i = 0; i < p->ncycles; i++) {
        regular |= p->cycles[i].is_regular && !p->cycles[i].is_stream;
        streams |= p->cycles[i].is_stream && (double)p->cycles[i].ops >= (double)p->ops / 2;
    }
    if (p->recurring)
        return DSN_RHYTHM_UNSTEADY;
    if (streams)
        return DSN_RHYTHM_STREAM;
    if (p->nbursts < 3)
        return p->nbursts < 2 ? DSN_RHYTHM_ONE_BURST : DSN_RHYTHM_TWO_BURSTS;
    if (regular && (p->span >= LEAST_BRIEF || p->steadiness >= LEAST_BRIEF))
        return DSN_RHYTHM_BRIEF;
    return p->alike >= 3 && 2 * p->alike >= p->nbursts ? DSN_RHYTHM_UNSTEADY : DSN_RHYTHM_UNLIKE;
}

static void judge(struct dsn_rhythm *r)
{
    const struct dsn_rhythm_part *p = &r->job;
    const double better = r->process.likeness > p->likeness ? LENIENT * p->score : p->score;
    const double all = (double)p->bytes[0] + (double)p->bytes[1];
    double bytes = 0;
    size_t able = 0;

    for (size_t i = 0; i < r->nlooked_at; i++) {
        able += r->processes[i].ops >= 3;
        bytes += r->processes[i].period > 0 ? r->processes[i].score * (double)r->processes[i].bytes : 0;
    }
    if (r->nagreeing > 0 && 2 * r->nagreeing >= able && r->process.score > better && bytes >= LEAST_STEADY * all)
        r->verdict = DSN_RHYTHM_OF_PROCESSES;
    else if (p->rhythm > 0)
        r->verdict = DSN_RHYTHM_EXACT;
    else if (r->spectrum.is_known && p->ops > 2 && !p->recurring)
        r->verdict = DSN_RHYTHM_SPECTRAL;
    else
        r->verdict = why_not(r);
}

/* If a program waits, or other threads compute, the CPU time of the threads doing I/O is no measure of progress: AUTO
 * uses it first if it is at least three quarters of the run time. `other`: the clock to try if that finds nothing. */
static enum dsn_rhythm_clock choose_clock(const struct finding *f, enum dsn_rhythm_clock *other)
{
    const struct dsn_rhythm_input *in = f->in;
    uint64_t cpu = 0, time = 0;
    int is_first;

    for (size_t i = 0; i < in->n; i++) {
        cpu = in->ops[i].other > cpu ? in->ops[i].other : cpu;
        time = in->ops[i].start > time ? in->ops[i].start : time;
    }
    if (in->process_index.used == 1 && time > 0)
        f->r->cpu_share = (double)cpu / (double)time;
    *other = DSN_CLOCK_AUTO;
    if (cpu == 0)
        return DSN_CLOCK_WALL;
    if (f->options->clock != DSN_CLOCK_AUTO)
        return f->options->clock;
    if (in->cpu != DARSHAN_TRACE_CPU_RECORDED || in->process_index.used != 1)
        return DSN_CLOCK_WALL;
    is_first = cpu >= time / 4 * 3;
    *other = is_first ? DSN_CLOCK_WALL : DSN_CLOCK_CPU;
    return is_first ? DSN_CLOCK_CPU : DSN_CLOCK_WALL;
}

/* On the CPU time clock, operations have no duration. */
static void set_clock(const struct finding *f, enum dsn_rhythm_clock clock)
{
    struct dsn_rhythm_input *in = f->in;

    f->r->clock = clock;
    if (in->is_by_cpu == (clock == DSN_CLOCK_CPU))
        return;
    in->is_by_cpu = clock == DSN_CLOCK_CPU;
    for (size_t i = 0; i < in->n; i++) {
        struct dsn_rhythm_op *op = &in->ops[i];

        *op = (struct dsn_rhythm_op){ op->other, op->other_end, op->start, op->end, op->kind, op->process, op->n };
    }
}

/* Replaces what was found by another clock. 0: no memory. */
static int find_by_clock(const struct finding *f, enum dsn_rhythm_clock clock)
{
    struct dsn_rhythm *r = f->r;
    struct dsn_rhythm_input *in = f->in;
    const int several = in->process_index.used > 1;

    free_part(&r->job);
    free_part(&r->process);
    free(r->processes);
    free(r->storage);
    r->processes = NULL;
    r->storage = NULL;
    r->nlooked_at = r->nagreeing = 0;
    set_clock(f, clock);
    if (!dsn__order_by_time(in->ops, in->n) || !find_spectrum(f) ||
        !look_at(f, in->ops, in->n, several, r->spectrum.is_known ? r->spectrum.period : 0, &r->job))
        return 0;
    if (several && (r->job.score < GOOD || f->options->per_process) && !look_at_processes(f))
        return 0;
    judge(r);
    return 1;
}

static int find(const struct finding *f)
{
    struct dsn_rhythm *r = f->r;
    struct dsn_rhythm_input *in = f->in;
    enum dsn_rhythm_clock clock, other;

    if (in->n > 0 &&
        (!make_series(f, 0, &r->wall) || (in->cpu != DARSHAN_TRACE_CPU_NONE && !make_series(f, 1, &r->used))))
        return 0;
    clock = choose_clock(f, &other);
    if (!find_by_clock(f, clock))
        return 0;
    if (r->verdict < DSN_RHYTHM_SPECTRAL || other == DSN_CLOCK_AUTO || r->job.ops < 3)
        return 1;
    r->is_by_other = 1;
    if (!find_by_clock(f, other))
        return 0;
    if (r->verdict <= DSN_RHYTHM_SPECTRAL)
        return 1;
    r->is_by_other = 0;
    return find_by_clock(f, clock);
}

int dsn_rhythm_find(struct dsn_rhythm_input *in, const struct dsn_rhythm_options *options, struct dsn_rhythm *out)
{
    static const struct dsn_rhythm_options usual = { .clock = DSN_CLOCK_AUTO };
    const struct finding f = { in, options ? options : &usual, out,
                               calloc(in->names.index.used + 1, sizeof *f.number) };
    int ok;

    *out = (struct dsn_rhythm){ .source = in->source,
                                .resolution = in->is_heat ? in->width : 0,
                                .cpu = in->cpu,
                                .others = in->others,
                                .failed = in->failed,
                                .left_out = in->left_out,
                                .resolution_lost = in->closest,
                                .nprocesses = in->is_heat ? in->nprocs : in->process_index.used,
                                .input = in,
                                .ops = in->ops };
    ok = f.number && find(&f);
    free(f.number);
    if (!ok) {
        dsn_rhythm_free(out);
        return 0;
    }
    out->epoch = out->clock == DSN_CLOCK_WALL ? in->epoch : 0;
    return 1;
}

void dsn_rhythm_free(struct dsn_rhythm *r)
{
    free_part(&r->job);
    free_part(&r->process);
    free(r->processes);
    free(r->wall.ops);
    free(r->wall.bytes);
    free(r->used.ops);
    free(r->used.bytes);
    free(r->storage);
    *r = (struct dsn_rhythm){ .nprocesses = 0 };
}

const char *dsn_rhythm_likeness_name(enum dsn_rhythm_likeness likeness)
{
    static const char *const names[DSN_NLIKENESSES] = { "order", "files", "names", "bytes", "any" };

    return likeness < DSN_NLIKENESSES ? names[likeness] : NULL;
}
