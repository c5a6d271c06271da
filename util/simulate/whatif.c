/* whatif.c - estimates with bounds how a change would affect a run
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "whatif.h"

#include <inttypes.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/text.h"

#define NS           1e-9
#define MAX_USES     2000000u /* of blocks, in one simulation, if there are not more operations */
#define MEMORY_RATE  5e9      /* bytes per second of a memory copy, if unknown */
#define MEMORY_TIME  1e-6     /* seconds per request served from memory */
#define LITTLE       .01      /* share of the run time, or of its I/O time, below which it is not mentioned */
#define SMALL_BUFFER 1048576. /* bytes: no smaller burst buffer exists */
#define SMALL_SHARE  .10      /* share of the run time below which that is pointed out */

/* The machine with the run's file system and nothing else. */
static struct dsn_machine plain_machine(const struct dsn_load *load, const struct dsn_file_system *fs)
{
    return (struct dsn_machine){ .fs = *fs,
                                 .cache = { .policy = dsn_policy(0),
                                            .expiry = 30,
                                            .latency = fmin(MEMORY_TIME, fs->latency[0] + 4096 * fs->byte[0]),
                                            .byte = 1 / MEMORY_RATE },
                                 .block = (double)dsn_machine_block(load, MAX_USES) };
}

/* ------------------------------------------------------------------ what a cache could save at most */

/* Marks reads of which all blocks have been used before by a process on the same node: a cache would have served them,
 * if it has not. */
static int mark_reused(const struct dsn_load *load, double block, unsigned char *reused)
{
    struct dsn_blocks *seen = calloc(load->nnodes, sizeof *seen);
    uint64_t *key = dsn_machine_keys(load, (uint64_t)block);
    uint32_t *node = malloc(load->nops * sizeof *node);
    int ok = seen && key && node;

    for (size_t p = 0; ok && p < load->nprocesses; p++)
        for (size_t i = load->processes[p].first; i < load->processes[p].first + load->processes[p].n; i++)
            node[i] = load->processes[p].node;
    for (uint32_t k = 0; ok && k < load->nnodes; k++)
        dsn_blocks_init(&seen[k], (size_t)1 << 28);
    for (size_t k = 0; ok && k < load->nops; k++) {
        const size_t i = load->order[k];
        const struct dsn_load_op *op = &load->ops[i];
        struct dsn_blocks *b = &seen[node[i]];
        const size_t before = b->used;

        if (op->flags & (DSN_LOAD_SYNC | DSN_LOAD_NO_OFFSET) || op->length == 0)
            continue;
        for (uint64_t at = op->offset / (uint64_t)block; ok && at <= (op->offset + op->length - 1) / (uint64_t)block;
             at++)
            ok = dsn_blocks_add(b, key[op->file] + at) != DSN_BLOCK_NONE;
        reused[i] = b->used == before && !(op->flags & DSN_LOAD_WRITE);
    }
    for (uint32_t k = 0; seen && k < load->nnodes; k++)
        dsn_blocks_free(&seen[k]);
    free(seen);
    free(key);
    free(node);
    return ok;
}

static void mark_reads(const struct dsn_load *load, unsigned char *marked)
{
    for (size_t i = 0; i < load->nops; i++)
        marked[i] = !(load->ops[i].flags & (DSN_LOAD_WRITE | DSN_LOAD_SYNC));
}

/* Seconds of visible I/O in reads that a cache could serve, minus the time of a memory copy (`ahead`: all reads,
 * because read-ahead may serve first reads): the maximum over processes, and the sum over bursts of the maximum. No
 * saving can exceed the larger one. -1: no memory. */
