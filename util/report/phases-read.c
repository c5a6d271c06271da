/* phases-read.c - the events that phases are found in, and phases in a page
 * SPDX-License-Identifier: BSD-3-Clause */
#include "util/report/phases.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/hash.h"

#define SEGMENTS       256 /* taken at once */
#define LARGEST_BURSTS 200 /* in a page */

struct events {
    struct dsn_event *at;
    size_t n, room;
    int64_t rank;
    enum dsn_burst_order order;
    struct darshan_reader_error damage;
};

/* 0: no memory. */
static int make_room(struct events *e, size_t more)
{
    size_t room = e->room ? e->room : 1024;
    struct dsn_event *at;

    if (e->n + more <= e->room)
        return 1;
    while (room < e->n + more)
        room *= 2;
    at = realloc(e->at, room * sizeof *at);
    if (!at)
        return 0;
    e->at = at;
    e->room = room;
    return 1;
}

static uint64_t key_of(uint64_t id, int is_write, int64_t bytes)
{
    const uint64_t parts[3] = { id, (uint64_t)is_write, (uint64_t)bytes };

    return dsn_hash(parts, sizeof parts, 0);
}

static void note_damage(struct events *e, const struct darshan_reader_error *err)
{
    if (e->damage.code == DSN_ERR_OK)
        e->damage = *err;
}

/* 0: no memory. */
static int take_record(struct events *e, struct darshan_dxt *it, const struct dsn_dxt_head *head)
{
    struct dsn_dxt_segment s[SEGMENTS];
    struct darshan_reader_error err;
    int64_t writes = head->nwrites;
    size_t n;

    if (e->n > 0 && head->rank != e->rank)
        e->order = DSN_ANY_ORDER;
    e->rank = head->rank;
    while (e->n <= DSN_MAX_EVENTS && (n = darshan_dxt_segments(it, s, SEGMENTS, &err)) > 0) {
        if (!make_room(e, n))
            return 0;
        for (size_t i = 0; i < n; i++, writes--)
            if (s[i].start >= 0 && s[i].end >= s[i].start && s[i].end < 1e12 && s[i].length >= 0)
                e->at[e->n++] = (struct dsn_event){ s[i].start, s[i].end, key_of(head->id, writes > 0, s[i].length),
                                                    (uint64_t)s[i].length, writes > 0 };
    }
    if (e->n <= DSN_MAX_EVENTS)
        note_damage(e, &err);
    return 1;
}

/* Stops when there are more than DSN_MAX_EVENTS. 0: no memory. */
static int take_trace(struct events *e, struct darshan_reader *log, unsigned module)
{
    const struct dsn_dxt_head *head;
    struct darshan_reader_error err;
    struct darshan_dxt *it;
    int ok = darshan_dxt_begin(log, module, &it, &err);

    if (ok != DSN_ERR_OK) {
        note_damage(e, &err);
        return ok != DSN_ERR_MEMORY;
    }
    ok = 1;
    while (ok && e->n <= DSN_MAX_EVENTS && (head = darshan_dxt_next(it, &err)) != NULL)
        ok = take_record(e, it, head);
    if (ok && e->n <= DSN_MAX_EVENTS)
        note_damage(e, &err);
    darshan_dxt_end(it);
    return ok;
}

/* ------------------------------------------------------------------ heat maps */

static double column(const struct dsn_matrix *m, size_t bin)
{
    double sum = 0;

    for (size_t row = 0; row < m->rows; row++)
        sum += m->cell[row * m->bins + bin];
    return sum;
}

static void end_stretch(struct events *e, double read, double written)
{
    struct dsn_event *x = &e->at[e->n - 1];

    x->bytes = read + written < 9e18 ? (uint64_t)(read + written) : (uint64_t)9e18;
    x->is_write = written > read;
    x->key = key_of((uint64_t)(1 + round(log2(read + 1))), 0, (int64_t)round(log2(written + 1)));
}

/* One event for each stretch of bins in which data was moved. 0: no memory. */
static int take_heat(struct events *e, const struct dsn_timeline *line)
{
    double read = 0, written = 0;
    int is_on = 0;

    if (!make_room(e, line->read.bins / 2 + 1))
        return 0;
    for (size_t bin = 0; bin < line->read.bins; bin++) {
        const double r = column(&line->read, bin), w = column(&line->write, bin);

        if (r + w > 0 && !is_on) {
            e->at[e->n++] = (struct dsn_event){ .start = (double)bin * line->width };
            read = written = 0;
        }
        is_on = r + w > 0;
        read += r;
        written += w;
        if (is_on) {
            e->at[e->n - 1].end = (double)(bin + 1) * line->width;
            end_stretch(e, read, written);
        }
    }
    return 1;
}

