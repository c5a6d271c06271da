/* miller-write.c - writes Miller's text format in its canonical form, the same for the same events
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "miller.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/lib/grow.h"
#include "util/lib/idmap.h"
#include "pairmap.h"

#define HEX_MOST 17 /* a number and a blank */

/* A file whose last record later ones may refer to. */
struct recent {
    uint64_t file, offset, length, call, used;
    int can_follow; /* offset + length does not overflow */
};

/* The most recently used files of a process, or of all devices. */
struct history {
    size_t n;
    uint64_t clock;
    struct recent recent[DSN__MILLER_HISTORY];
};

struct process {
    uint64_t last_file, cpu; /* cpu: ticks */
    int has_file, last_physical, has_host;
    struct history *files;
};

struct miller {
    uint64_t tick, now; /* ns; ticks */
    struct dsn__idmap process_index;
    struct process *processes;
    size_t processes_room;
    uint64_t last_process;
    uint32_t current; /* DSN_IDMAP_NONE: no record yet */
    struct history devices;
    struct dsn__idmap named; /* files whose names have been written */
};

int dsn__miller_begin(struct dsn__trace_sink *s)
{
    struct miller *d = calloc(1, sizeof *d);
    static const char *const cpu[] = { "none", "recorded", "estimated" };

    if (!d) {
        snprintf(s->err.text, sizeof s->err.text, "does not fit into memory");
        return 0;
    }
    s->state = d;
    if (s->info.tick_us == 0)
        s->info.tick_us = DSN__MILLER_TICK_US;
    d->tick = (uint64_t)s->info.tick_us * 1000;
    d->current = DSN_IDMAP_NONE;
    dsn__idmap_init(&d->process_index);
    dsn__idmap_init(&d->named);
    if (!s->info.directives)
        return 1;
    dsn_text_printf(&s->out, "ff !iotrace 1\nff !base 16\nff !tick_us %" PRIu32 "\n", s->info.tick_us);
    if (s->info.epoch >= 1000)
        dsn_text_printf(&s->out, "ff !epoch_us %" PRIu64 "\n", s->info.epoch / 1000);
    if (s->info.cpu < 3 && s->info.cpu != DARSHAN_TRACE_CPU_RECORDED)
        dsn_text_printf(&s->out, "ff !cpu %s\n", cpu[s->info.cpu]);
    if (s->info.batch)
        dsn_text_printf(&s->out, "ff !batch %" PRIu32 "\n", s->info.batch);
    return 1;
}

static int no_memory(struct dsn__trace_sink *s)
{
    snprintf(s->err.text, sizeof s->err.text, "cannot be written: out of memory");
    return 0;
}

/* ------------------------------------------------------------------ what came before */

static struct process *process_of(struct miller *d, uint64_t id)
{
    uint32_t at;

    if (d->current != DSN_IDMAP_NONE && d->last_process == id)
        return &d->processes[d->current];
    at = dsn__idmap_add(&d->process_index, id, (uint32_t)d->process_index.used);
    if (at == DSN_IDMAP_NONE || !dsn_grow_zeroed(&d->processes, &d->processes_room, sizeof *d->processes, at))
        return NULL;
    if (!d->processes[at].files)
        d->processes[at].files = calloc(1, sizeof *d->processes[at].files);
    return d->processes[at].files ? &d->processes[at] : NULL;
}

/* The file's entry; a new one replaces the least recently used one. */
static struct recent *recent_of(struct history *h, uint64_t file, int *known)
{
    struct recent *oldest = &h->recent[0];

    *known = 1;
    for (size_t i = 0; i < h->n; i++) {
        if (h->recent[i].file == file)
            return &h->recent[i];
        if (h->recent[i].used < oldest->used)
            oldest = &h->recent[i];
    }
    *known = 0;
    return h->n < DSN__MILLER_HISTORY ? &h->recent[h->n++] : oldest;
}

/* ------------------------------------------------------------------ lines */

static char *hexadecimal(char *p, uint64_t v)
{
    unsigned shift = v ? (63u - (unsigned)__builtin_clzll(v)) / 4 * 4 : 0;

    for (;; shift -= 4) {
        *p++ = "0123456789abcdef"[v >> shift & 15];
        if (shift == 0)
            break;
    }
    *p++ = ' ';
    return p;
}

