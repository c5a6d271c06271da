/* fit.c - the file system that a run had
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "fit.h"

#include <math.h>
#include <stdlib.h>

#define NS     1e-9
#define FEW    16     /* operations: of fewer none is held out */
#define LONELY .01    /* others in service on average: less is none */
#define SMALL  65536. /* bytes: what is smaller is all latency, if its size does not tell */

/* ------------------------------------------------------------------ how many were in service */

/* Moments in order, and of each the sum of those up to it. */
struct moments {
    double *at, *sum;
    size_t n;
};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void add_up(struct moments *m)
{
    for (size_t i = 0; i < m->n; i++)
        m->sum[i] = m->at[i] + (i ? m->sum[i - 1] : 0);
}

/* Sum over all moments before t of the time from them to t. */
static double time_since(const struct moments *m, double t)
{
    size_t low = 0, high = m->n;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (m->at[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? t * (double)low - m->sum[low - 1] : 0;
}

struct sample {
    double bytes, seconds, others; /* others in service on average */
};

/* Where each operation was, and of how many others. */
static void take_sample(const struct dsn_load_op *op, const struct moments *starts, const struct moments *ends,
                        size_t k, struct sample *out)
{
    const double begin = (double)op->start * NS, end = (double)(op->start + op->duration) * NS;
    double others = 0;

    if (starts->sum && end > begin) {
        const double since_begin = begin * (double)k - (k ? starts->sum[k - 1] : 0);

        others = ((time_since(starts, end) - time_since(ends, end)) - (since_begin - time_since(ends, begin))) /
                     (end - begin) -
                 1;
    }
    *out = (struct sample){ (double)op->length, (double)op->duration * NS, others > 0 ? others : 0 };
}

/* Whether any two operations overlap. */
static int overlap(const struct dsn_load *l)
{
    uint64_t end = 0;

    for (size_t i = 0; i < l->nops; i++) {
        const struct dsn_load_op *op = &l->ops[l->order[i]];

        if (op->start < end)
            return 1;
        end = op->start + op->duration;
    }
    return 0;
}

/* The samples of reads, from the beginning, and of writes, from the end. Returns 0 if there is no memory. */
static int take_samples(const struct dsn_load *l, struct sample *out, size_t n[2])
{
    struct moments starts = { .n = l->nops }, ends = { .n = l->nops };

    n[0] = n[1] = 0;
    if (overlap(l)) {
        starts.at = malloc(2 * l->nops * sizeof *starts.at);
        ends.at = malloc(2 * l->nops * sizeof *ends.at);
        if (!starts.at || !ends.at) {
            free(starts.at);
            free(ends.at);
            return 0;
        }
        starts.sum = starts.at + l->nops;
        ends.sum = ends.at + l->nops;
        for (size_t i = 0; i < l->nops; i++) {
            const struct dsn_load_op *op = &l->ops[l->order[i]];

            starts.at[i] = (double)op->start * NS;
            ends.at[i] = (double)(op->start + op->duration) * NS;
        }
        qsort(ends.at, l->nops, sizeof *ends.at, ascending);
        add_up(&starts);
        add_up(&ends);
    }
    for (size_t i = 0; i < l->nops; i++) {
        const struct dsn_load_op *op = &l->ops[l->order[i]];
        const int d = (op->flags & DSN_LOAD_WRITE) != 0;

        if (!(op->flags & DSN_LOAD_SYNC)) {
            take_sample(op, &starts, &ends, i, d ? &out[l->nops - 1 - n[1]] : &out[n[0]]);
            n[d]++;
        }
    }
    free(starts.at);
    free(ends.at);
    return 1;
}

/* ------------------------------------------------------------------ least squares */

/* Latency and seconds a byte for that crowd. Returns the sum of squares. */
static double solve(const struct sample *s, size_t n, double crowd, double *latency, double *byte)
{
    double ff = 0, fg = 0, gg = 0, ft = 0, gt = 0, tt = 0, det;

    for (size_t i = 0; i < n; i++) {
        const double f = 1 + crowd * s[i].others, g = f * s[i].bytes;

        ff += f * f;
        fg += f * g;
        gg += g * g;
        ft += f * s[i].seconds;
        gt += g * s[i].seconds;
        tt += s[i].seconds * s[i].seconds;
    }
    det = ff * gg - fg * fg;
    *latency = det > 1e-9 * ff * gg ? (ft * gg - gt * fg) / det : -1;
    *byte = det > 1e-9 * ff * gg ? (gt * ff - ft * fg) / det : -1;
    if (*latency < 0 && gg > SMALL * SMALL * ff) { /* also if all are of one size, and that is not small */
        *latency = 0;
        *byte = gt / gg;
    } else if (*latency < 0 || *byte < 0) {
        *byte = 0;
        *latency = ft / ff;
    }
    return tt - 2 * (*latency * ft + *byte * gt) + *latency * *latency * ff + 2 * *latency * *byte * fg +
           *byte * *byte * gg;
}

/* The crowd with the least sum of squares: the best of some, then between its neighbours. */
static void fit(const struct sample *s, size_t n, double *latency, double *byte, double *crowd)
{
    static const double some[] = { 0, .001, .003, .01, .03, .06, .1, .15, .2, .3, .4, .5, .6, .7, .8, .9, 1 };
    const size_t nsome = sizeof some / sizeof some[0];
    double least = INFINITY, low, high, sum;
    size_t best = 0;
    int alone = 1;

    for (size_t i = 0; i < n; i++)
        alone &= s[i].others < LONELY;
    for (size_t i = 0; i < nsome && !alone; i++)
        if ((sum = solve(s, n, some[i], latency, byte)) < least * (1 - 1e-9)) {
            least = sum;
            best = i;
        }
    if (alone) { /* nothing tells */
        *crowd = 0;
        solve(s, n, 0, latency, byte);
        return;
    }
    low = some[best ? best - 1 : 0];
    high = some[best + 1 < nsome ? best + 1 : best];
    for (int k = 0; k < 24; k++) {
        const double a = low + (high - low) * .382, b = low + (high - low) * .618;

        *(solve(s, n, a, latency, byte) <= solve(s, n, b, latency, byte) ? &high : &low) =
            solve(s, n, a, latency, byte) <= solve(s, n, b, latency, byte) ? b : a;
    }
    *crowd = (low + high) / 2;
    if (solve(s, n, *crowd, latency, byte) > least)
        *crowd = some[best];
    solve(s, n, *crowd, latency, byte);
}

/* The sum of all durations is what it was. */
static void balance(const struct sample *s, size_t n, double *latency, double *byte, double crowd)
{
    double want = 0, have = 0;

    for (size_t i = 0; i < n; i++) {
        want += s[i].seconds;
        have += (*latency + *byte * s[i].bytes) * (1 + crowd * s[i].others);
    }
    if (have > 0) {
        *latency *= want / have;
        *byte *= want / have;
    }
}

/* Every other operation is predicted from the rest: of both halves the one that took longer. */
static struct dsn_held_out hold_out(const struct sample *s, size_t n, double crowd, struct sample *half)
{
    struct dsn_held_out worst = { 0, 0 };

    for (size_t parity = 0; parity < 2 && n >= FEW; parity++) {
        struct dsn_held_out h = { 0, 0 };
        double latency, byte;
        size_t taken = 0;

        for (size_t i = parity; i < n; i += 2)
            half[taken++] = s[i];
        solve(half, taken, crowd, &latency, &byte);
        balance(half, taken, &latency, &byte, crowd);
        for (size_t i = !parity; i < n; i += 2) {
            h.measured += s[i].seconds;
            h.predicted += (latency + byte * s[i].bytes) * (1 + crowd * s[i].others);
        }
        if (h.measured > worst.measured)
            worst = h;
    }
    return worst;
}

int dsn_fit_make(const struct dsn_load *load, struct dsn_file_system *out, struct dsn_held_out held_out[2])
{
    struct sample *s = malloc(2 * load->nops * sizeof *s);
    size_t n[2];

    *out = (struct dsn_file_system){ .link = 0 };
    held_out[0] = held_out[1] = (struct dsn_held_out){ 0, 0 };
    if (!s || !take_samples(load, s, n)) {
        free(s);
        return 0;
    }
    for (int d = 0; d < 2; d++) {
        const struct sample *from = d ? s + load->nops - n[1] : s;

        if (n[d] == 0)
            continue;
        fit(from, n[d], &out->latency[d], &out->byte[d], &out->crowd[d]);
        balance(from, n[d], &out->latency[d], &out->byte[d], out->crowd[d]);
        held_out[d] = hold_out(from, n[d], out->crowd[d], s + load->nops);
    }
    for (int d = 0; d < 2; d++)
        if (n[d] == 0) {
            out->latency[d] = out->latency[!d];
            out->byte[d] = out->byte[!d];
            out->crowd[d] = out->crowd[!d];
        }
    free(s);
    return 1;
}

/* ------------------------------------------------------------------ as it was */

int dsn_fit_visible(const struct dsn_load *load, const struct dsn_shape *shape, const struct dsn_machine *m,
                    struct dsn_visible *out, struct dsn_outcome *outcome)
{
    struct dsn_machine machine = *m;
    struct dsn_outcome o;
    int ok;

    machine.coupled = 0;
    ok = dsn_machine_run(load, shape, &machine, &o);
    out->independent = out->coupled = o.visible;
    if (outcome)
        *outcome = o;
    else
        dsn_outcome_free(&o);
    if (!ok || load->nprocesses == 1 || shape->nbursts == 1)
        return ok;
    machine.coupled = 1;
    machine.record = 0;
    ok = dsn_machine_run(load, shape, &machine, &o);
    out->coupled = o.visible;
    dsn_outcome_free(&o);
    return ok;
}

int dsn_fit_check(const struct dsn_load *load, const struct dsn_shape *shape, const struct dsn_machine *m,
                  const struct dsn_held_out held_out[2], struct dsn_fit_check *out)
{
    struct dsn_outcome o;
    double all;

    *out = (struct dsn_fit_check){ 0 };
    if (!dsn_fit_visible(load, shape, m, &out->visible, &o)) {
        dsn_outcome_free(&o);
        return 0;
    }
    out->figure[0] = (struct dsn_figure){ "reads", shape->moving[0], o.moving[0], 0 };
    out->figure[1] = (struct dsn_figure){ "writes", shape->moving[1], o.moving[1], 0 };
    out->figure[2] =
        (struct dsn_figure){ "ranks independent", shape->visible.independent, out->visible.independent, 1 };
    out->figure[3] = (struct dsn_figure){ "ranks coupled", shape->visible.coupled, out->visible.coupled, 1 };
    for (int d = 0; d < 2 && held_out; d++)
        out->figure[4 + d] = (struct dsn_figure){ d ? "every other write" : "every other read", held_out[d].measured,
                                                  held_out[d].predicted, 0 };
    all = shape->moving[0] + shape->moving[1];
    for (int i = 0; i < DSN_FIT_FIGURES; i++) {
        struct dsn_figure *f = &out->figure[i];

        f->counts |= f->measured * (i >= 4 ? 2 : 1) > .1 * all;
        if (f->counts && f->measured > 0 && fabs(f->predicted / f->measured - 1) > out->error)
            out->error = fabs(f->predicted / f->measured - 1);
    }
    dsn_outcome_free(&o);
    return 1;
}
