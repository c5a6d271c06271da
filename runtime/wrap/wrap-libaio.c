/* wrap-libaio.c - wrappers of libaio, Linux native asynchronous I/O
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A separate member of libdarshan.a, for programs linked with libaio. Errors are in its results, not in errno. */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "module/posix-aio.h"
#include "wrap/wrap.h"

int DSN_SYM(io_submit)(void *context, long n, struct iocb **blocks);
int DSN_SYM(io_getevents)(void *context, long least, long n, struct io_event *events, struct timespec *limit);
int DSN_SYM(io_pgetevents)(void *context, long least, long n, struct io_event *events, struct timespec *limit,
                           sigset_t *mask);

#define V(name)
#include "wrap/libaio.wrap"

DSN_REAL_DECL(int, io_submit, (void *context, long n, struct iocb **blocks))
DSN_EXPORT int DSN_SYM(io_submit)(void *context, long n, struct iocb **blocks)
{
    struct dsn_span s;
    int ret;

    if (!DSN_REAL_FIND(io_submit))
        return -ENOSYS;
    if (!dsn__span_open(&s))
        return DSN_REAL(io_submit)(context, n, blocks);
    dsn__span_before(&s);
    dsn__libaio_submit(&s, blocks, n);
    dsn__span_close(&s);
    ret = DSN_REAL(io_submit)(context, n, blocks);
    dsn__span_returned(&s);
    dsn__libaio_submitted(blocks, n, ret);
    dsn__span_close(&s);
    return ret;
}