static double cache_bound(const struct dsn_load *load, const struct dsn_shape *shape, double block, int ahead)
{
    unsigned char *reused = calloc(load->nops, 1);
    double *most = calloc(shape->nbursts, sizeof *most), independent = 0, coupled = 0;
    const int ok = reused && most && (ahead || mark_reused(load, block, reused));

    if (ok && ahead)
        mark_reads(load, reused);

    for (size_t p = 0; ok && p < load->nprocesses; p++) {
        double total = 0, in_burst = 0, saved;

        for (size_t i = load->processes[p].first; i < load->processes[p].first + load->processes[p].n; i++) {
            if (i == load->processes[p].first || shape->burst[i] != shape->burst[i - 1])
                in_burst = 0;
            if (!reused[i])
                continue;
            saved =
                fmax(0, (double)load->ops[i].duration * NS - MEMORY_TIME - (double)load->ops[i].length / MEMORY_RATE);
            total += saved;
            in_burst += saved;
            most[shape->burst[i]] = fmax(most[shape->burst[i]], in_burst);
        }
        independent = fmax(independent, total);
    }
    for (size_t b = 0; ok && b < shape->nbursts; b++)
        coupled += most[b];
    free(reused);
    free(most);
    return ok ? fmin(fmax(independent, coupled), fmax(shape->visible.independent, shape->visible.coupled)) : -1;
}

/* ------------------------------------------------------------------ answers */

/* The measured value, changed as in the simulation, and widened by the model's error: of the result or, if that is
 * less, of the change. Unaffected parts remain as measured. */
static struct dsn_range changed(double measured, double simulated, double becomes, double error)
{
    const double x = simulated > 0 ? measured * becomes / simulated : becomes;
    const double by = error * fmin(x, fabs(measured - x));

    return (struct dsn_range){ x - by, x + by };
}

/* Visible I/O without the change: measured, or simulated if the trace has no durations. */
static const struct dsn_visible *before(const struct dsn_answer *a)
{
    return a->timeless ? &a->check.visible : &a->shape.visible;
}

static struct dsn_range scaled(const struct dsn_answer *a, const struct dsn_visible *v)
{
    const struct dsn_visible *m = before(a), *p = &a->check.visible;
    const double e = fmin(a->check.error, .9);
    const struct dsn_range x = changed(m->independent, p->independent, v->independent, e);
    const struct dsn_range y = changed(m->coupled, p->coupled, v->coupled, e);

    return (struct dsn_range){ fmin(x.low, y.low), fmax(x.high, y.high) };
}

static struct dsn_range range_before(const struct dsn_answer *a)
{
    const struct dsn_visible *m = before(a);

    return (struct dsn_range){ fmin(m->independent, m->coupled), fmax(m->independent, m->coupled) };
}

/* The content of a burst buffer that never fills, and the drain rate needed. If the simulated one did not fill, it is
 * used. */
static int size_buffer(const struct dsn_load *load, struct dsn_answer *a)
{
    struct dsn_machine m = a->changed;
    struct dsn_outcome unlimited = { 0 }, *o = &a->outcome;
    int ok = 1;

    if (o->stalled > 0) {
        m.buffer.size = INFINITY;
        ok = dsn_machine_run(load, &a->shape, &m, &unlimited);
        o = &unlimited;
    }
    if (ok) {
        a->never_stalls = o->peak;
        a->drain_needed = dsn_machine_drain(o, a->changed.buffer.size);
    }
    dsn_outcome_free(&unlimited);
    return ok;
}

/* With other striping: transfer times of each file. Returns 0 with a->error, or if out of memory. */
static int restripe(const struct dsn_load *load, const struct dsn_spec *s, struct dsn_answer *a)
{
    struct dsn_striped *files = calloc(load->nfiles, sizeof *files);
    double all = 0, then = 0;
    int ok;

    a->transfer = calloc(load->nfiles, sizeof *a->transfer);
    ok = files && a->transfer;
    for (size_t i = 0; ok && i < load->nfiles; i++)
        files[i] = (struct dsn_striped){ .layout = load->files[i].is_striped
                                                       ? dsn_layouts_get(&load->layouts, load->files[i].record)
                                                       : NULL,
                                         .extent = (double)load->files[i].extent,
                                         .bytes = load->files[i].bytes };
    ok = ok && dsn_striping_change(files, load->nfiles, s->stripes, s->stripe_size, &a->striping);
    for (size_t i = 0; ok && i < load->nfiles; i++) {
        a->transfer[i] = s->stripes_were > 0 ? s->stripes_were / s->stripes : files[i].factor;
        all += files[i].bytes;
        then += files[i].bytes * a->transfer[i];
    }
    free(files);
    if (ok && s->stripes_were <= 0 && a->striping.files == 0) {
        snprintf(a->error, sizeof a->error,
                 "has no records of Lustre, which would tell how its files are striped: stripes=%.0f/M says over how "
                 "many targets they are",
                 s->stripes);
        return 0;
    }
    a->changed.transfer = a->transfer;
    a->changed.write_back = all > 0 ? then / all : 1;
    return ok;
}

