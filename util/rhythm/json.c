/* json.c - a rhythm as JSON, for pages and programs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "gather.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/emit.h"
#include "util/lib/text.h"

#define LARGEST_BURSTS 200
#define MOST_CYCLES    64
#define MOST_ITEMS     16
#define MOST_PROCESSES 1024
#define MOST_MEMBERS   256 /* in all cycles: limit of the members that are listed */

static void number(struct dsn_text *out, const char *name, double v)
{
    if (isfinite(v))
        dsn_text_printf(out, "\"%s\":%.9g", name, v);
    else
        dsn_text_printf(out, "\"%s\":null", name);
}

static void sentence(struct dsn_text *out, const char *name, const char *text)
{
    dsn_text_printf(out, "\"%s\":", name);
    if (*text)
        dsn_emit_quoted(out, DSN_EMIT_JSON, text, strlen(text));
    else
        dsn_text_string(out, "null");
    dsn_text_string(out, ",");
}

/* ------------------------------------------------------------------ cycles */

static void write_items(struct dsn_text *out, const struct dsn_rhythm_input *in, enum dsn_rhythm_likeness likeness,
                        const struct dsn_rhythm_item *items, size_t n)
{
    char name[DSN_RHYTHM_NAME];

    for (size_t i = 0; i < n && i < MOST_ITEMS; i++) {
        dsn_rhythm_item_name(in, &items[i], likeness >= DSN_LIKE_NAMES, name);
        dsn_text_printf(out, "%s{\"operation\":\"%s\",\"count\":%" PRIu64 ",\"size\":", i ? "," : "",
                        items[i].is_write ? "write" : "read", items[i].n);
        if (items[i].size == UINT64_MAX)
            dsn_text_string(out, "null");
        else
            dsn_text_printf(out, "%" PRIu64, items[i].size);
        dsn_text_printf(out, ",\"bytes\":%" PRIu64 ",\"files\":%zu,\"file\":", items[i].bytes, items[i].files);
        dsn_emit_quoted(out, DSN_EMIT_JSON, name, strlen(name));
        dsn_text_string(out, "}");
    }
}

/* 0: no memory. */
static int write_members(struct dsn_text *out, const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops,
                         const struct dsn_rhythm_part *p, uint32_t cycle, size_t *room)
{
    const struct dsn_rhythm_cycle *c = &p->cycles[cycle - 1];

    dsn_text_string(out, ",\"made_of\":[");
    for (size_t i = 0; i<c->period && * room> 0; i++, --*room) {
        const struct dsn_rhythm_member m = dsn_rhythm_member(p, cycle, i);
        struct dsn_rhythm_item items[MOST_ITEMS] = { { .n = 0 } };
        const size_t n = dsn_rhythm_items(in, ops, p, c->first + i, items, MOST_ITEMS);

        if (n == SIZE_MAX)
            return 0;
        dsn_text_printf(out, "%s{", i ? "," : "");
        number(out, "pause", m.pause);
        dsn_text_printf(out,
                        ",\"pause_deviation\":%.9g,\"lasts\":%.9g,\"takes\":%.9g,\"between\":%.9g,\"operations\":%.9g,"
                        "\"bytes_read\":%.15g,\"bytes_written\":%.15g,\"nkinds\":%zu,\"kinds\":[",
                        m.pause_deviation, m.lasts, m.takes, m.between, m.ops, m.bytes[0], m.bytes[1], n);
        write_items(out, in, c->likeness, items, n);
        dsn_text_string(out, "]}");
    }
    dsn_text_string(out, "]");
    return 1;
}

/* 0: no memory. */
static int write_cycles(struct dsn_text *out, const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops,
                        const struct dsn_rhythm_part *p)
{
    size_t room = MOST_MEMBERS;

    dsn_text_printf(out, "\"ncycles\":%zu,\"cycles\":[", p->ncycles);
    for (size_t i = 0; i < p->ncycles && i < MOST_CYCLES; i++) {
        const struct dsn_rhythm_cycle *c = &p->cycles[i];

        dsn_text_printf(out,
                        "%s{\"bursts\":%zu,\"first\":%zu,\"repeats\":%zu,\"missing\":%zu,\"interruptions\":%zu,"
                        "\"start\":%.9g,\"end\":%.9g,\"mean\":%.9g,\"deviation\":%.9g,\"chance\":%.3g,\"steady\":%s,"
                        "\"stream\":%s,\"operations\":%" PRIu64 ",\"bytes_read\":%" PRIu64 ",\"bytes_written\":%" PRIu64
                        ",\"inside\":%" PRIu32 ",\"times_inside\":%zu,\"alike\":\"%s\",\"threshold\":%.9g,\"trend\":",
                        i ? "," : "", c->period, c->first + 1, c->repeats, c->missing, c->interruptions,
                        (double)c->start / 1e9, (double)c->end / 1e9, c->mean, c->deviation, c->chance,
                        c->is_regular ? "true" : "false", c->is_stream ? "true" : "false", c->ops, c->bytes[0],
                        c->bytes[1], c->inside, c->per, dsn_rhythm_likeness_name(c->likeness), c->threshold);
        if (c->trend[0] > 0)
            dsn_text_printf(out, "[%.9g,%.9g]", c->trend[0], c->trend[1]);
        else
            dsn_text_string(out, "null");
        if (!write_members(out, in, ops, p, (uint32_t)(i + 1), &room))
            return 0;
        dsn_text_string(out, "}");
    }
    dsn_text_string(out, "],");
    return 1;
}

