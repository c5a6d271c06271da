/* posix-aio.c - POSIX and Linux asynchronous I/O
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/posix-aio.h"

#include <stdbool.h>

#include "module/posix.h"
#include "record/fd.h"

/* Fills in what all kinds of requests have in common. Returns false if the descriptor's file has no record. */
static bool describe(struct dsn_pending *p, const struct dsn_span *s, int fd, enum dsn_pending_kind kind)
{
    struct dsn_description *o = dsn__fd_identified(fd);

    if (!o)
        return false;
    *p = (struct dsn_pending){ .state = dsn__description_state(o),
                               .description = o,
                               .start = s->start,
                               .fd = fd,
                               .kind = (uint8_t)kind,
                               .append = (uint8_t)dsn__description_appends(o) };
    return true;
}

void dsn__aio_begin(const struct dsn_span *s, const struct aiocb *block, enum dsn_pending_kind kind)
{
    struct dsn_pending p;

    if (!block || !describe(&p, s, block->aio_fildes, kind))
        return;
    p.key = (uintptr_t)block;
    p.asker = dsn__self();
    p.offset = block->aio_offset;
    p.unaligned = kind <= DSN_PENDING_WRITE && !dsn__posix_aligned((const void *)block->aio_buf);
    dsn__pending_add(&p);
}

void dsn__aio_begun(const struct aiocb *block, int result)
{
    if (block && result < 0)
        dsn__pending_take(NULL, (uintptr_t)block, NULL);
}

void dsn__aio_list(const struct dsn_span *s, struct aiocb *const list[], int n)
{
    for (int i = 0; list && i < n; i++) {
        if (list[i] && list[i]->aio_lio_opcode == LIO_READ)
            dsn__aio_begin(s, list[i], DSN_PENDING_READ);
        else if (list[i] && list[i]->aio_lio_opcode == LIO_WRITE)
            dsn__aio_begin(s, list[i], DSN_PENDING_WRITE);
    }
}

void dsn__aio_return(const struct dsn_span *s, const struct aiocb *block, ssize_t moved)
{
    struct dsn_pending p;

    if (dsn__pending_take(NULL, (uintptr_t)block, &p))
        dsn__posix_done(s, &p, moved);
}

static bool any_unaligned(const struct iovec *iov, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (!dsn__posix_aligned(iov[i].iov_base))
            return true;
    return false;
}

static void begin_libaio(const struct dsn_span *s, const struct iocb *block)
{
    const void *buf = (const void *)(uintptr_t)block->aio_buf;
    struct dsn_pending p;
    int known;

    switch (block->aio_lio_opcode) {
    case IOCB_CMD_PREAD:
    case IOCB_CMD_PREADV:
        known = describe(&p, s, (int)block->aio_fildes, DSN_PENDING_READ);
        break;
    case IOCB_CMD_PWRITE:
    case IOCB_CMD_PWRITEV:
        known = describe(&p, s, (int)block->aio_fildes, DSN_PENDING_WRITE);
        break;
    case IOCB_CMD_FSYNC:
        known = describe(&p, s, (int)block->aio_fildes, DSN_PENDING_FSYNC);
        break;
    case IOCB_CMD_FDSYNC:
        known = describe(&p, s, (int)block->aio_fildes, DSN_PENDING_FDSYNC);
        break;
    default:
        return;
    }
    if (!known)
        return;
    p.key = (uintptr_t)block;
    p.offset = block->aio_offset;
    if (block->aio_lio_opcode == IOCB_CMD_PREADV || block->aio_lio_opcode == IOCB_CMD_PWRITEV)
        p.unaligned = any_unaligned(buf, block->aio_nbytes);
    else if (p.kind <= DSN_PENDING_WRITE)
        p.unaligned = !dsn__posix_aligned(buf);
    dsn__pending_add(&p);
}

void dsn__libaio_submit(const struct dsn_span *s, struct iocb *const blocks[], long n)
{
    for (long i = 0; blocks && i < n; i++)
        if (blocks[i])
            begin_libaio(s, blocks[i]);
}

void dsn__libaio_submitted(struct iocb *const blocks[], long n, int result)
{
    for (long i = result > 0 ? result : 0; blocks && i < n; i++)
        dsn__pending_take(NULL, (uintptr_t)blocks[i], NULL);
}

void dsn__libaio_events(const struct dsn_span *s, const struct io_event *events, int n)
{
    struct dsn_pending p;

    for (int i = 0; i < n; i++)
        if (dsn__pending_take(NULL, (uintptr_t)events[i].obj, &p))
            dsn__posix_done(s, &p, (ssize_t)events[i].res);
}
