/* calls.c - I/O requested by a job's programs, from its log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "calls.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/grow.h"
#include "util/report/read.h"
#include "util/report/timeline.h"

#define NS 1e-9 /* seconds */

/* ------------------------------------------------------------------ over the time */

/* Seconds from the start of the recording's series to that of the job. */
static double offset_of(const struct dsn_block *b, const darshan_log_job *job)
{
    const int64_t begin = (int64_t)(b->epoch + b->begin), second = 1000000000;

    return (double)(job->start_sec - begin / second) + (double)(job->start_nsec - begin % second) * NS;
}

/* Distributes bytes evenly over an interval, in seconds of the series. */
static void spread(const struct dsn_block *b, double *series, double from, double to, double bytes)
{
    const double width = ((double)(b->end - b->begin) + 1) * NS / DSN_BLOCK_SERIES;
    const double first = from / width, last = to / width;

    for (int i = (int)fmax(first, 0); i < DSN_BLOCK_SERIES && i < last; i++)
        series[i] += bytes * (fmin(last, i + 1) - fmax(first, i)) / (last - first);
}

static void add_matrix(const struct dsn_block *b, const struct dsn_matrix *m, double width, double offset,
                       double *series)
{
    for (size_t row = 0; row < m->rows; row++)
        for (size_t i = 0; i < m->bins; i++) {
            const double from = offset + width * (double)i;

            if (m->cell[row * m->bins + i] > 0)
                spread(b, series, from, from + width, m->cell[row * m->bins + i]);
        }
}

static int read_series(const struct dsn_report *r, const struct dsn_block *b, double offset, struct dsn_block_calls *c)
{
    struct dsn_timelines t;
    const int rc = dsn_timelines_make(r, &t);

    if (rc != DSN_ERR_OK)
        return rc;
    for (size_t i = 0; i < t.n; i++)
        if (strcmp(t.line[i].layer, "POSIX") == 0 || strcmp(t.line[i].layer, "STDIO") == 0) {
            add_matrix(b, &t.line[i].read, t.line[i].width, offset, c->series[0]);
            add_matrix(b, &t.line[i].write, t.line[i].width, offset, c->series[1]);
            c->has_series = 1;
        }
    dsn_timelines_free(&t);
    return rc;
}

/* ------------------------------------------------------------------ in phases */

/* Index of the phase at a time in ns of the recording; b->nphases: before or after. */
static size_t phase_at(const struct dsn_block *b, double time)
{
    unsigned part;
    size_t i = 0;

    if (time < (double)b->begin || time > (double)b->end)
        return b->nphases;
    part = dsn_block_part(b, (uint64_t)time);
    while (part >= b->phases[i].first + b->phases[i].bins)
        i++;
    return i;
}

static void offer(struct dsn_block_calls *c, size_t phase, const struct dsn_block_caller *one)
{
    struct dsn_block_caller *list = c->callers[phase];
    size_t at = c->ncallers[phase];

    while (at > 0 && list[at - 1].sums.bytes < one->sums.bytes)
        at--;
    if (at == DSN_BLOCK_CALLERS)
        return;
    if (c->ncallers[phase] == DSN_BLOCK_CALLERS)
        free(list[DSN_BLOCK_CALLERS - 1].path);
    else
        c->ncallers[phase]++;
    memmove(&list[at + 1], &list[at], (c->ncallers[phase] - at - 1) * sizeof *list);
    list[at] = *one;
    list[at].path = one->path ? strdup(one->path) : NULL;
}

/* Sums by phase, direction and file; those with the most bytes are kept. */
struct sums {
    struct dsn__pairmap index; /* (file, phase), direction */
    struct dsn_block_caller *callers;
    size_t room;
};

static int add_call(struct sums *s, const struct darshan_trace_event *e, size_t phase)
{
    const int k = e->op == DARSHAN_TRACE_WRITE;
    const size_t had = s->index.used;
    const uint32_t at = dsn__pairmap_add(&s->index, e->file, phase, (uint32_t)k);

    if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&s->callers, &s->room, sizeof *s->callers, at))
        return 0;
    if (at == had) {
        s->callers[at].is_write = k;
        s->callers[at].path = e->path ? strdup(e->path) : NULL;
    }
    s->callers[at].sums.requests++;
    s->callers[at].sums.bytes += e->length;
    return 1;
}

static int read_callers(const char *path, const struct dsn_block *b, double offset, struct dsn_block_calls *c)
{
    const struct darshan_trace_options options = { .format = "dxt", .as_found = 1 };
    struct darshan_trace *trace;
    struct darshan_trace_event e;
    struct sums s = { .callers = NULL };
    int ok = 1;

    if (!darshan_trace_open(path, &options, &trace, NULL)) /* the log has none */
        return DSN_ERR_OK;
    dsn__pairmap_init(&s.index);
    while (ok && darshan_trace_next(trace, &e, NULL) > 0) {
        const size_t phase = phase_at(b, (double)b->begin + offset / NS + (double)e.start);

        if (phase < b->nphases && e.op <= DARSHAN_TRACE_WRITE)
            ok = add_call(&s, &e, phase);
    }
    darshan_trace_close(trace);
    for (size_t i = 0; i < s.index.used && i < s.room; i++) {
        if (ok)
            offer(c, (size_t)s.index.pairs[i].b, &s.callers[i]);
        free(s.callers[i].path);
    }
    free(s.callers);
    dsn__pairmap_free(&s.index);
    return ok ? DSN_ERR_OK : DSN_ERR_MEMORY;
}

/* ------------------------------------------------------------------ files */

/* Names in a log are absolute paths. */
static void match_file(const struct dsn_report *r, struct dsn_block_file *f)
{
    char *whole = realpath(f->path, NULL);

    for (size_t i = 0; whole && i < r->nfiles; i++) {
        const char *name = darshan_reader_name(r->log, r->files[i].id);

        if (!name || strcmp(name, whole) != 0)
            continue;
        f->is_asked = 1;
        f->asked[0] += (double)r->files[i].work.bytes_read;
        f->asked[1] += (double)r->files[i].work.bytes_written;
    }
    free(whole);
}

int dsn_block_calls_read(struct darshan_reader *log, const char *path, const struct dsn_block *b,
                         struct dsn_block_file *files, size_t nfiles, struct dsn_block_calls *c)
{
    const double offset = offset_of(b, darshan_reader_job(log));
    struct dsn_report r;
    int rc = dsn_report_read(&r, log, 0);

    *c = (struct dsn_block_calls){ .bytes = { (double)r.f.bytes_read, (double)r.f.bytes_written } };
    for (size_t i = 0; rc == DSN_ERR_OK && i < nfiles; i++)
        match_file(&r, &files[i]);
    if (rc == DSN_ERR_OK && b->epoch && b->nrequests > 0)
        rc = read_series(&r, b, offset, c);
    if (rc == DSN_ERR_OK && b->epoch && b->nrequests > 0)
        rc = read_callers(path, b, offset, c);
    dsn_report_free(&r);
    return rc;
}

void dsn_block_calls_free(struct dsn_block_calls *c)
{
    for (size_t i = 0; i < DSN_BLOCK_SERIES; i++)
        for (size_t k = 0; k < c->ncallers[i]; k++)
            free(c->callers[i][k].path);
}
