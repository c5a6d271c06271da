/* list.c - writes a table, and CSV
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "writers.h"

#include <inttypes.h>
#include <unistd.h>

#include "util/lib/emit.h"

#define NS_PER_S 1000000000u

static const struct {
    unsigned flag;
    const char *name;
} flags[] = {
    { DARSHAN_TRACE_PHYSICAL, "physical" },
    { DARSHAN_TRACE_ASYNC, "async" },
    { DARSHAN_TRACE_MISS, "miss" },
    { DARSHAN_TRACE_AHEAD_HIT, "ahead-hit" },
    { DARSHAN_TRACE_FAILED, "failed" },
    { DARSHAN_TRACE_NO_OFFSET, "no-offset" },
    { DARSHAN_TRACE_UNFINISHED, "unfinished" },
};

/* The class unless it is data, and flags, separated by '+'; "-" if there are none. */
static void put_flags(struct dsn_text *out, const struct darshan_trace_event *e)
{
    const char *between = "";

    if (e->kind != DARSHAN_TRACE_DATA) {
        dsn_text_string(out, darshan_trace_class_name(e->kind));
        between = "+";
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (e->flags & flags[i].flag) {
            dsn_text_printf(out, "%s%s", between, flags[i].name);
            between = "+";
        }
    if (!*between)
        dsn_text_string(out, "-");
}

static void put_seconds(struct dsn_text *out, uint64_t ns)
{
    dsn_text_printf(out, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);
}

int dsn__list_begin(struct dsn__trace_sink *s)
{
    s->out.safe = isatty(s->out.fd);
    dsn_text_printf(&s->out, "#%15s %14s %-8s %8s %6s %15s %12s %16s  %s\n", "start s", "duration s", "what", "process",
                    "file", "offset", "length", "cpu s", "flags, file");
    return 1;
}

int dsn__list_put(struct dsn__trace_sink *s, const struct darshan_trace_event *e)
{
    dsn_text_printf(&s->out,
                    "%6" PRIu64 ".%09" PRIu64 " %4" PRIu64 ".%09" PRIu64 " %-8s %8" PRIu64 " %6" PRIu64 " %15" PRIu64
                    " %12" PRIu64 " %6" PRIu64 ".%09" PRIu64 "  ",
                    e->start / NS_PER_S, e->start % NS_PER_S, e->duration / NS_PER_S, e->duration % NS_PER_S,
                    darshan_trace_op_name(e->op), e->process, e->file, e->offset, e->length, e->cpu / NS_PER_S,
                    e->cpu % NS_PER_S);
    put_flags(&s->out, e);
    if (e->path) {
        dsn_text_string(&s->out, " ");
        dsn_text_untrusted(&s->out, e->path, strlen(e->path));
    }
    dsn_text_string(&s->out, "\n");
    return 1;
}

int dsn__list_end(struct dsn__trace_sink *s)
{
    (void)s;
    return 1;
}

void dsn__list_release(struct dsn__trace_sink *s)
{
    (void)s;
}

int dsn__csv_begin(struct dsn__trace_sink *s)
{
    dsn_text_string(&s->out, "start,duration,operation,class,flags,process,file,offset,length,cpu,call,path,host\n");
    return 1;
}

static void put_quoted(struct dsn_text *out, const char *text)
{
    dsn_text_string(out, ",");
    if (text)
        dsn_emit_quoted(out, DSN_EMIT_CSV, text, strlen(text));
}

int dsn__csv_put(struct dsn__trace_sink *s, const struct darshan_trace_event *e)
{
    struct dsn_text *out = &s->out;
    struct darshan_trace_event no_class = *e;

    put_seconds(out, e->start);
    dsn_text_string(out, ",");
    put_seconds(out, e->duration);
    dsn_text_printf(out, ",%s,%s,", darshan_trace_op_name(e->op), darshan_trace_class_name(e->kind));
    no_class.kind = DARSHAN_TRACE_DATA;
    put_flags(out, &no_class);
    dsn_text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", e->process, e->file, e->offset,
                    e->length);
    put_seconds(out, e->cpu);
    dsn_text_printf(out, ",%" PRIu64, e->call);
    put_quoted(out, e->path);
    put_quoted(out, e->host);
    dsn_text_string(out, "\n");
    return 1;
}

int dsn__csv_end(struct dsn__trace_sink *s)
{
    return dsn__list_end(s);
}

void dsn__csv_release(struct dsn__trace_sink *s)
{
    dsn__list_release(s);
}
