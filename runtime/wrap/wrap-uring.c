/* wrap-uring.c - wrappers of liburing
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A separate member of libdarshan.a, for programs linked with liburing. */
#include <config.h>

#include "wrap/wrap-uring.h"

#define V(name)
#include "wrap/uring.wrap"

DSN_REAL_DECL(void, io_uring_queue_exit, (struct dsn_uring * ring))
DSN_EXPORT void DSN_SYM(io_uring_queue_exit)(struct dsn_uring *ring);
DSN_EXPORT void DSN_SYM(io_uring_queue_exit)(struct dsn_uring *ring)
{
    struct dsn_span s;

    if (!DSN_REAL_FIND(io_uring_queue_exit))
        return;
    if (dsn__span_open(&s)) {
        s.end = s.start;
        dsn__span_before(&s);
        dsn__uring_exit(&s, ring);
        dsn__span_close(&s);
    }
    DSN_REAL(io_uring_queue_exit)(ring);
}