static int answer(const struct dsn_load *load, const struct dsn_whatif_question *q, struct dsn_answer *a)
{
    struct dsn_held_out held_out[2];
    struct dsn_file_system fs;

    if (!dsn_shape_make(load, &a->shape))
        return 0;
    if (q->profile)
        fs = *q->profile;
    else if (!dsn_fit_make(load, &fs, held_out))
        return 0;
    a->machine = plain_machine(load, &fs);
    a->pinned = calloc(load->nfiles, 1);
    a->pinned_before = calloc(load->nfiles, 1);
    if (!a->pinned || !a->pinned_before)
        return 0;
    if (q->had)
        dsn_spec_apply(q->had, load, &a->machine, a->pinned_before);
    if (!dsn_fit_check(load, &a->shape, &a->machine, q->profile ? NULL : held_out, &a->check))
        return 0;
    a->changed = a->machine;
    dsn_spec_apply(&q->change, load, &a->changed, a->pinned);
    if (q->change.has & DSN_SPEC_STRIPES && !restripe(load, &q->change, a))
        return 0;
    a->changed.record = a->changed.buffer.rate > 0;
    if (!dsn_fit_visible(load, &a->shape, &a->changed, &a->becomes, &a->outcome))
        return 0;
    a->timeless = a->shape.seconds <= 0;
    a->was = range_before(a);
    a->will = scaled(a, &a->becomes);
    a->at_most = (q->change.has & DSN_SPEC_STRIPES) || (!q->had && q->change.has & (DSN_SPEC_CACHE | DSN_SPEC_AHEAD));
    if (a->at_most)
        a->will.high = fmax(a->will.high, a->was.high);
    if (q->change.has & DSN_SPEC_STRIPES) /* for fewer: worst case */
        a->will.low = fmin(a->will.low, a->was.low);
    a->cache_saves = q->change.has & DSN_SPEC_CACHE ? -1 : cache_bound(load, &a->shape, a->machine.block, 0);
    if (!(q->change.has & ~(unsigned)(DSN_SPEC_CACHE | DSN_SPEC_AHEAD))) /* whatever the model's error */
        a->will.low = fmax(a->will.low, a->was.low - cache_bound(load, &a->shape, a->machine.block,
                                                                 (q->change.has & DSN_SPEC_AHEAD) != 0));
    return a->changed.buffer.rate <= 0 || size_buffer(load, a);
}

int dsn_answer_make(const struct dsn_load *load, const struct dsn_whatif_question *q, struct dsn_answer *a)
{
    *a = (struct dsn_answer){ .run = (double)load->last_end * NS,
                              .nodes = load->nnodes,
                              .hosts_known = load->hosts_known };
    if (load->thinned || load->left_out > 0)
        a->missing = load->left_out > 0 ? load->left_out : UINT64_MAX;
    if (answer(load, q, a))
        return 1;
    if (!*a->error)
        snprintf(a->error, sizeof a->error, "does not fit into memory, or has files that are too large together");
    return 0;
}

void dsn_answer_free(struct dsn_answer *a)
{
    dsn_shape_free(&a->shape);
    dsn_outcome_free(&a->outcome);
    free(a->pinned);
    free(a->pinned_before);
    free(a->transfer);
    a->transfer = NULL;
    a->pinned = a->pinned_before = NULL;
}

/* ------------------------------------------------------------------ in words */

/* Formats a range in the unit and with the digits that suit `like` seconds. */
static const char *said_like(struct dsn_range r, double like, char *to, size_t n)
{
    const double scale = like >= .1 || like <= 0 || r.high >= .1 ? 1 : 1e3;
    const double high = r.high * scale, low = r.low * scale;
    const int digits = high >= 99.95 ? 0 : high >= 9.995 ? 1 : high >= .0995 ? 2 : 3;
    char a[32], b[32];

    snprintf(a, sizeof a, "%.*f", digits, low);
    snprintf(b, sizeof b, "%.*f", digits, high);
    if (r.high <= 0)
        snprintf(to, n, "0 s");
    else if (strcmp(b, "0.000") == 0)
        snprintf(to, n, "less than 0.001 %s", scale > 1 ? "ms" : "s");
    else if (strcmp(a, b) == 0)
        snprintf(to, n, "%s %s", b, scale > 1 ? "ms" : "s");
    else
        snprintf(to, n, "%s-%s %s", a, b, scale > 1 ? "ms" : "s");
    return to;
}

