/* posix-uring.c - io_uring requests
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/posix-uring.h"

#include <sys/uio.h>

#include "module/posix.h"
#include "record/fd.h"

static unsigned newest_result(const struct dsn_uring *ring)
{
    return __atomic_load_n(ring->cq.ktail, __ATOMIC_ACQUIRE);
}

static int any_unaligned(const struct iovec *iov, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!dsn__posix_aligned(iov[i].iov_base))
            return 1;
    return 0;
}

/* Returns whether the request is one that is counted. */
static int describe(const struct io_uring_sqe *e, struct dsn_pending *p)
{
    const void *buf = (const void *)(uintptr_t)e->addr;

    p->offset = e->off == UINT64_MAX ? DSN_AT_CURSOR : (int64_t)e->off;
    switch (e->opcode) {
    case IORING_OP_READ:
    case IORING_OP_READ_FIXED:
        p->kind = DSN_PENDING_READ;
        p->unaligned = !dsn__posix_aligned(buf);
        return 1;
    case IORING_OP_WRITE:
    case IORING_OP_WRITE_FIXED:
        p->kind = DSN_PENDING_WRITE;
        p->unaligned = !dsn__posix_aligned(buf);
        return 1;
    case IORING_OP_READV:
        p->kind = DSN_PENDING_READ;
        p->unaligned = any_unaligned(buf, e->len) != 0;
        return 1;
    case IORING_OP_WRITEV:
        p->kind = DSN_PENDING_WRITE;
        p->unaligned = any_unaligned(buf, e->len) != 0;
        return 1;
    case IORING_OP_FSYNC:
        p->kind = (e->fsync_flags & IORING_FSYNC_DATASYNC) ? DSN_PENDING_FDSYNC : DSN_PENDING_FSYNC;
        return 1;
    default:
        return 0;
    }
}

static void note_submission(const struct dsn_span *s, const struct dsn_uring *ring, const struct io_uring_sqe *e)
{
    struct dsn_pending p = { .queue = ring, .key = e->user_data, .start = s->start, .fd = e->fd };
    const struct dsn_open *o;

    if (e->flags & IOSQE_FIXED_FILE)
        return;
    o = dsn__fd_known(e->fd);
    if (!o)
        return;
    if (e->opcode == IORING_OP_CLOSE) {
        dsn__posix_close(s, dsn__posix_release(e->fd));
        return;
    }
    p.state = dsn__open_state(o);
    p.append = (uint8_t)dsn__open_appends(o);
    if (describe(e, &p))
        dsn__pending_add(&p);
}

/* Stores, by the ring's address, the position up to which completions have been processed, plus one. A ring seen for
 * the first time has no completions of requests that we know. */
static void collect_completions(const struct dsn_span *s, const struct dsn_uring *ring)
{
    const unsigned entries = *ring->cq.kring_mask + 1, wide = (ring->flags & IORING_SETUP_CQE32) != 0;
    const unsigned newest = newest_result(ring);
    const uintptr_t known = (uintptr_t)dsn__handle_get(dsn__rings, (uintptr_t)ring);
    unsigned at = known ? (unsigned)(known - 1) : newest;
    struct dsn_pending p;

    if (known && at == newest)
        return;
    if (newest - at > entries)
        at = newest - entries; /* older entries have been overwritten */
    for (; at != newest; at++) {
        const struct io_uring_cqe *e = &ring->cq.cqes[(at & (entries - 1)) << wide];

        if (dsn__pending_take(ring, e->user_data, &p))
            dsn__posix_done(s, &p, e->res);
    }
    dsn__handle_set(dsn__rings, (uintptr_t)ring, (void *)((uintptr_t)newest + 1));
}

void dsn__uring_before(const struct dsn_span *s, const struct dsn_uring *ring, int hands_in)
{
    const unsigned wide = (ring->flags & IORING_SETUP_SQE128) != 0;

    collect_completions(s, ring);
    for (unsigned at = ring->sq.sqe_head; hands_in && at != ring->sq.sqe_tail; at++)
        note_submission(s, ring, &ring->sq.sqes[(at & *ring->sq.kring_mask) << wide]);
}

void dsn__uring_after(const struct dsn_span *s, const struct dsn_uring *ring)
{
    collect_completions(s, ring);
}

void dsn__uring_exit(const struct dsn_span *s, const struct dsn_uring *ring)
{
    collect_completions(s, ring);
    dsn__handle_take(dsn__rings, (uintptr_t)ring);
    dsn__pending_drop(ring);
}