static uint64_t ticks(const struct miller *d, uint64_t ns)
{
    return ns / d->tick + (ns % d->tick >= (d->tick + 1) / 2);
}

/* A name as a line of its own, without bytes that would end it. */
static void name_line(struct dsn__trace_sink *s, const char *what, uint64_t id, const char *between, const char *name)
{
    dsn_text_printf(&s->out, "ff !%s %" PRIu64 " %s", what, id, between);
    for (; *name; name++)
        dsn_text_bytes(&s->out, *name == '\n' || *name == '\r' ? "?" : name, 1);
    dsn_text_string(&s->out, "\n");
}

static int names(struct dsn__trace_sink *s, const struct darshan_trace_event *e, struct process *process)
{
    struct miller *d = s->state;
    const size_t before = d->named.used;

    if (e->path && s->info.directives) {
        if (dsn__idmap_add(&d->named, e->file, 0) == DSN_IDMAP_NONE)
            return 0;
        if (d->named.used > before)
            name_line(s, "file", e->file, "0 ", e->path);
    }
    if (e->host && s->info.directives && !process->has_host) {
        process->has_host = 1;
        name_line(s, "host", e->process, "", e->host);
    }
    return 1;
}

/* A call that moves no data: a comment to other readers. */
static void call_line(struct dsn__trace_sink *s, const struct darshan_trace_event *e)
{
    const struct miller *d = s->state;

    dsn_text_printf(
        &s->out, "ff !call %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64 "\n",
        darshan_trace_op_name(e->op), ticks(d, e->start), ticks(d, e->duration), e->file, e->process, e->offset,
        e->length, e->flags, ticks(d, e->cpu));
}

/* Offset and length, unless they can be omitted. */
static char *extent(char *p, const struct darshan_trace_event *e, const struct recent *r, int known,
                    unsigned *compression)
{
    const int physical = (e->flags & DARSHAN_TRACE_PHYSICAL) != 0;
    const struct {
        uint64_t value;
        int same;
        unsigned absent, in_blocks;
    } fields[] = {
        { e->offset, known && r->can_follow && r->offset + r->length == e->offset, DSN__MILLER_NO_OFFSET,
          DSN__MILLER_OFFSET_IN_BLOCKS },
        { e->length, known && r->length == e->length, DSN__MILLER_NO_LENGTH, DSN__MILLER_LENGTH_IN_BLOCKS },
    };

    for (int i = 0; i < 2; i++) {
        if (fields[i].same) {
            *compression |= fields[i].absent;
        } else if (physical) {
            p = hexadecimal(p, fields[i].value / DSN__MILLER_BLOCK);
        } else if (fields[i].value != 0 && fields[i].value % DSN__MILLER_BLOCK == 0) {
            *compression |= fields[i].in_blocks;
            p = hexadecimal(p, fields[i].value / DSN__MILLER_BLOCK);
        } else {
            p = hexadecimal(p, fields[i].value);
        }
    }
    return p;
}

static unsigned type_of(const struct darshan_trace_event *e)
{
    return (e->flags & DARSHAN_TRACE_PHYSICAL ? 0 : DSN__MILLER_LOGICAL) |
           (e->op == DARSHAN_TRACE_WRITE ? DSN__MILLER_WRITE : 0) |
           (e->flags & DARSHAN_TRACE_MISS ? DSN__MILLER_MISS : 0) |
           (e->flags & DARSHAN_TRACE_AHEAD_HIT ? DSN__MILLER_AHEAD_HIT : 0) |
           (e->flags & DARSHAN_TRACE_ASYNC ? DSN__MILLER_ASYNC : 0) | (e->kind & DSN__MILLER_CLASS);
}

