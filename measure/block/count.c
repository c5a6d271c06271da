/* count.c - statistics of device requests
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "count.h"
#include "util/lib/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
static int find_device(struct dsn_block *b, uint64_t device)
{
    if (b->ndevices > 0 && b->devices[b->device].device == device)
        return 1;
    b->device = dsn__pairmap_add(&b->device_map, device, 0, 0);
    if (b->device > UINT32_MAX / 2 || !dsn_grow_zeroed(&b->devices, &b->device_room, sizeof *b->devices, b->device))
        return 0;
    b->devices[b->device].device = device;
    b->ndevices = b->device_map.used;
    return 1;
}

static int keep(struct dsn_block *b, const struct darshan_trace_event *e, int k)
{
    const uint64_t sector = e->offset / DSN_BLOCK_SECTOR, end = (e->offset + e->length) / DSN_BLOCK_SECTOR;
    struct dsn_block_device *d;

    if (!find_device(b, e->file) || !dsn_grow_zeroed(&b->requests, &b->request_room, sizeof *b->requests, b->nrequests))
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
    if (dsn_block_is_swap(&b->notes, e->file, e->offset / DSN_BLOCK_SECTOR))
        return DARSHAN_TRACE_PAGING;
    return e->kind < DARSHAN_TRACE_NCLASSES ? e->kind : DARSHAN_TRACE_DATA;
}

static int count_request(struct dsn_block *b, const struct darshan_trace_event *e)
{
    const int k = e->op == DARSHAN_TRACE_WRITE;
    const uint64_t end = e->start + e->duration;

    if (!(e->flags & DARSHAN_TRACE_PHYSICAL)) {
        b->calls++;
        return 1;
    }
    b->failed += (e->flags & DARSHAN_TRACE_FAILED) != 0;
    if ((e->op != DARSHAN_TRACE_READ && !k) || e->length == 0 || e->flags & DARSHAN_TRACE_FAILED) {
        b->others++;
        return 1;
    }
    b->begin = b->nrequests == 0 || e->start < b->begin ? e->start : b->begin;
    b->end = end > b->end ? end : b->end;
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

static int read_all(struct dsn_block *b, struct darshan_trace *trace, struct darshan_trace_error *err)
{
    struct darshan_trace_event e;
    int rc, ok = 1;

    while ((rc = darshan_trace_next(trace, &e, err)) > 0 && (ok = count_request(b, &e)) != 0)
        continue;
    if (ok && rc == 0 && b->nrequests == 0 && b->calls > 0) {
        snprintf(err->text, sizeof err->text,
                 "has calls of programs only, no requests to devices; use a recording of a device");
        return 0;
    }
    b->epoch = darshan_trace_info(trace)->epoch;
    if (ok && rc == 0)
        ok = dsn__block_times(b) && dsn__block_places(b);
    if (!ok)
        snprintf(err->text, sizeof err->text, "does not fit into memory");
    return ok && rc == 0;
}

int dsn_block_read(const char *path, const char *format, const struct dsn_block_edges *edges, double seconds,
                   uint64_t sectors, struct dsn_block *b, struct darshan_trace_error *err)
{
    const struct darshan_trace_options options = { .format = format, .as_found = 1 };
    struct darshan_trace *trace;
    int ok;

    *b = (struct dsn_block){ .edges = *edges, .all_sectors = sectors };
    dsn__pairmap_init(&b->device_map);
    dsn_block_notes_read(path, &b->notes);
    b->seconds = seconds > 0 ? seconds : b->notes.seconds;
    if (!darshan_trace_open(path, &options, &trace, err))
        return 0;
    ok = read_all(b, trace, err);
    darshan_trace_close(trace);
    return ok;
}

void dsn_block_free(struct dsn_block *b)
{
    dsn__pairmap_free(&b->device_map);
    free(b->devices);
    free(b->requests);
    free(b->bands);
    dsn_block_notes_free(&b->notes);
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
