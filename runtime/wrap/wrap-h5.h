/* wrap-h5.h - expands a row of h5.wrap to a wrapper, and selects the HDF5 library it calls
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process with libdarshan.so may load several HDF5 libraries: Python packages bring their own with RTLD_LOCAL, and
 * Debian's serial and parallel ones have different symbol versions. A call goes to the library that the caller would
 * have been bound to without us. With libdarshan.a there is one. */
#ifndef DSN_WRAP_WRAP_H5_H
#define DSN_WRAP_WRAP_H5_H

#include "module/h5.h"
#include "record/inner.h"
#include "wrap/wrap.h"

struct dsn_h5_token { /* H5O_token_t */
    uint8_t bytes[16];
};

#define IO(dir, dset, file_space, list)                                                                                \
    (struct dsn_h5d_io)                                                                                                \
    {                                                                                                                  \
        .direction = DSN_##dir, .dataset = dset, .space = file_space, .transfer = list                                 \
    }

#ifdef DSN_PRELOAD

/* The library that calls from `caller` go to, or NULL. */
struct dsn_h5 *dsn__h5_of(const void *caller);

/* The real function, by enum dsn_h5_wrapped; NULL: the library does not have it. */
void *dsn__h5_next(const struct dsn_h5 *h5, int which);

enum dsn_h5_wrapped {
#define H(r, name, p, args, fail, note) DSN_WRAPPED_##name,
#include "wrap/h5.wrap"
#undef H
    DSN_WRAPPED_COUNT
};

#define DSN_H5_DECL(r, name, p)
#define DSN_H5_LIBRARY    dsn__h5_of(__builtin_return_address(0))
#define DSN_H5_REAL(name) dsn__h5_next(h5, DSN_WRAPPED_##name)

#else

extern struct dsn_h5 dsn__h5_linked;

#define DSN_H5_DECL(r, name, p)                                                                                        \
    extern r __real_##name p;                                                                                          \
    DSN_EXPORT r __wrap_##name p;
#define DSN_H5_LIBRARY    &dsn__h5_linked
#define DSN_H5_REAL(name) __real_##name

#endif

#define H(r, name, p, args, fail, note)                                                                                \
    DSN_H5_DECL(r, name, p)                                                                                            \
    DSN_EXPORT r DSN_SYM(name) p                                                                                       \
    {                                                                                                                  \
        struct dsn_h5 *h5 = DSN_H5_LIBRARY;                                                                            \
        r(*real) p = DSN_H5_REAL(name);                                                                                \
        struct dsn_span s;                                                                                             \
        uintptr_t outer;                                                                                               \
        r ret;                                                                                                         \
                                                                                                                       \
        if (!real)                                                                                                     \
            return fail;                                                                                               \
        if (!dsn__span_open(&s))                                                                                       \
            return real args;                                                                                          \
        outer = dsn__outer_begins(&s);                                                                                 \
        ret = real args;                                                                                               \
        dsn__outer_ends(outer);                                                                                        \
        dsn__span_returned(&s);                                                                                        \
        note;                                                                                                          \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

#endif
