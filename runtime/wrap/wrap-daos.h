/* wrap-daos.h - expands a row of dfs.wrap or daos.wrap to a wrapper
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that a version of the library does not have are weak in libdarshan.a. */
#ifndef DSN_WRAP_WRAP_DAOS_H
#define DSN_WRAP_WRAP_DAOS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "darshan-log-format/index.h"
#include "module/daos.h"
#include "record/inner.h"
#include "wrap/wrap.h"

/* The query functions of the library that a wrapped call of the layer goes to. */
const struct dsn_daos *dsn__daos_calls(enum dsn_daos_layer layer, void *real);

#ifdef DSN_PRELOAD
#define DSN_DAOS_DECL(name, p) DSN_REAL_DECL(int, name, p)
#define DSN_DAOS_FIND(name)    DSN_REAL_FIND(name)
#else
#define DSN_DAOS_DECL(name, p)                                                                                         \
    extern int __real_##name p __attribute__((weak));                                                                  \
    DSN_EXPORT int __wrap_##name p;
#define DSN_DAOS_FIND(name) (&__real_##name != NULL)
#endif

/* The file defines LAYER, and NOT_FOUND, the result if the real function is missing. A call inside of one of its layer is
 * part of that; `counts`: others may be inside of this one. */
#define DSN_DAOS_WRAPPER(name, p, args, counts, ahead, note)                                                           \
    DSN_DAOS_DECL(name, p)                                                                                             \
    DSN_EXPORT int DSN_SYM(name) p;                                                                                    \
    DSN_EXPORT int DSN_SYM(name) p                                                                                     \
    {                                                                                                                  \
        const struct dsn_daos *daos;                                                                                   \
        const uintptr_t outer = dsn__thread.daos[LAYER];                                                               \
        struct dsn_span s;                                                                                             \
        intptr_t before;                                                                                               \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_DAOS_FIND(name))                                                                                      \
            return NOT_FOUND;                                                                                          \
        if (((counts) && dsn__is_inside(outer, &s)) || !dsn__span_open(&s))                                            \
            return DSN_REAL(name) args;                                                                                \
        dsn__span_before(&s);                                                                                          \
        daos = dsn__daos_calls(LAYER, (void *)DSN_REAL(name));                                                         \
        before = (intptr_t)(ahead);                                                                                    \
        dsn__span_close(&s);                                                                                           \
        if (counts)                                                                                                    \
            dsn__thread.daos[LAYER] = (uintptr_t)&s;                                                                   \
        s.start = dsn__ticks();                                                                                        \
        ret = DSN_REAL(name) args;                                                                                     \
        dsn__span_returned(&s);                                                                                        \
        dsn__thread.daos[LAYER] = outer;                                                                               \
        (void)before;                                                                                                  \
        (void)daos;                                                                                                    \
        note;                                                                                                          \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }
#define D(name, p, args, ahead, note) DSN_DAOS_WRAPPER(name, p, args, true, ahead, note)
#define B(name, p, args, ahead, note) DSN_DAOS_WRAPPER(name, p, args, false, ahead, note)

#endif