/* The fields after offset and length; updates the state. */
static char *rest(struct dsn__trace_sink *s, char *p, const struct darshan_trace_event *e, struct process *process,
                  const struct recent *r, int known, unsigned *compression)
{
    struct miller *d = s->state;
    const int physical = (e->flags & DARSHAN_TRACE_PHYSICAL) != 0;
    const uint64_t now = ticks(d, e->start), cpu = ticks(d, e->cpu);

    p = hexadecimal(p, now > d->now ? now - d->now : 0);
    p = hexadecimal(p, ticks(d, e->duration));
    if (!s->info.physical || (known && r->call == e->call))
        *compression |= DSN__MILLER_NO_CALL;
    else
        p = hexadecimal(p, e->call);
    if (process->has_file && process->last_file == e->file && process->last_physical == physical)
        *compression |= DSN__MILLER_NO_FILE;
    else
        p = hexadecimal(p, e->file);
    if (d->current != DSN_IDMAP_NONE && d->last_process == e->process)
        *compression |= DSN__MILLER_NO_PROCESS;
    else
        p = hexadecimal(p, e->process);
    p = hexadecimal(p, cpu > process->cpu ? cpu - process->cpu : 0);
    d->now = now > d->now ? now : d->now;
    process->cpu = cpu > process->cpu ? cpu : process->cpu;
    process->last_file = e->file;
    process->has_file = 1;
    process->last_physical = physical;
    d->last_process = e->process;
    d->current = (uint32_t)(process - d->processes);
    return p;
}

int dsn__miller_put(struct dsn__trace_sink *s, const struct darshan_trace_event *e)
{
    struct miller *d = s->state;
    const int physical = (e->flags & DARSHAN_TRACE_PHYSICAL) != 0;
    struct process *process = process_of(d, e->process);
    struct darshan_trace_event whole;
    struct history *h;
    struct recent *r;
    char line[10 * HEX_MOST], head[2 * HEX_MOST], *p, *q;
    unsigned compression = 0;
    int known;

    if (!process || !names(s, e, process))
        return no_memory(s);
    if (e->op > DARSHAN_TRACE_WRITE) {
        if (s->info.directives)
            call_line(s, e);
        else
            dsn__note(&s->notes,
                      "opens, closes and the like are left out: without directives the text cannot represent them");
        return 1;
    }
    if (e->flags & (DARSHAN_TRACE_FAILED | DARSHAN_TRACE_NO_OFFSET | DARSHAN_TRACE_UNFINISHED))
        dsn__note(&s->notes,
                  "some calls failed, were not completed or have no offset, which Miller text cannot represent");
    if (physical && (e->offset | e->length) % DSN__MILLER_BLOCK != 0) {
        whole = *e;
        whole.offset -= e->offset % DSN__MILLER_BLOCK;
        whole.length -= e->length % DSN__MILLER_BLOCK;
        e = &whole;
        dsn__note(&s->notes, "some requests to a device are cut to whole blocks of 512 bytes");
    }
    if (physical && !s->info.physical) {
        s->info.physical = 1;
        dsn__note(&s->notes,
                  "numbers of operations before the first request to a device are left out: it came late, in a "
                  "trace that is not a file");
    }
    h = physical ? &d->devices : process->files;
    r = recent_of(h, e->file, &known);
    p = extent(line, e, r, known, &compression);
    p = rest(s, p, e, process, r, known, &compression);
    p[-1] = '\n';
    *r = (struct recent){ e->file,    e->offset,
                          e->length,  s->info.physical ? e->call : 0,
                          ++h->clock, e->offset <= UINT64_MAX - e->length };
    q = hexadecimal(head, type_of(e));
    q = hexadecimal(q, compression);
    q = (char *)memcpy(dsn_text_room(&s->out, sizeof head + sizeof line), head, (size_t)(q - head)) + (q - head);
    memcpy(q, line, (size_t)(p - line));
    s->out.used += (size_t)(q - (s->out.buffer + s->out.used)) + (size_t)(p - line);
    return 1;
}

int dsn__miller_end(struct dsn__trace_sink *s)
{
    if (s->info.directives && s->info.thinned)
        dsn_text_printf(&s->out, "ff !left_out %" PRIu64 "\n", s->info.left_out);
    return 1;
}

void dsn__miller_release(struct dsn__trace_sink *s)
{
    struct miller *d = s->state;

    if (!d)
        return;
    for (size_t i = 0; i < d->process_index.used && i < d->processes_room; i++)
        free(d->processes[i].files);
    free(d->processes);
    dsn__idmap_free(&d->process_index);
    dsn__idmap_free(&d->named);
    free(d);
}
