/* fit.c - fits the model of a file system to the operations of a run
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "fit.h"

#include <math.h>
#include <stdlib.h>

#include "share.h"

#define NS     1e-9
#define FEW    16     /* operations needed for a cross-validation */
#define LONELY .01    /* mean number of others in service below which there are none */
#define SMALL  65536. /* bytes: if all operations are at most this large, everything is latency */

/* ------------------------------------------------------------------ how many were in service */

struct sample {
    double bytes, seconds, others; /* mean number of others in service */
};

/* Advances to `now`. *sum: integral over time of the number in service. */
static void pass(struct dsn_share *busy, double now, double *sum)
{
    *sum += (now - busy->since) * (double)busy->n;
    dsn_share_advance(busy, now);
}

/* Completes operations that end by `now`: their samples' `others` had minus the integral at their start. */
static void end_some(struct dsn_share *busy, double now, double *sum, struct sample *samples)
{
    uint32_t k;

    while (busy->n > 0 && dsn_share_next(busy) <= now) {
        pass(busy, dsn_share_next(busy), sum);
        while (dsn_share_take(busy, &k)) {
            struct sample *s = &samples[k];

            s->others = s->seconds > 0 ? fmax(0, (*sum + s->others) / s->seconds - 1) : 0;
        }
    }
}

/* Samples of reads from the start of the array, of writes from its end. Returns 0 if out of memory. */
static int take_samples(const struct dsn_load *l, struct sample *out, size_t n[2])
{
    struct dsn_share busy = { .speed = 1 };
    double sum = 0;
    int ok = 1;

    n[0] = n[1] = 0;
    for (size_t i = 0; ok && i < l->nops; i++) {
        const struct dsn_load_op *op = &l->ops[l->order[i]];
        const int d = (op->flags & DSN_LOAD_WRITE) != 0;
        const size_t k = d ? l->nops - 1 - n[1] : n[0];

        end_some(&busy, (double)op->start * NS, &sum, out);
        pass(&busy, (double)op->start * NS, &sum);
        if (op->flags & DSN_LOAD_SYNC)
            continue;
        n[d]++;
        out[k] = (struct sample){ (double)op->length, (double)op->duration * NS, -sum };
        ok = dsn_share_add(&busy, out[k].seconds, (uint32_t)k);
    }
    end_some(&busy, INFINITY, &sum, out);
    dsn_share_free(&busy);
    return ok;
}

/* ------------------------------------------------------------------ least squares */

/* Sums over samples of products of 1, their others (o), bytes (b) and seconds (t), sufficient for any crowd. */
struct sums {
    double n, o, oo, b, ob, oob, bb, obb, oobb, t, ot, bt, obt, tt;
};

static struct sums add_up(const struct sample *s, size_t n, size_t step)
{
    struct sums a = { 0 };

    for (size_t i = 0; i < n; i += step) {
        const double o = s[i].others, b = s[i].bytes, t = s[i].seconds;

        a.n++;
        a.o += o;
        a.oo += o * o;
        a.b += b;
        a.ob += o * b;
        a.oob += o * o * b;
        a.bb += b * b;
        a.obb += o * b * b;
        a.oobb += o * o * b * b;
        a.t += t;
        a.ot += o * t;
        a.bt += b * t;
        a.obt += o * b * t;
        a.tt += t * t;
    }
    return a;
}

/* Latency and seconds per byte for crowd c: regression on f = 1 + c o and g = f b. Returns the sum of squares. */
static double solve(const struct sums *a, double c, double *latency, double *byte)
{
    const double ff = a->n + c * (2 * a->o + c * a->oo), fg = a->b + c * (2 * a->ob + c * a->oob);
    const double gg = a->bb + c * (2 * a->obb + c * a->oobb), ft = a->t + c * a->ot, gt = a->bt + c * a->obt;
    const double det = ff * gg - fg * fg;

    *latency = det > 1e-9 * ff * gg ? (ft * gg - gt * fg) / det : -1;
    *byte = det > 1e-9 * ff * gg ? (gt * ff - ft * fg) / det : -1;
    if (*latency < 0 && gg > SMALL * SMALL * ff) { /* also if all have the same size, which is not small */
        *latency = 0;
        *byte = gt / gg;
    } else if (*latency < 0 || *byte < 0) {
        *byte = 0;
        *latency = ft / ff;
    }
    return a->tt - 2 * (*latency * ft + *byte * gt) + *latency * *latency * ff + 2 * *latency * *byte * fg +
           *byte * *byte * gg;
}

/* The factor for both that preserves the sum of all durations. */
static double balance(const struct sums *a, double crowd, double latency, double byte)
{
    const double have = latency * (a->n + crowd * a->o) + byte * (a->b + crowd * a->ob);

    return have > 0 ? a->t / have : 1;
}

/* Finds the crowd with the least sum of squares: the best of a grid, then between its neighbours. */
static void fit(const struct sample *s, size_t n, double *latency, double *byte, double *crowd)
{
    static const double some[] = { 0, .001, .003, .01, .03, .06, .1, .15, .2, .3, .4, .5, .6, .7, .8, .9, 1 };
    const size_t nsome = sizeof some / sizeof some[0];
    const struct sums a = add_up(s, n, 1);
    double least = INFINITY, low, high, sum, ratio;
    size_t best = 0;
    int alone = 1;

    for (size_t i = 0; i < n; i++)
        alone &= s[i].others < LONELY;
    for (size_t i = 0; i < nsome && !alone; i++)
        if ((sum = solve(&a, some[i], latency, byte)) < least * (1 - 1e-9)) {
            least = sum;
            best = i;
        }
    low = some[best ? best - 1 : 0];
    high = some[best + 1 < nsome ? best + 1 : best];
    for (int k = 0; k < 24 && !alone; k++) {
        const double x = low + (high - low) * .382, y = low + (high - low) * .618;
        const int is_low = solve(&a, x, latency, byte) <= solve(&a, y, latency, byte);

        *(is_low ? &high : &low) = is_low ? y : x;
    }
    *crowd = alone ? 0 : (low + high) / 2; /* never concurrent: unknown */
    if (solve(&a, *crowd, latency, byte) > least)
        *crowd = some[best];
    solve(&a, *crowd, latency, byte);
    ratio = balance(&a, *crowd, *latency, *byte);
    *latency *= ratio;
    *byte *= ratio;
}

/* Predicts every other operation from the rest; returns the half that took longer. */
static struct dsn_held_out hold_out(const struct sample *s, size_t n, double crowd)
{
    struct dsn_held_out worst = { 0, 0 };

    for (size_t parity = 0; parity < 2 && n >= FEW; parity++) {
        const struct sums a = add_up(s + parity, n - parity, 2);
        struct dsn_held_out h = { 0, 0 };
        double latency, byte, ratio;

        solve(&a, crowd, &latency, &byte);
        ratio = balance(&a, crowd, latency, byte);
        for (size_t i = !parity; i < n; i += 2) {
            h.measured += s[i].seconds;
            h.predicted += ratio * (latency + byte * s[i].bytes) * (1 + crowd * s[i].others);
        }
        if (h.measured > worst.measured)
            worst = h;
    }
    return worst;
}

int dsn_fit_make(const struct dsn_load *load, struct dsn_file_system *out, struct dsn_held_out held_out[2])
{
    struct sample *s = malloc(load->nops * sizeof *s);
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
        held_out[d] = hold_out(from, n[d], out->crowd[d]);
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
