/* posix-aio.h - what asynchronous requests count in the record of a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A request is counted when its result is collected, with the time since its submission; one whose result is never
 * collected is not counted. It is registered before the real call, because another thread may collect the result before
 * that returns. */
#ifndef DSN_MODULE_POSIX_AIO_H
#define DSN_MODULE_POSIX_AIO_H

#include <aio.h>
#include <linux/aio_abi.h>

#include "record/pending.h"
#include "record/span.h"

/* aio_read, aio_write, aio_fsync; `result` of the real call: a failed request is removed. */
void dsn__aio_begin(const struct dsn_span *s, const struct aiocb *block, enum dsn_pending_kind kind);
void dsn__aio_begun(const struct aiocb *block, int result);

/* lio_listio; entries may be NULL. */
void dsn__aio_list(const struct dsn_span *s, struct aiocb *const list[], int n);

/* aio_return; `moved` is its result. */
void dsn__aio_return(const struct dsn_span *s, const struct aiocb *block, ssize_t moved);

/* libaio: io_submit, which accepted the first `result` of `n` control blocks, and io_getevents. */
void dsn__libaio_submit(const struct dsn_span *s, struct iocb *const blocks[], long n);
void dsn__libaio_submitted(struct iocb *const blocks[], long n, int result);
void dsn__libaio_events(const struct dsn_span *s, const struct io_event *events, int n);

#endif
