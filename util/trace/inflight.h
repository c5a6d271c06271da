/* inflight.h - requests to devices between their steps: queued, merged, issued, completed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An event is a request that was completed; it starts when it was issued, or queued where a device has no requests of
 * its own. It is of the process that queued it. Private to util/trace. */
#ifndef DSN_TRACE_INFLIGHT_H
#define DSN_TRACE_INFLIGHT_H

#include "pairmap.h"
#include "trace.h"

enum dsn__step {
    DSN__QUEUED,
    DSN__MERGED,
    DSN__ISSUED,
    DSN__REQUEUED,
    DSN__COMPLETED,
    DSN__NOSTEP /* tells nothing of that kind */
};

struct dsn__request {
    uint64_t device, sector, time, process;
    uint64_t bytes;
    int failed;
    enum dsn__step step;
    const char *what; /* "WS", as the kernel writes it: not terminated */
    size_t nwhat;
};

struct dsn__inflight {
    struct dsn__pairmap index; /* (device, sector) */
    struct dsn__flying {
        uint64_t queued, issued, process, bytes;
        int is_queued, is_issued;
        uint8_t op, kind;
        uint16_t flags;
    } * flying;
    size_t room;
    uint32_t left; /* where dsn__left() is */
};

void dsn__inflight_init(struct dsn__inflight *f);
void dsn__inflight_free(struct dsn__inflight *f);

/* A step of a request. Returns 1 with the event that it ends; 0: none; -1: no memory. */
int dsn__step(struct dsn__inflight *f, const struct dsn__request *r, struct darshan_trace_event *e);

/* What was issued and not completed until the end of the trace, one after the other. Returns 0 if there is no more. */
int dsn__left(struct dsn__inflight *f, struct darshan_trace_event *e);

/* The step of blkparse's letter, of blktrace's action, of a trace point's name. */
enum dsn__step dsn__step_of(char letter);

/* A device as the kernel numbers it. */
static inline uint64_t dsn__device(uint64_t major, uint64_t minor)
{
    return major << 20 | (minor & 0xfffff);
}

#endif