/* ------------------------------------------------------------------ bursts */

static int by_bytes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

/* Bytes are halved, so that their sum does not overflow. */
static uint64_t least_shown(const struct dsn_rhythm_part *p)
{
    uint64_t *bytes, least;

    if (p->nbursts <= LARGEST_BURSTS)
        return 0;
    bytes = malloc(p->nbursts * sizeof *bytes);
    if (!bytes)
        return 0; /* more are shown, which is correct */
    for (size_t i = 0; i < p->nbursts; i++)
        bytes[i] = p->bursts[i].bytes[0] / 2 + p->bursts[i].bytes[1] / 2;
    qsort(bytes, p->nbursts, sizeof *bytes, by_bytes);
    least = bytes[LARGEST_BURSTS - 1];
    free(bytes);
    return least;
}

static void write_bursts(struct dsn_text *out, const struct dsn_rhythm_part *p)
{
    const uint64_t least = least_shown(p);
    size_t shown = 0;

    dsn_text_printf(out, "\"nbursts\":%zu,\"bursts\":[", p->nbursts);
    for (size_t i = 0; i < p->nbursts && shown < LARGEST_BURSTS; i++) {
        const struct dsn_rhythm_burst *b = &p->bursts[i];

        if (b->bytes[0] / 2 + b->bytes[1] / 2 < least)
            continue;
        dsn_text_printf(out,
                        "%s{\"number\":%zu,\"start\":%.9g,\"end\":%.9g,\"operations\":%" PRIu64 ",\"kind\":%" PRIu32
                        ",\"cycle\":%" PRIu32 ",\"bytes_read\":%" PRIu64 ",\"bytes_written\":%" PRIu64 "}",
                        shown++ ? "," : "", i + 1, (double)b->start / 1e9, (double)b->end / 1e9, b->ops,
                        b->signature + 1, b->cycle, b->bytes[0], b->bytes[1]);
    }
    dsn_text_string(out, "]");
}

/* 0: no memory. */
static int write_part(struct dsn_text *out, const struct dsn_rhythm_input *in, const struct dsn_rhythm_op *ops,
                      const struct dsn_rhythm_part *p)
{
    dsn_text_printf(
        out,
        "\"operations\":%" PRIu64 ",\"bytes_read\":%" PRIu64 ",\"bytes_written\":%" PRIu64
        ",\"start\":%.9g,\"end\":%.9g,\"threshold\":%.9g,\"alike\":\"%s\",\"regularity\":%.9g,"
        "\"steadiness\":%.9g,\"span\":%.9g,\"alike_bursts\":%zu,\"anchors\":%zu,\"interval\":%.9g,\"rhythm\":%" PRIu32
        ",",
        p->ops, p->bytes[0], p->bytes[1], (double)p->start / 1e9, (double)p->end / 1e9, p->threshold,
        dsn_rhythm_likeness_name(p->likeness), p->regularity, p->steadiness, p->span, p->alike, p->anchors, p->interval,
        p->rhythm);
    if (p->next_known)
        dsn_text_printf(out, "\"next\":{\"time\":%.9g,\"deviation\":%.9g,\"burst\":%" PRIu32 "},", p->next,
                        p->next_within, p->next_place + 1);
    else
        dsn_text_string(out, "\"next\":null,");
    if (!write_cycles(out, in, ops, p))
        return 0;
    write_bursts(out, p);
    return 1;
}

/* ------------------------------------------------------------------ all of it */

