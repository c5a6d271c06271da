/* count.c - statistics of device requests
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "count.h"
#include "util/lib/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS 1e-9 /* seconds */

enum { SMALL, PAGE, OTHER, LARGE };

const char *dsn_block_class_name(unsigned i)
{
    static const char *const names[DSN_BLOCK_CLASSES] = { "small", "page", "other", "large" };

    return names[i];
}

static unsigned class_of(const struct dsn_block_edges *e, uint64_t bytes)
{
    return bytes <= e->small ? SMALL : bytes == e->page ? PAGE : bytes >= e->large ? LARGE : OTHER;
}

static void add_request(struct dsn_block_sums *s, uint64_t bytes)
{
    s->requests++;
    s->bytes += bytes;
}

/* ------------------------------------------------------------------ latency */

static unsigned bin_of(uint64_t ns)
{
    const unsigned doubling = ns > 0 ? 63 - (unsigned)__builtin_clzll(ns) : 0;

    return 16 * doubling + (unsigned)((doubling >= 4 ? ns >> (doubling - 4) : ns << (4 - doubling)) & 15);
}

double dsn_block_latency_of(unsigned bin)
{
    return ldexp(1 + (bin % 16 + 0.5) / 16, (int)(bin / 16)) * NS;
}

double dsn_block_latency(const struct dsn_block *b, int k, double share)
{
    uint64_t all = 0, below = 0;

    for (unsigned i = 0; i < DSN_BLOCK_LATENCY; i++)
        all += b->latency[k][i];
    for (unsigned i = 0; all > 0 && i < DSN_BLOCK_LATENCY; i++) {
        below += b->latency[k][i];
        if ((double)below >= share * (double)all)
            return dsn_block_latency_of(i);
    }
    return 0;
}

/* ------------------------------------------------------------------ a request */

/* Sets b->device to that of the event. Returns 0 if out of memory. */
static int find_device(struct dsn_block *b, const struct darshan_trace_event *e)
{
    const uint32_t host = e->host ? dsn__texts_add(&b->hosts, e->host, strlen(e->host)) : DSN__NO_TEXT;
    const size_t source = b->nsources - 1;
    const uint64_t node =
        host == DSN__NO_TEXT ? source : (uint64_t)1 << 32 | host; /* a host may have several recordings */
    struct dsn_block_device *d = b->ndevices > 0 ? &b->devices[b->device] : NULL;

    if (e->host && host == DSN__NO_TEXT)
        return 0;
    if (d && d->device == e->file && d->source == source && d->host == host)
        return 1; /* the previous request's */
    b->device = dsn__pairmap_add(&b->device_map, e->file, node, 0);
    if (b->device > UINT32_MAX / 2 || !dsn_grow_zeroed(&b->devices, &b->device_room, sizeof *b->devices, b->device))
        return 0;
    if (b->ndevices < b->device_map.used)
        b->devices[b->ndevices++] = (struct dsn_block_device){ .device = e->file, .source = source, .host = host };
    return 1;
}

static int keep(struct dsn_block *b, const struct darshan_trace_event *e, int k)
{
    const uint64_t sector = e->offset / DSN_BLOCK_SECTOR, end = (e->offset + e->length) / DSN_BLOCK_SECTOR;
    struct dsn_block_device *d;

    if (!find_device(b, e) || !dsn_grow_zeroed(&b->requests, &b->request_room, sizeof *b->requests, b->nrequests))
        return 0;
    b->requests[b->nrequests++] = (struct dsn_block_request){
        .start = e->start,
        .end = e->start + e->duration,
        .sector = sector,
        .bytes = e->length < UINT32_MAX ? (uint32_t)e->length : UINT32_MAX,
        .where = 2 * b->device + (uint32_t)k,
    };
    d = &b->devices[b->device];
    add_request(&d->sums[k], e->length);
    d->last_sector = end > d->last_sector ? end - 1 : d->last_sector;
    if (end - sector > b->longest)
        b->longest = end - sector < DSN_BLOCK_LONGEST ? end - sector : DSN_BLOCK_LONGEST;
    return 1;
}

