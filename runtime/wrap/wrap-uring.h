/* wrap-uring.h - expands a row of uring.wrap to a wrapper
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors of liburing are in its results, not in errno. `hands_in`: the call submits prepared entries; others only look
 * for completions. */
#ifndef DSN_WRAP_WRAP_URING_H
#define DSN_WRAP_WRAP_URING_H

#include <errno.h>

#include "module/posix-uring.h"
#include "wrap/wrap.h"

/* Before Linux 5.11 a timeout was a request of its own, which submitted all others with it. */
#define HANDS_IN_LIMIT(ring, limit) ((limit) && !((ring)->features & IORING_FEAT_EXT_ARG))

#define U(r, name, p, args, fail, hands_in)                                                                            \
    DSN_REAL_DECL(r, name, p)                                                                                          \
    DSN_EXPORT r DSN_SYM(name) p;                                                                                      \
    DSN_EXPORT r DSN_SYM(name) p                                                                                       \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        r ret;                                                                                                         \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return fail;                                                                                               \
        if (!dsn__span_open(&s))                                                                                       \
            return DSN_REAL(name) args;                                                                                \
        s.end = s.start; /* completions that were there before the call */                                             \
        dsn__span_before(&s);                                                                                          \
        dsn__uring_before(&s, ring, hands_in);                                                                         \
        dsn__span_close(&s);                                                                                           \
        ret = DSN_REAL(name) args;                                                                                     \
        dsn__span_returned(&s);                                                                                        \
        dsn__uring_after(&s, ring);                                                                                    \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

/* Changes the ring's table of files. */
#define R(r, name, p, args, fail, note)                                                                                \
    DSN_REAL_DECL(r, name, p)                                                                                          \
    DSN_EXPORT r DSN_SYM(name) p;                                                                                      \
    DSN_WRAPPER(r, name, p, args, fail, ALWAYS, note, 0, fail, __attribute__((noinline)))

#endif
