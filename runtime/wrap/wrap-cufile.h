/* wrap-cufile.h - expands a row of cufile.wrap and its likes to a wrapper
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WRAP_WRAP_CUFILE_H
#define DSN_WRAP_WRAP_CUFILE_H

#include <time.h>

#include "module/cufile.h"
#include "wrap/wrap.h"

#define MISSING ((struct dsn_cufile_error){ DSN_CUFILE_NOT_INITIALIZED, 0 })

/* Of the notes, `c` is what POSIX calls have moved. */
#define K(r, name, p, args, fail, note)                                                                                \
    DSN_REAL_DECL(r, name, p)                                                                                          \
    DSN_EXPORT r DSN_SYM(name) p;                                                                                      \
    DSN_EXPORT r DSN_SYM(name) p                                                                                       \
    {                                                                                                                  \
        struct dsn_cufile_call c;                                                                                      \
        struct dsn_span s;                                                                                             \
        r ret;                                                                                                         \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return fail;                                                                                               \
        if (!dsn__span_open(&s) || !dsn__cufile_begins(&c))                                                            \
            return DSN_REAL(name) args;                                                                                \
        ret = DSN_REAL(name) args;                                                                                     \
        dsn__cufile_ends(&c);                                                                                          \
        dsn__span_returned(&s);                                                                                        \
        note;                                                                                                          \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }
#define V(name)

#endif