/* The use of a disk is only known from the recording. */
static unsigned kind_of(const struct dsn_block *b, const struct darshan_trace_event *e)
{
    if (dsn_block_is_swap(&b->sources[b->nsources - 1].notes, e->file, e->offset / DSN_BLOCK_SECTOR))
        return DARSHAN_TRACE_PAGING;
    return e->kind < DARSHAN_TRACE_NCLASSES ? e->kind : DARSHAN_TRACE_DATA;
}

static int count_request(struct dsn_block *b, const struct darshan_trace_event *e)
{
    const int k = e->op == DARSHAN_TRACE_WRITE;

    if (!(e->flags & DARSHAN_TRACE_PHYSICAL)) {
        b->calls++;
        return 1;
    }
    b->failed += (e->flags & DARSHAN_TRACE_FAILED) != 0;
    if ((e->op != DARSHAN_TRACE_READ && !k) || e->length == 0 || e->flags & DARSHAN_TRACE_FAILED) {
        b->others++;
        return 1;
    }
    add_request(&b->total[k], e->length);
    add_request(&b->of_class[k][class_of(&b->edges, e->length)], e->length);
    add_request(&b->of_kind[k][kind_of(b, e)], e->length);
    if (!(e->flags & DARSHAN_TRACE_UNFINISHED) && e->duration > 0) {
        b->latency[k][bin_of(e->duration)]++;
        b->busy += (double)e->duration * NS;
    }
    return keep(b, e, k);
}

/* ------------------------------------------------------------------ a trace */

static int read_source(struct dsn_block *b, const char *format, struct dsn_block_source *s,
                       struct darshan_trace_error *err)
{
    const struct darshan_trace_options options = { .format = format, .as_found = 1 };
    struct darshan_trace_event e;
    struct darshan_trace *trace;
    uint64_t calls = b->calls;
    int rc, ok = 1;

    dsn_block_notes_read(s->path, &s->notes);
    if (!darshan_trace_open(s->path, &options, &trace, err))
        return 0;
    while ((rc = darshan_trace_next(trace, &e, err)) > 0 && (ok = count_request(b, &e)) != 0)
        continue;
    s->epoch = darshan_trace_info(trace)->epoch;
    s->end = b->nrequests;
    if (!ok)
        snprintf(err->text, sizeof err->text, "does not fit into memory");
    if (ok && rc == 0 && s->end == s->first && b->calls > calls) {
        snprintf(err->text, sizeof err->text,
                 "has calls of programs only, no requests to devices; use a recording of a device");
        ok = 0;
    }
    darshan_trace_close(trace);
    return ok && rc == 0;
}

static uint64_t first_start(const struct dsn_block *b, const struct dsn_block_source *s)
{
    uint64_t first = UINT64_MAX;

    for (size_t i = s->first; i < s->end; i++)
        first = b->requests[i].start < first ? b->requests[i].start : first;
    return s->end > s->first ? first : 0;
}

/* Puts the recordings on one clock, or begins them together if one of them has no date. Sets when all requests begin and
 * end, and how long a recording is. */
