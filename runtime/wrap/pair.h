/* pair.h - wrappers of functions with "..." and of their twins with a va_list
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_WRAP_PAIR_H
#define DSN_WRAP_PAIR_H

#include <stdarg.h>
#include <stdio.h>

#include "wrap/place.h"
#include "wrap/wrap.h"

/* Wraps a function with "..." and its twin with a va_list, which does the work of both. `last` is the parameter before
 * "...". The note closes the span; it has `s`, `ret`, `from` (the stream's position before the call) and the parameters
 * in scope. <stdio.h> and <wchar.h> may redirect these names to others. So that each symbol keeps its own wrapper, the C
 * functions have other names, and the symbols are set by asm labels. */
#define DSN_PAIR(name, vname, p, vp, vargs, last, stream, note)                                                        \
    DSN_REAL_LATER(int, vname, vp)                                                                                     \
    DSN_EXPORT int labelled_##vname vp __asm__(DSN_LABEL(vname));                                                      \
    DSN_EXPORT int labelled_##name p __asm__(DSN_LABEL(name));                                                         \
    DSN_EXPORT int labelled_##vname vp                                                                                 \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        int64_t from;                                                                                                  \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_REAL_FIND(vname))                                                                                     \
            return EOF;                                                                                                \
        if (!ON_STREAM(stream) || !dsn__span_open(&s))                                                                 \
            return DSN_REAL(vname) vargs;                                                                              \
        from = dsn__place(stream);                                                                                     \
        ret = DSN_REAL(vname) vargs;                                                                                   \
        note;                                                                                                          \
        return ret;                                                                                                    \
    }                                                                                                                  \
    DSN_EXPORT int labelled_##name p                                                                                   \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        int ret;                                                                                                       \
                                                                                                                       \
        va_start(args, last);                                                                                          \
        ret = labelled_##vname vargs;                                                                                  \
        va_end(args);                                                                                                  \
        return ret;                                                                                                    \
    }

#endif
