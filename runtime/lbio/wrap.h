/* wrap.h - how a row of a .wrap file becomes a wrapper of the log's
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows are those that the runtime instruments. What is a note on a call there is here what begins it: an expression
 * that is true if the call was served. The functions of the notes' names are macros in wrap.c. */
#ifndef LBIO_WRAP_H
#define LBIO_WRAP_H

#include "lbio/intercept.h"

#define LBIO_EXPORT __attribute__((visibility("default")))

/* The next function of the name, at its first call: whether there is one. */
int lbio__next(const char *name, void **where);

#define NEXT_DECL(r, name, p) static r(*next_##name) p;
#define NEXT_IS(name)         (next_##name || lbio__next(#name, (void **)&next_##name))

#define LBIO_WRAPPER(r, name, p, args, fail, when, note)                                                               \
    NEXT_DECL(r, name, p)                                                                                              \
    LBIO_EXPORT r name p                                                                                               \
    {                                                                                                                  \
        struct lbio_call c;                                                                                            \
        r ret;                                                                                                         \
                                                                                                                       \
        if (!NEXT_IS(name))                                                                                            \
            return fail;                                                                                               \
        if (!(when))                                                                                                   \
            return next_##name args;                                                                                   \
        lbio__call_clear(&c);                                                                                          \
        if (lbio__is_served(&c, note))                                                                                 \
            ret = (r)c.ret;                                                                                            \
        else                                                                                                           \
            ret = next_##name args;                                                                                    \
        lbio__call_end(&c, (int64_t)ret);                                                                              \
        return ret;                                                                                                    \
    }

#endif
