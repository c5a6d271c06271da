/* inflight.h - device requests between their steps: queued, merged, issued, completed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An event is a completed request; it starts when it was issued, or queued if a device has no issue step. It belongs to
 * the process that queued it. A request that is completed in pieces, as the kernel does where a device has done a part
 * of it, is one event, which ends with its last piece. Private to util/trace. */
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
    DSN__NOSTEP /* not a step */
};

struct dsn__request {
    uint64_t device, sector, time, process;
    uint64_t bytes;
    int failed;
    enum dsn__step step;
    const char *what; /* "WS", as written by the kernel, not NUL-terminated */
    size_t nwhat;
};

struct dsn__inflight {
    struct dsn__pairmap index; /* (device, sector) */
    struct dsn__flying {
        uint64_t queued, issued, process, bytes;
        uint64_t done; /* bytes completed, by which its place in the index has moved */
        int is_queued, is_issued, failed;
        uint8_t op, kind;
        uint16_t flags;
    } * flying;
    size_t room;
    uint32_t left; /* position of dsn__left() */
};

void dsn__inflight_init(struct dsn__inflight *f);
void dsn__inflight_free(struct dsn__inflight *f);

/* Processes a step. Returns 1 with the event that it completes; 0: none; -1: no memory. */
int dsn__step(struct dsn__inflight *f, const struct dsn__request *r, struct darshan_trace_event *e);

/* Iterates over requests issued, but not completed, at the end of the trace. Returns 0 at the end. */
int dsn__left(struct dsn__inflight *f, struct darshan_trace_event *e);

/* The step for blkparse's letter, blktrace's action, and a tracepoint's name. */
enum dsn__step dsn__step_of(char letter);

/* The kernel's number of a device. */
static inline uint64_t dsn__device(uint64_t major, uint64_t minor)
{
    return major << 20 | (minor & 0xfffff);
}

#endif