const char *dsn_range_said(struct dsn_range r, char *to, size_t n)
{
    return said_like(r, r.high, to, n);
}

static const char *seconds_said(double s, double like, char *to, size_t n)
{
    return said_like((struct dsn_range){ s, s }, like, to, n);
}

/* Appends. */
static void append(char *to, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *to, size_t n, const char *format, ...)
{
    const size_t used = strlen(to);
    va_list args;

    va_start(args, format);
    vsnprintf(to + used, n - used, format, args);
    va_end(args);
}

/* Adds limitations of the answer. Returns 0 if there is no answer. */
static int add_reserve(const struct dsn_answer *a, const struct dsn_whatif_question *q, char *to, size_t n)
{
    if (a->timeless && !q->profile) {
        append(
            to, n,
            "The trace has no durations, so the measured I/O time is unknown, and there is nothing that a file system "
            "could be fitted to: --profile takes one from darshan-sweep.");
        return 0;
    }
    if (a->timeless)
        append(
            to, n,
            "The trace has no durations, so the measured I/O time is unknown, and that of the storage profile is given "
            "instead: ");
    if (a->missing == UINT64_MAX)
        append(to, n, "Estimate from a trace that lacks operations: ");
    else if (a->missing > 0)
        append(to, n, "Estimate from a trace that lacks %" PRIu64 " operations: ", a->missing);
    if (a->check.error > DSN_FIT_GOOD)
        append(to, n, "Uncalibrated, %s is %.0f %% off on the run as it was: ",
               q->profile ? "the storage profile" : "the model", 100 * a->check.error);
    return 1;
}

void dsn_striping_said(const struct dsn_spec *s, const struct dsn_striping *g, char *to, size_t n)
{
    *to = '\0';
    append(to, n, "Striping ");
    if (s->stripes_were <= 0 && g->changed > 0)
        append(to, n, "%zu file%s ", g->changed, g->changed == 1 ? "" : "s");
    append(to, n, "over %.0f target%s", s->stripes, s->stripes == 1 ? "" : "s");
    if (s->stripes_were > 0)
        append(to, n, " instead of %.0f", s->stripes_were);
    else if (g->changed > 0 && g->fewest == g->widest)
        append(to, n, " instead of %zu", g->fewest);
    else if (g->changed > 0)
        append(to, n, " instead of %zu to %zu", g->fewest, g->widest);
}

static void add_subject(const struct dsn_whatif_question *q, const struct dsn_answer *a, char *to, size_t n)
{
    const unsigned buffer = DSN_SPEC_BUFFER | DSN_SPEC_DRAIN | DSN_SPEC_LATENCY | DSN_SPEC_STAGE | DSN_SPEC_PIN;
    char size[32], text[404];

    if (q->change.has & DSN_SPEC_BUFFER && !(q->change.has & ~buffer)) {
        const char *said = dsn_spec_size(q->change.buffer_size, size, sizeof size);

        append(to, n, "%s %s burst buffer a node",
               *said == '8' || strncmp(said, "11 ", 3) == 0 || *said == 'u' ? "An" : "A", said);
    } else if (q->change.has == DSN_SPEC_CACHE) {
        append(to, n, "A page cache of %s a node", dsn_spec_size(q->change.cache, size, sizeof size));
    } else if (q->change.has == DSN_SPEC_AHEAD) {
        append(to, n, "Read-ahead of %s", dsn_spec_size(q->change.ahead, size, sizeof size));
    } else if (q->change.has == DSN_SPEC_STRIPES) {
        dsn_striping_said(&q->change, &a->striping, to + strlen(to), n - strlen(to));
    } else {
        dsn_text_fit(text, sizeof text, 100, 60, q->text);
        append(to, n, "A machine with %s", text);
    }
}