static void write_spectrum(struct dsn_text *out, const struct dsn_rhythm_spectrum *s)
{
    dsn_text_printf(out, "\"spectrum\":{\"found\":%s,", s->is_known ? "true" : "false");
    number(out, "period", s->is_known ? s->period : NAN);
    dsn_text_printf(
        out,
        ",\"peak_over_mean\":%.6g,\"chance\":%.3g,\"autocorrelation\":%.6g,\"support\":%.6g,\"confidence\":%.6g,"
        "\"from\":%.9g,\"bin_seconds\":%.9g,\"bins\":%zu,",
        s->strength, s->chance, s->correlation, s->support, s->is_known ? s->confidence : 0, s->from, s->width,
        s->bins);
    number(out, "next", s->is_known ? s->next : NAN);
    dsn_text_string(out, "}");
}

static void write_column(struct dsn_text *out, const char *name, const struct dsn_rhythm_series *s,
                         uint64_t (*values)[2], int k)
{
    dsn_text_printf(out, ",\"%s\":[", name);
    for (size_t i = 0; i < s->n; i++)
        dsn_text_printf(out, "%s%" PRIu64, i ? "," : "", values[i][k]);
    dsn_text_string(out, "]");
}

static void write_series(struct dsn_text *out, const char *name, const struct dsn_rhythm_series *s)
{
    if (s->n == 0) {
        dsn_text_printf(out, "\"%s\":null", name);
        return;
    }
    dsn_text_printf(out, "\"%s\":{\"bin_seconds\":%.9g", name, (double)s->width / 1e9);
    write_column(out, "reads", s, s->ops, 0);
    write_column(out, "writes", s, s->ops, 1);
    write_column(out, "bytes_read", s, s->bytes, 0);
    write_column(out, "bytes_written", s, s->bytes, 1);
    dsn_text_string(out, "}");
}

static void write_processes(struct dsn_text *out, const struct dsn_rhythm *r)
{
    dsn_text_printf(out, "\"looked_at\":%zu,\"agreeing\":%zu,\"of_processes\":[", r->nlooked_at, r->nagreeing);
    for (size_t i = 0; i < r->nlooked_at && i < MOST_PROCESSES; i++) {
        const struct dsn_rhythm_process *p = &r->processes[i];

        dsn_text_printf(out,
                        "%s{\"process\":%" PRIu64 ",\"operations\":%" PRIu64 ",\"bytes\":%" PRIu64
                        ",\"period\":%.9g,\"deviation\":%.9g,\"repeats\":%zu,\"bursts\":%zu}",
                        i ? "," : "", p->id, p->ops, p->bytes, p->period, p->deviation, p->repeats, p->bursts);
    }
    dsn_text_string(out, "]");
}

int dsn_rhythm_write(struct dsn_text *out, const struct dsn_rhythm *r, int series)
{
    static const char *const cpu[] = { "null", "\"recorded\"", "\"estimated\"" };
    char text[DSN_RHYTHM_SENTENCE];

    dsn_text_printf(out, "\"rhythm\":%s,\"verdict\":\"%s\",", r->verdict <= DSN_RHYTHM_SPECTRAL ? "true" : "false",
                    dsn_rhythm_verdict_name(r->verdict));
    dsn_rhythm_say(r, text);
    sentence(out, "says", text);
    dsn_rhythm_say_next(r, text);
    sentence(out, "next_says", text);
    dsn_text_printf(
        out,
        "\"source\":\"%s\",\"resolution\":%.9g,\"clock\":\"%s\",\"by_other_clock\":%s,\"cpu\":%s,\"epoch\":%" PRIu64
        ".%09" PRIu64 ",\"processes\":%zu,\"others\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"left_out\":%" PRIu64
        ",\"put_together_below\":%.9g,\"job\":{",
        r->source ? r->source : "", r->resolution, r->clock == DSN_CLOCK_CPU ? "cpu" : "wall",
        r->is_by_other ? "true" : "false", cpu[r->cpu >= 0 && r->cpu < 3 ? r->cpu : 0], r->epoch / 1000000000,
        r->epoch % 1000000000, r->nprocesses, r->others, r->failed, r->left_out, (double)r->resolution_lost / 1e9);
    if (!write_part(out, r->input, r->ops, &r->job))
        return 0;
    dsn_text_string(out, "},\"process\":");
    if (r->verdict == DSN_RHYTHM_OF_PROCESSES) {
        dsn_text_printf(out, "{\"id\":%" PRIu64 ",", r->process_id);
        if (!write_part(out, r->input, r->process_ops, &r->process))
            return 0;
        dsn_text_string(out, "},");
    } else {
        dsn_text_string(out, "null,");
    }
    write_processes(out, r);
    dsn_text_string(out, ",");
    write_spectrum(out, &r->spectrum);
    if (series) {
        dsn_text_string(out, ",\"series\":{");
        write_series(out, "wall", &r->wall);
        dsn_text_string(out, ",");
        write_series(out, "cpu", &r->used);
        dsn_text_string(out, "}");
    }
    return 1;
}