/* The layer that moved most. NULL: there is none. */
static const struct dsn_timeline *fullest(const struct dsn_timelines *heat)
{
    const struct dsn_timeline *best = NULL;
    double most = 0;

    for (size_t i = 0; i < heat->n; i++) {
        const double sum = dsn_matrix_sum(&heat->line[i].read) + dsn_matrix_sum(&heat->line[i].write);

        if (sum > most) {
            most = sum;
            best = &heat->line[i];
        }
    }
    return best;
}

int dsn_phases_make(struct darshan_reader *log, const struct dsn_timelines *heat, struct dsn_phases *out)
{
    static const unsigned modules[] = { DSN_DXT_POSIX_MODULE, DSN_DXT_MPIIO_MODULE };
    const struct dsn_timeline *line = NULL;
    struct events e = { .order = DSN_IN_ORDER };
    const char *source = NULL;
    int ok = 1;

    for (size_t i = 0; i < sizeof modules / sizeof modules[0] && ok && e.n == 0; i++) {
        ok = take_trace(&e, log, modules[i]);
        source = e.n > 0 ? dsn_module_name(modules[i]) : NULL;
    }
    if (ok && (e.n == 0 || e.n > DSN_MAX_EVENTS)) {
        e.n = 0;
        line = fullest(heat);
        source = line ? line->source : NULL;
        ok = !line || take_heat(&e, line);
    }
    ok = ok && dsn_phases_find(e.at, e.n, e.order, line ? line->width / 2 : 0, out);
    free(e.at);
    if (!ok)
        return DSN_ERR_MEMORY;
    out->source = source;
    out->resolution = line ? line->width : 0;
    out->damage = e.damage;
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ in a page */

static void write_cycles(struct dsn_text *out, const struct dsn_phases *p)
{
    dsn_text_string(out, "\"cycles\":[");
    for (size_t i = 0; i < p->ncycles; i++) {
        const struct dsn_cycle *c = &p->cycle[i];

        dsn_text_printf(out,
                        "%s{\"bursts\":%zu,\"repeats\":%zu,\"start\":%.9g,\"end\":%.9g,\"mean\":%.9g,"
                        "\"deviation\":%.9g,\"bytes_read\":%" PRId64 ",\"bytes_written\":%" PRId64 "}",
                        i ? "," : "", c->period, c->repeats, c->start, c->end, c->mean, c->deviation, c->read,
                        c->written);
    }
    dsn_text_string(out, "],");
}

static int by_bytes(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

/* In halves, which always have room. */
static int64_t least_shown(const struct dsn_phases *p)
{
    int64_t *bytes, least = 0;

    if (p->nbursts <= LARGEST_BURSTS)
        return 0;
    bytes = malloc(p->nbursts * sizeof *bytes);
    if (!bytes)
        return 0; /* more are shown: nothing is wrong with that */
    for (size_t i = 0; i < p->nbursts; i++)
        bytes[i] = p->bursts[i].read / 2 + p->bursts[i].written / 2;
    qsort(bytes, p->nbursts, sizeof *bytes, by_bytes);
    least = bytes[LARGEST_BURSTS - 1];
    free(bytes);
    return least;
}

static void write_bursts(struct dsn_text *out, const struct dsn_phases *p)
{
    const int64_t least = least_shown(p);
    size_t shown = 0;

    dsn_text_string(out, "\"bursts\":[");
    for (size_t i = 0; i < p->nbursts && shown < LARGEST_BURSTS; i++) {
        const struct dsn_burst *b = &p->bursts[i];

        if (b->read / 2 + b->written / 2 < least)
            continue;
        dsn_text_printf(out,
                        "%s{\"number\":%zu,\"start\":%.9g,\"end\":%.9g,\"operations\":%zu,\"kind\":%" PRIu32
                        ",\"bytes_read\":%" PRId64 ",\"bytes_written\":%" PRId64 "}",
                        shown++ ? "," : "", i + 1, b->start, b->end, b->n, b->signature + 1, b->read, b->written);
    }
    dsn_text_string(out, "]");
}

void dsn_phases_write(struct dsn_text *out, const struct dsn_phases *p)
{
    if (!p->source || p->nbursts == 0) {
        dsn_text_string(out, "null");
        return;
    }
    dsn_text_printf(out,
                    "{\"source\":\"%s\",\"resolution\":%.9g,\"events\":%zu,\"threshold\":%.9g,\"nbursts\":%zu,"
                    "\"regularity\":%.9g,\"anchors\":%zu,\"interval\":%.9g,",
                    p->source, p->resolution, p->nevents, p->threshold, p->nbursts, p->regularity, p->anchors,
                    p->interval);
    write_cycles(out, p);
    write_bursts(out, p);
    dsn_text_string(out, "}");
}