/* Adds the effect on visible I/O. */
static void add_verdict(const struct dsn_answer *a, char *to, size_t n)
{
    char was[48], will[48];

    dsn_range_said(a->was, was, sizeof was);
    said_like(a->will, a->was.high, will, sizeof will);
    if (a->will.high < a->was.low * (1 - LITTLE))
        append(to, n, " cuts visible I/O from %s to %s", was, will);
    else if (a->will.low > a->was.high * (1 + LITTLE))
        append(to, n, " would make visible I/O longer, from %s to %s", was, will);
    else if (a->will.low > a->was.low * (1 - 2 * LITTLE) && a->will.high < a->was.high * (1 + 2 * LITTLE))
        append(to, n, " does not change visible I/O, %s", was);
    else if (a->at_most && a->will.low > a->was.low * (1 - 2 * LITTLE))
        append(to, n, " can make visible I/O longer, from %s to %s at worst", was,
               seconds_said(a->will.high, a->was.high, will, sizeof will));
    else if (a->at_most)
        append(to, n, " can cut visible I/O from %s to %s at best", was,
               seconds_said(a->will.low, a->was.high, will, sizeof will));
    else if (a->will.low > a->was.low * (1 - 2 * LITTLE))
        append(to, n, " does not cut visible I/O, %s, and can make it longer, up to %s", was,
               seconds_said(a->will.high, a->was.high, will, sizeof will));
    else
        append(to, n, " may or may not cut visible I/O: it was %s and would be %s", was, will);
    if (a->was.high < SMALL_SHARE * a->run)
        append(to, n, ", which is %.1f %% of the run", 100 * a->was.high / a->run);
    if (a->will.low > a->was.high && a->changed.buffer.rate > 0 && a->machine.fs.byte[1] > 0 &&
        1 / a->machine.fs.byte[1] > a->changed.buffer.rate)
        append(to, n, ": its writes are at %s already", dsn_spec_rate(1 / a->machine.fs.byte[1], will, sizeof will));
}

static void add_buffer(const struct dsn_answer *a, char *to, size_t n)
{
    char text[48];

    if (a->outcome.buffer_bytes[1] <= 0) {
        append(to, n, "; nothing is written");
        return;
    }
    if (a->never_stalls > 0 && a->never_stalls < SMALL_BUFFER)
        append(to, n, "; less than %s would never stall", dsn_spec_size(SMALL_BUFFER, text, sizeof text));
    else if (a->never_stalls > 0)
        append(to, n, "; %s %s stall", dsn_spec_size(a->never_stalls, text, sizeof text),
               a->never_stalls > a->changed.buffer.size ? "would never" : "never");
    else
        append(to, n, "; it drains as fast as it fills");
    if (a->drain_needed > 0) {
        append(to, n, "; the drain needs %s", dsn_spec_rate(a->drain_needed, text, sizeof text));
        if (a->drain_needed * a->nodes > a->shape.fastest_burst[1] * (1 + LITTLE))
            append(to, n, ", where the file system took %s at most",
                   dsn_spec_rate(a->shape.fastest_burst[1] / a->nodes, text, sizeof text));
    } else {
        append(to, n, "; it holds all that is written");
    }
}

static void add_little(const struct dsn_answer *a, char *to, size_t n)
{
    char text[48];

    append(to, n, "There is little to gain: visible I/O is %s, %.2g %% of the run.",
           dsn_range_said(a->was, text, sizeof text), 100 * a->was.high / a->run);
}

void dsn_answer_sentence(const struct dsn_answer *a, const struct dsn_whatif_question *q, char *to, size_t n)
{
    char text[48];

    *to = '\0';
    if (!add_reserve(a, q, to, n))
        return;
    if (a->was.high <= 0) {
        append(to, n, "There is nothing to gain: the run's I/O took no time that its trace shows.");
        return;
    }
    if (a->was.high < LITTLE * a->run) {
        add_little(a, to, n);
        return;
    }
    add_subject(q, a, to, n);
    add_verdict(a, to, n);
    if (a->changed.buffer.rate > 0)
        add_buffer(a, to, n);
    if (a->cache_saves == 0)
        append(to, n, "; more page cache would save nothing");
    else if (a->cache_saves > 0)
        append(to, n, "; more page cache would save at most %s",
               seconds_said(a->cache_saves, a->was.high, text, sizeof text));
    append(to, n, ".");
}

