/* wrap.h - turns the rows of a .wrap file into lbio's wrappers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows are the runtime's. Its notes on a call are here the expressions that begin it, and are true if the call was
 * served. The functions named by the notes are macros in wrap.c. */
#ifndef LBIO_WRAP_H
#define LBIO_WRAP_H

#include <stdatomic.h>

#include "lbio/intercept.h"

#define LBIO_EXPORT __attribute__((visibility("default")))

/* Looks up the next function of the name on its first call; returns whether there is one. */
int lbio__next(const char *name, void **where, const void *caller);

#define NEXT_DECL(r, name, p) static r(*_Atomic next_##name) p;
/* Loaded once: compilers take the pointer of a call through an atomic one by a plain load. */
#define NEXT(name)    atomic_load_explicit(&next_##name, memory_order_acquire)
#define NEXT_IS(name) (next_##name || lbio__next(#name, (void **)&next_##name, __builtin_return_address(0)))

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
            return NEXT(name) args;                                                                                    \
        lbio__call_clear(&c);                                                                                          \
        if (lbio__is_served(&c, note))                                                                                 \
            ret = (r)c.ret;                                                                                            \
        else                                                                                                           \
            do                                                                                                         \
                ret = NEXT(name) args;                                                                                 \
            while (lbio__call_again(&c, (int64_t)ret));                                                                \
        lbio__call_end(&c, (int64_t)ret);                                                                              \
        return ret;                                                                                                    \
    }

/* A wrapper that does something before the call. */
#define LBIO_BEFORE(r, name, p, args, fail, what)                                                                      \
    NEXT_DECL(r, name, p)                                                                                              \
    LBIO_EXPORT r name p                                                                                               \
    {                                                                                                                  \
        if (!NEXT_IS(name))                                                                                            \
            return fail;                                                                                               \
        what;                                                                                                          \
        return NEXT(name) args;                                                                                        \
    }

#endif
