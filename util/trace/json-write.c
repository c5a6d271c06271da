/* json-write.c - writes JSON: for the viewers of Chrome and Perfetto, and for FTIO
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "writers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/lib/emit.h"
#include "util/lib/idmap.h"

#define GROUP 1000 /* requests per line, for FTIO */

static int no_memory(struct dsn__trace_sink *s)
{
    snprintf(s->err.text, sizeof s->err.text, "cannot be written: out of memory");
    return 0;
}

/* Formats nanoseconds in units of 10^digits ns: "12.345". */
static void put_fixed(struct dsn_text *out, uint64_t ns, uint64_t unit, int digits)
{
    dsn_text_printf(out, "%" PRIu64 ".%0*" PRIu64, ns / unit, digits, ns % unit);
}

/* ------------------------------------------------------------------ Chrome */

struct chrome {
    struct dsn__idmap hosts; /* processes whose host was written */
    int several;
};

int dsn__chrome_begin(struct dsn__trace_sink *s)
{
    struct chrome *c = calloc(1, sizeof *c);

    s->state = c;
    if (!c)
        return no_memory(s);
    dsn__idmap_init(&c->hosts);
    dsn_text_string(&s->out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    return 1;
}

static void begin_object(struct dsn__trace_sink *s)
{
    struct chrome *c = s->state;

    dsn_text_string(&s->out, c->several ? ",\n" : "\n");
    c->several = 1;
}

int dsn__chrome_put(struct dsn__trace_sink *s, const struct darshan_trace_event *e)
{
    struct chrome *c = s->state;
    const size_t before = c->hosts.used;
    struct dsn_text *out = &s->out;

    if (e->host) {
        if (dsn__idmap_add(&c->hosts, e->process, 0) == DSN_IDMAP_NONE)
            return no_memory(s);
        if (c->hosts.used > before) {
            begin_object(s);
            dsn_text_printf(
                out,
                "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %" PRIu64 ", \"args\": {\"name\": ", e->process);
            dsn_emit_quoted(out, DSN_EMIT_JSON, e->host, strlen(e->host));
            dsn_text_string(out, "}}");
        }
    }
    begin_object(s);
    dsn_text_printf(
        out, "{\"ph\": \"X\", \"name\": \"%s\", \"cat\": \"%s\", \"pid\": %" PRIu64 ", \"tid\": %" PRIu64 ", \"ts\": ",
        darshan_trace_op_name(e->op), darshan_trace_class_name(e->kind), e->process,
        e->flags & DARSHAN_TRACE_PHYSICAL ? e->file : e->process);
    put_fixed(out, e->start, 1000, 3);
    dsn_text_string(out, ", \"dur\": ");
    put_fixed(out, e->duration, 1000, 3);
    dsn_text_printf(out, ", \"args\": {\"file\": %" PRIu64 ", \"offset\": %" PRIu64 ", \"length\": %" PRIu64, e->file,
                    e->offset, e->length);
    if (e->path) {
        dsn_text_string(out, ", \"path\": ");
        dsn_emit_quoted(out, DSN_EMIT_JSON, e->path, strlen(e->path));
    }
    dsn_text_string(out, "}}");
    return 1;
}

int dsn__chrome_end(struct dsn__trace_sink *s)
{
    dsn_text_string(&s->out, "\n]}\n");
    return 1;
}

void dsn__chrome_release(struct dsn__trace_sink *s)
{
    struct chrome *c = s->state;

    if (c)
        dsn__idmap_free(&c->hosts);
    free(c);
}

/* ------------------------------------------------------------------ FTIO */

/* Requests of one kind that are collected for a line. */
struct group {
    size_t n;
    struct {
        uint64_t start, duration, bytes;
    } requests[GROUP];
};

struct ftio {
    struct dsn__idmap processes;
    struct group groups[4]; /* read, write; asynchronous read, write */
};

int dsn__ftio_begin(struct dsn__trace_sink *s)
{
    struct ftio *f = calloc(1, sizeof *f);

    s->state = f;
    if (!f)
        return no_memory(s);
    dsn__idmap_init(&f->processes);
    return 1;
}

/* Bandwidth of each request between its start and end. */
static void put_group(struct dsn__trace_sink *s, int which)
{
    static const char *const names[] = { "read_sync", "write_sync", "read_async_t", "write_async_t" };
    static const char *const columns[] = { "b_rank_avr", "t_rank_s", "t_rank_e" };
    struct ftio *f = s->state;
    struct group *g = &f->groups[which];
    struct dsn_text *out = &s->out;
    uint64_t bytes = 0;

    if (g->n == 0)
        return;
    for (size_t i = 0; i < g->n; i++)
        bytes += g->requests[i].bytes;
    dsn_text_printf(out,
                    "{\"%s\": {\"total_bytes\": %" PRIu64 ", \"number_of_ranks\": %zu, \"total_io_ops\": %zu, "
                    "\"bandwidth\": {",
                    names[which], bytes, f->processes.used, g->n);
    for (int c = 0; c < 3; c++) {
        dsn_text_printf(out, "%s\"%s\": [", c ? ", " : "", columns[c]);
        for (size_t i = 0; i < g->n; i++) {
            const uint64_t ns = g->requests[i].duration > 0 ? g->requests[i].duration : 1;

            dsn_text_string(out, i ? ", " : "");
            if (c == 0)
                dsn_text_printf(out, "%.9g", (double)g->requests[i].bytes * 1e9 / (double)ns);
            else
                put_fixed(out, g->requests[i].start + (c == 2 ? ns : 0), 1000000000, 9);
        }
        dsn_text_string(out, "]");
    }
    dsn_text_string(out, "}}}\n");
    g->n = 0;
}

int dsn__ftio_put(struct dsn__trace_sink *s, const struct darshan_trace_event *e)
{
    struct ftio *f = s->state;
    const int which = (e->op == DARSHAN_TRACE_WRITE) + (e->flags & DARSHAN_TRACE_ASYNC ? 2 : 0);
    struct group *g = &f->groups[which];

    if (e->op > DARSHAN_TRACE_WRITE || e->length == 0) {
        dsn__note(&s->notes, "events that move no data are left out");
        return 1;
    }
    if (e->duration == 0)
        dsn__note(&s->notes, "requests without a duration are written with a nanosecond");
    if (dsn__idmap_add(&f->processes, e->process, 0) == DSN_IDMAP_NONE)
        return no_memory(s);
    g->requests[g->n].start = e->start;
    g->requests[g->n].duration = e->duration;
    g->requests[g->n].bytes = e->length;
    if (++g->n == GROUP)
        put_group(s, which);
    return 1;
}

int dsn__ftio_end(struct dsn__trace_sink *s)
{
    for (int i = 0; i < 4; i++)
        put_group(s, i);
    return 1;
}

void dsn__ftio_release(struct dsn__trace_sink *s)
{
    struct ftio *f = s->state;

    if (f)
        dsn__idmap_free(&f->processes);
    free(f);
}