/* ------------------------------------------------------------------ what matters */

enum { CAPACITY, RATE, DRAIN, CACHE, AHEAD, NROWS };

static const char *const row_names[NROWS] = { "twice the capacity", "twice the bandwidth", "twice the drain rate",
                                              "page cache without limit", "read-ahead of 8 MiB" };

static void change(struct dsn_machine *m, int row)
{
    switch (row) {
    case CAPACITY:
        m->buffer.size *= 2;
        break;
    case RATE:
        m->buffer.rate *= 2;
        break;
    case DRAIN:
        m->buffer.drain *= 2;
        break;
    case CACHE:
        m->cache.size = 1e18;
        m->cache.reads_only = 0;
        break;
    default:
        m->cache.ahead = 8388608;
        if (m->cache.size <= 0) {
            m->cache.size = 1e18;
            m->cache.reads_only = 1;
        }
    }
}

int dsn_scan_make(const struct dsn_load *load, const struct dsn_whatif_question *q, const struct dsn_answer *a,
                  struct dsn_whatif_scan *out)
{
    struct dsn_visible v;
    const double base = a->will.low + a->will.high;

    *out = (struct dsn_whatif_scan){
        .base = a->will, .best = -1, .second = -1, .least = fmax(LITTLE, a->check.error / 2)
    };
    for (int i = 0; i < NROWS; i++) {
        struct dsn_scan_row *r = &out->row[i];
        struct dsn_machine m = a->changed;

        m.record = 0;
        r->name = row_names[i];
        r->asked = i >= CACHE || m.buffer.rate > 0;
        if (!r->asked)
            continue;
        change(&m, i);
        if (!dsn_fit_visible(load, &a->shape, &m, &v, NULL))
            return 0;
        r->will = scaled(a, &v);
        if (i >= CACHE && !q->had) /* the run may have had it */
            r->will.high = fmax(r->will.high, a->will.high);
        r->saves = (base - r->will.low - r->will.high) / 2;
        if (r->saves < out->least * base / 2)
            continue;
        if (out->best < 0 || r->saves > out->row[out->best].saves) {
            out->second = out->best;
            out->best = i;
        } else if (out->second < 0 || r->saves > out->row[out->second].saves) {
            out->second = i;
        }
    }
    if (out->second >= 0) {
        struct dsn_machine m = a->changed;

        m.record = 0;
        change(&m, out->best);
        change(&m, out->second);
        if (!dsn_fit_visible(load, &a->shape, &m, &v, NULL))
            return 0;
        out->both = scaled(a, &v);
        if ((out->best >= CACHE || out->second >= CACHE) && !q->had)
            out->both.high = fmax(out->both.high, a->will.high);
    }
    return 1;
}

void dsn_scan_sentence(const struct dsn_whatif_scan *s, const struct dsn_answer *a, const struct dsn_whatif_question *q,
                       char *to, size_t n)
{
    char was[48], will[48], text[404];

    *to = '\0';
    if (!add_reserve(a, q, to, n))
        return;
    if (a->was.high < LITTLE * a->run) {
        add_little(a, to, n);
        return;
    }
    if (s->best < 0) {
        dsn_text_fit(text, sizeof text, 100, 60, q->text);
        append(to, n,
               "Nothing matters: with %s, neither more of it, nor page cache, nor read-ahead saves %.0f %% of the %s "
               "of visible I/O that are left.",
               text, 100 * s->least, dsn_range_said(s->base, was, sizeof was));
        return;
    }
    append(to, n, "What matters most is %s: %s of visible I/O instead of %s", s->row[s->best].name,
           said_like(s->row[s->best].will, s->base.high, will, sizeof will), dsn_range_said(s->base, was, sizeof was));
    if (s->second >= 0 &&
        s->both.low + s->both.high < (s->row[s->best].will.low + s->row[s->best].will.high) * (1 - LITTLE))
        append(to, n, "; with %s, too, %s", s->row[s->second].name,
               said_like(s->both, s->base.high, will, sizeof will));
    append(to, n, ".");
}
