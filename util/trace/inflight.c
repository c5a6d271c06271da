/* inflight.c - matches the steps of device requests
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "inflight.h"
#include "util/lib/grow.h"

#include <stdlib.h>
#include <string.h>

#define SECTOR 512u

void dsn__inflight_init(struct dsn__inflight *f)
{
    memset(f, 0, sizeof *f);
    dsn__pairmap_init(&f->index);
}

void dsn__inflight_free(struct dsn__inflight *f)
{
    dsn__pairmap_free(&f->index);
    free(f->flying);
}

enum dsn__step dsn__step_of(char letter)
{
    switch (letter) {
    case 'Q':
        return DSN__QUEUED;
    case 'M':
    case 'F':
        return DSN__MERGED;
    case 'D':
        return DSN__ISSUED;
    case 'R':
        return DSN__REQUEUED;
    case 'C':
        return DSN__COMPLETED;
    }
    return DSN__NOSTEP;
}

/* Decodes operation, class and flags from letters such as "RA", "WSM", "FWFS", "DS". A flush before a write is part of
 * it. */
static void explain(const struct dsn__request *r, struct dsn__flying *y)
{
    int sync = 0;

    y->op = DARSHAN_TRACE_SYNC;
    y->kind = DARSHAN_TRACE_DATA;
    for (size_t i = 0; i < r->nwhat; i++)
        switch (r->what[i]) {
        case 'R':
            y->op = DARSHAN_TRACE_READ;
            break;
        case 'W':
            y->op = DARSHAN_TRACE_WRITE;
            break;
        case 'D':
            y->op = DARSHAN_TRACE_DISCARD;
            break;
        case 'A':
            y->kind = DARSHAN_TRACE_READ_AHEAD;
            break;
        case 'M':
            y->kind = DARSHAN_TRACE_METADATA;
            break;
        case 'S':
            sync = 1;
            break;
        default:
            break;
        }
    y->flags = DARSHAN_TRACE_PHYSICAL;
    if ((y->op == DARSHAN_TRACE_WRITE && !sync) || y->kind == DARSHAN_TRACE_READ_AHEAD)
        y->flags |= DARSHAN_TRACE_ASYNC;
}

static void finish_event(const struct dsn__inflight *f, uint32_t at, struct darshan_trace_event *e)
{
    const struct dsn__flying *y = &f->flying[at];

    *e = (struct darshan_trace_event){ .start = y->is_issued ? y->issued : y->queued,
                                       .offset = f->index.pairs[at].b * SECTOR - y->done,
                                       .length = y->bytes,
                                       .file = f->index.pairs[at].a,
                                       .process = y->process,
                                       .op = y->op,
                                       .kind = y->kind,
                                       .flags = y->flags };
}

/* Removes a request that is no longer queued or issued. */
static void forget(struct dsn__inflight *f, uint32_t at)
{
    const size_t last = f->index.used - 1;

    dsn__pairmap_remove(&f->index, at);
    f->flying[at] = f->flying[last];
    memset(&f->flying[last], 0, sizeof *f->flying);
}

/* Notes a completed piece, after which the kernel names the request by the first sector that is left. Returns 0 if that
 * is another request's: then this was all of it; -1: no memory. */
static int note_piece(struct dsn__inflight *f, uint32_t at, const struct dsn__request *r)
{
    const struct dsn__flying y = f->flying[at];
    const uint64_t sector = r->sector + r->bytes / SECTOR;

    if (dsn__pairmap_get(&f->index, r->device, sector, 0) != DSN__PAIR_NONE)
        return 0;
    forget(f, at);
    at = dsn__pairmap_add(&f->index, r->device, sector, 0);
    if (at == DSN__PAIR_NONE)
        return -1;
    f->flying[at] = y; /* the room is that of the one forgotten */
    f->flying[at].done += r->bytes;
    f->flying[at].failed |= r->failed != 0;
    return 1;
}

int dsn__step(struct dsn__inflight *f, const struct dsn__request *r, struct darshan_trace_event *e)
{
    struct dsn__flying *y;
    uint32_t at;

    if (r->step == DSN__NOSTEP || r->sector > INT64_MAX / SECTOR || r->bytes > INT64_MAX / 2)
        return 0;
    if (r->step != DSN__QUEUED && r->step != DSN__ISSUED) {
        at = dsn__pairmap_get(&f->index, r->device, r->sector, 0);
        if (at == DSN__PAIR_NONE) /* it was queued before the trace began */
            return 0;
    } else {
        at = dsn__pairmap_add(&f->index, r->device, r->sector, 0);
        if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&f->flying, &f->room, sizeof *f->flying, at))
            return -1;
    }
    y = &f->flying[at];
    switch (r->step) {
    case DSN__QUEUED:
        y->is_queued = 1;
        y->done = 0;
        y->queued = r->time;
        y->process = r->process;
        y->bytes = r->bytes;
        explain(r, y);
        break;
    case DSN__MERGED:
        y->is_queued = 0;
        if (!y->is_issued)
            forget(f, at);
        break;
    case DSN__ISSUED:
        if (!y->is_queued)
            y->process = r->process;
        y->is_issued = 1;
        if (y->done > 0 && y->done + r->bytes == y->bytes) /* the rest of it, again */
            break;
        y->done = 0;
        y->issued = r->time;
        y->bytes = r->bytes;
        explain(r, y);
        break;
    case DSN__REQUEUED:
        if (y->done > 0)
            break;
        y->is_issued = 0;
        if (!y->is_queued)
            forget(f, at);
        break;
    case DSN__COMPLETED:
        if (y->is_issued && r->bytes > 0 && r->bytes % SECTOR == 0 && y->done + r->bytes < y->bytes) {
            const int rc = note_piece(f, at, r);

            if (rc != 0)
                return rc < 0 ? -1 : 0;
        }
        if (r->bytes > 0 || !y->is_issued)
            y->bytes = y->done + r->bytes;
        finish_event(f, at, e);
        e->duration = r->time > e->start ? r->time - e->start : 0;
        e->flags |= r->failed || y->failed ? DARSHAN_TRACE_FAILED : 0;
        forget(f, at);
        return 1;
    case DSN__NOSTEP:
        break;
    }
    return 0;
}

int dsn__left(struct dsn__inflight *f, struct darshan_trace_event *e)
{
    while (f->left < f->index.used) {
        const uint32_t at = f->left++;

        if (f->flying[at].is_issued) {
            finish_event(f, at, e);
            e->flags |= DARSHAN_TRACE_UNFINISHED;
            return 1;
        }
    }
    return 0;
}
