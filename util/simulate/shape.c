/* shape.c - finds the groups and bursts of a run
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "shape.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_GAP 1000000u /* ns */
#define NS        1e-9

void dsn_shape_free(struct dsn_shape *s)
{
    free(s->burst);
    free(s->opens);
    free(s->begins);
    free(s->ends);
    *s = (struct dsn_shape){ 0 };
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The threshold between short and long gaps. */
static uint64_t threshold_of(uint64_t *gaps, size_t n)
{
    double widest = 1, threshold = 0;

    qsort(gaps, n, sizeof *gaps, ascending);
    for (size_t i = 1; i < n; i++) {
        const double ratio = (double)gaps[i] / (double)gaps[i - 1];

        if (ratio > widest) {
            widest = ratio;
            threshold = sqrt((double)gaps[i] * (double)gaps[i - 1]);
        }
    }
    return threshold > LEAST_GAP ? (uint64_t)threshold : LEAST_GAP;
}

/* Gaps in which no process has an operation. */
static size_t find_gaps(const struct dsn_load *l, uint64_t *gaps)
{
    uint64_t end = 0;
    size_t n = 0;

    for (size_t i = 0; i < l->nops; i++) {
        const struct dsn_load_op *op = &l->ops[l->order[i]];

        if (i > 0 && op->start > end)
            gaps[n++] = op->start - end;
        if (op->start + op->duration > end)
            end = op->start + op->duration;
    }
    return n;
}

static void note_burst(struct dsn_shape *s, const uint64_t *bytes, double begin, double end)
{
    for (int d = 0; d < 2; d++)
        if (end > begin && (double)bytes[d] / (end - begin) > s->fastest_burst[d])
            s->fastest_burst[d] = (double)bytes[d] / (end - begin);
}

/* Assigns a burst to every operation. */
static void part(const struct dsn_load *l, struct dsn_shape *s, uint64_t threshold)
{
    uint64_t end = 0, bytes[2] = { 0, 0 };

    for (size_t i = 0; i < l->nops; i++) {
        const struct dsn_load_op *op = &l->ops[l->order[i]];

        if (i == 0 || (op->start > end && op->start - end >= threshold)) {
            if (s->nbursts > 0)
                note_burst(s, bytes, s->begins[s->nbursts - 1], s->ends[s->nbursts - 1]);
            bytes[0] = bytes[1] = 0;
            s->begins[s->nbursts++] = (double)op->start * NS;
        }
        if (op->start + op->duration > end)
            end = op->start + op->duration;
        s->ends[s->nbursts - 1] = (double)end * NS;
        s->burst[l->order[i]] = (uint32_t)s->nbursts - 1;
        if (!(op->flags & DSN_LOAD_SYNC))
            bytes[(op->flags & DSN_LOAD_WRITE) != 0] += op->length;
    }
    note_burst(s, bytes, s->begins[s->nbursts - 1], s->ends[s->nbursts - 1]);
}

/* Finds each process's groups of operations, and the time that the process waits for them. A group belongs to the burst
 * of its first operation. */
static void group(const struct dsn_load *l, struct dsn_shape *s, double *most)
{
    for (size_t p = 0; p < l->nprocesses; p++) {
        const size_t first = l->processes[p].first, end_of = first + l->processes[p].n;
        double total = 0, in_burst = 0;

        for (size_t i = first, next; i < end_of; i = next) {
            const uint64_t begin = l->ops[i].start;
            uint64_t end = begin + l->ops[i].duration;

            s->opens[i] = 1;
            for (next = i + 1; next < end_of && l->ops[next].start < end; next++) {
                if (l->ops[next].start + l->ops[next].duration > end)
                    end = l->ops[next].start + l->ops[next].duration;
                s->burst[next] = s->burst[i];
            }
            if (i == first || s->burst[i] != s->burst[i - 1])
                in_burst = 0;
            total += (double)(end - begin) * NS;
            in_burst += (double)(end - begin) * NS;
            if (in_burst > most[s->burst[i]])
                most[s->burst[i]] = in_burst;
        }
        s->seconds += total;
        if (total > s->visible.independent)
            s->visible.independent = total;
    }
    for (size_t b = 0; b < s->nbursts; b++)
        s->visible.coupled += most[b];
}

int dsn_shape_make(const struct dsn_load *l, struct dsn_shape *s)
{
    uint64_t *gaps = malloc(l->nops * sizeof *gaps);
    double *most = calloc(l->nops, sizeof *most);
    int ok;

    *s = (struct dsn_shape){ 0 };
    s->burst = malloc(l->nops * sizeof *s->burst);
    s->opens = calloc(l->nops, 1);
    s->begins = malloc(l->nops * sizeof *s->begins);
    s->ends = malloc(l->nops * sizeof *s->ends);
    ok = gaps && most && s->burst && s->opens && s->begins && s->ends;
    if (ok) {
        part(l, s, threshold_of(gaps, find_gaps(l, gaps)));
        group(l, s, most);
        for (size_t i = 0; i < l->nops; i++)
            if (!(l->ops[i].flags & DSN_LOAD_SYNC))
                s->moving[(l->ops[i].flags & DSN_LOAD_WRITE) != 0] += (double)l->ops[i].duration * NS;
        s->begin = s->begins[0];
        s->end = s->ends[s->nbursts - 1];
    } else {
        dsn_shape_free(s);
    }
    free(gaps);
    free(most);
    return ok;
}
