/* simulated.c - measures a sample of a point on a machine simulated by darshan-simulate
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The requests of a sample are the simulator's load. The time of a warm pass is that of two passes minus that of
 * one. */
#include <config.h>
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK       4096
#define MEMORY_RATE 1e10 /* bytes per second copied from and to the cache */

/* Passes of P processes over a file, each over its part; operations are a nanosecond apart. */
static int make_load(const struct dsn_point *p, unsigned passes, struct dsn_load *l)
{
    const uint64_t calls = p->size / p->request, most = passes * calls;
    const struct dsn_sweep_row *row = dsn_sweep_row(p->sweep);
    const uint16_t flags = row->operation == DSN_OP_WRITE ? DSN_LOAD_WRITE : 0;

    dsn_load_init(l);
    l->ops = malloc((size_t)most * sizeof *l->ops);
    l->order = malloc((size_t)most * sizeof *l->order);
    l->processes = calloc(p->workers, sizeof *l->processes);
    l->files = calloc(1, sizeof *l->files);
    l->nnodes = 1;
    if (!l->ops || !l->order || !l->processes || !l->files)
        return 0;
    l->nfiles = 1;
    l->files[0].extent = p->size;
    for (unsigned w = 0; w < p->workers; w++) {
        struct dsn_load_process *of = &l->processes[l->nprocesses];
        const uint64_t first = w * calls / p->workers, end = (w + 1) * calls / p->workers;

        *of = (struct dsn_load_process){ .id = w, .first = l->nops };
        for (uint64_t i = 0; i < passes * (end - first); i++) {
            l->order[l->nops] = l->nops;
            l->ops[l->nops++] = (struct dsn_load_op){ .start = 2 * i,
                                                      .duration = 1,
                                                      .offset = (first + i % (end - first)) * p->request,
                                                      .length = p->request,
                                                      .flags = flags };
        }
        of->n = l->nops - of->first;
        l->nprocesses += of->n > 0;
    }
    return 1;
}

static int by_start(const void *a, const void *b, void *context)
{
    const struct dsn_load *l = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return l->ops[x].start != l->ops[y].start
               ? (l->ops[x].start > l->ops[y].start) - (l->ops[x].start < l->ops[y].start)
               : (x > y) - (x < y);
}

/* Seconds for this many passes; negative: no memory. */
static double passes_take(const struct dsn_meter *m, const struct dsn_point *p, unsigned passes)
{
    const enum dsn_cache_state cache = dsn_sweep_row(p->sweep)->cache;
    struct dsn_load load;
    struct dsn_shape shape = { .burst = NULL };
    struct dsn_outcome outcome = { .elapsed = -1 };
    struct dsn_machine machine = { .cache = { .latency = 0.5e-6, .byte = 1 / MEMORY_RATE }, .block = BLOCK };
    unsigned char pinned = 0;
    double seconds = -1;

    if (make_load(p, passes, &load)) {
        qsort_r(load.order, load.nops, sizeof *load.order, by_start, &load);
        dsn_spec_apply(&m->spec, &load, &machine, &pinned);
        if (cache == DSN_CACHE_PAST || cache == DSN_CACHE_SYNCED)
            machine.cache.size = 0;
        if (dsn_shape_make(&load, &shape) && dsn_machine_run(&load, &shape, &machine, &outcome))
            seconds = outcome.elapsed;
        dsn_outcome_free(&outcome);
        dsn_shape_free(&shape);
    }
    dsn_load_free(&load);
    return seconds;
}

static enum dsn_measured measure(struct dsn_meter *m, const struct dsn_point *p, struct dsn_sample *out)
{
    const struct dsn_sweep_row *row = dsn_sweep_row(p->sweep);
    double first = 0, all;

    *out = (struct dsn_sample){ .sweep = p->sweep, .x = p->x, .request = p->request, .resident = -1 };
    if (row->factor == DSN_BY_MODE || row->factor == DSN_BY_SMALL || row->is_each)
        return DSN_MEASURED_NOT_HERE;
    out->bytes = (double)(p->size - p->size % p->request);
    if (row->cache == DSN_CACHE_WARM)
        first = passes_take(m, p, 1);
    all = passes_take(m, p, row->cache == DSN_CACHE_WARM ? 2 : 1);
    out->seconds = all - first;
    if (first >= 0 && all >= 0 && out->seconds > 0)
        return dsn_sweep_stop ? DSN_MEASURED_STOPPED : DSN_MEASURED;
    snprintf(m->error, sizeof m->error, "%s",
             all < 0 ? "out of memory for its simulation" : "a simulated pass takes no time: its rates are too high");
    return DSN_MEASURED_FAILED;
}

static void close_meter(struct dsn_meter *m)
{
    dsn_spec_free(&m->spec);
}

int dsn_meter_of_machine(struct dsn_meter *m, const struct dsn_sweep_settings *s, const char *spec)
{
    int ok;

    *m = (struct dsn_meter){ .measure = measure, .close = close_meter, .settings = s };
    snprintf(m->place.type, sizeof m->place.type, "simulated");
    ok = dsn_spec_parse(spec, &m->spec);
    if (!ok)
        snprintf(m->error, sizeof m->error, "%s", m->spec.error);
    else if (!(m->spec.has & DSN_SPEC_FS)) {
        snprintf(m->error, sizeof m->error, "has no rate of the file system: add fs=RATE");
        ok = 0;
    }
    if (!ok)
        dsn_spec_free(&m->spec);
    return ok;
}