static void align(struct dsn_block *b, double seconds)
{
    double sum = 0;

    b->epoch = b->begin = UINT64_MAX;
    for (size_t i = 0; i < b->nsources; i++)
        if (b->sources[i].end > b->sources[i].first)
            b->epoch = b->sources[i].epoch < b->epoch ? b->sources[i].epoch : b->epoch;
    b->epoch = b->nrequests > 0 ? b->epoch : 0;
    for (size_t i = 0; i < b->nsources; i++) {
        struct dsn_block_source *s = &b->sources[i];
        const uint64_t own = first_start(b, s);
        const uint64_t shift = b->epoch ? s->epoch - b->epoch : b->nsources > 1 ? 0 - own : 0;
        uint64_t end = own;

        for (size_t k = s->first; k < s->end; k++) {
            end = b->requests[k].end > end ? b->requests[k].end : end;
            b->requests[k].start += shift;
            b->requests[k].end += shift;
        }
        s->seconds = seconds > 0 ? seconds : s->notes.seconds > 0 ? s->notes.seconds : (double)(end - own) * NS;
        if (s->end > s->first) {
            b->begin = own + shift < b->begin ? own + shift : b->begin;
            b->end = end + shift > b->end ? end + shift : b->end;
        }
        b->lost += s->notes.lost;
        b->knows_lost = (i == 0 || b->knows_lost) && s->notes.is_there;
        b->seconds += s->seconds / (double)b->nsources;
    }
    b->begin = b->nrequests > 0 ? b->begin : 0;
    for (size_t i = 0; i < b->ndevices; i++)
        sum += b->sources[b->devices[i].source].seconds;
    if (b->ndevices > 0)
        b->seconds = sum / (double)b->ndevices;
}

int dsn_block_read(const char *const *paths, size_t n, const char *format, const struct dsn_block_edges *edges,
                   double seconds, uint64_t sectors, struct dsn_block *b, const char **wrong,
                   struct darshan_trace_error *err)
{
    *b = (struct dsn_block){ .edges = *edges, .all_sectors = sectors };
    *wrong = paths[0];
    dsn__pairmap_init(&b->device_map);
    dsn__texts_init(&b->hosts);
    b->sources = calloc(n, sizeof *b->sources);
    for (size_t i = 0; b->sources && i < n; i++) {
        struct dsn_block_source *s = &b->sources[b->nsources++];

        *wrong = s->path = paths[i];
        s->first = b->nrequests;
        if (!read_source(b, format, s, err))
            return 0;
    }
    if (b->sources)
        align(b, seconds);
    if (b->sources && dsn__block_times(b) && dsn__block_places(b))
        return 1;
    snprintf(err->text, sizeof err->text, "does not fit into memory");
    return 0;
}

void dsn_block_free(struct dsn_block *b)
{
    dsn__pairmap_free(&b->device_map);
    dsn__texts_free(&b->hosts);
    free(b->devices);
    free(b->requests);
    free(b->bands);
    for (size_t i = 0; i < b->nsources; i++)
        dsn_block_notes_free(&b->sources[i].notes);
    free(b->sources);
}

/* ------------------------------------------------------------------ names */

const struct dsn_block_disk *dsn_block_disk_of(const struct dsn_block *b, const struct dsn_block_device *d)
{
    return dsn_block_find_disk(&b->sources[d->source].notes, d->device);
}

size_t dsn_block_label(const struct dsn_block *b, size_t device, char *out, size_t room)
{
    const struct dsn_block_device *d = &b->devices[device];
    const struct dsn_block_disk *disk = dsn_block_disk_of(b, d);
    const char *host = d->host != DSN__NO_TEXT ? dsn__texts_text(&b->hosts, d->host) : NULL;
    char number[40];

    snprintf(number, sizeof number, "%u,%u", (unsigned)(d->device >> 20), (unsigned)(d->device & 0xfffff));
    if (!host && b->nsources > 1)
        host = b->sources[d->source].path;
    snprintf(out, room, "%s%s%s", host ? host : "", host ? ":" : "", disk ? disk->name : number);
    return strlen(out);
}

/* ------------------------------------------------------------------ figures */

struct dsn_block_net dsn_block_net(uint64_t requests, double seconds, uint64_t idle_requests, double idle_seconds)
{
    struct dsn_block_net n;

    n.raw = (double)requests - (idle_seconds > 0 ? (double)idle_requests / idle_seconds * seconds : 0);
    n.net = n.raw > 0 ? n.raw : 0;
    n.error = 2 * sqrt((double)requests);
    return n;
}
