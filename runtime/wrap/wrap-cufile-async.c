/* wrap-cufile-async.c - wrappers of the calls of cuFile that queue operations on streams
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "wrap/wrap-cufile.h"

/* `size` is that of the note: what the parameter points to may be gone after the call. */
#define ASYNC(name, type, direction)                                                                                   \
    DSN_REAL_DECL(                                                                                                     \
        struct dsn_cufile_error, name,                                                                                 \
        (void *handle, type *base, size_t *asked, off_t *offset, off_t *buffer_offset, ssize_t *moved, void *stream))  \
    DSN_EXPORT struct dsn_cufile_error DSN_SYM(name)(void *handle, type *base, size_t *asked, off_t *offset,           \
                                                     off_t *buffer_offset, ssize_t *moved, void *stream);              \
    DSN_EXPORT struct dsn_cufile_error DSN_SYM(name)(void *handle, type *base, size_t *asked, off_t *offset,           \
                                                     off_t *buffer_offset, ssize_t *moved, void *stream)               \
    {                                                                                                                  \
        struct dsn_cufile_error ret;                                                                                   \
        struct dsn_cufile_call c;                                                                                      \
        struct dsn_span s;                                                                                             \
        size_t size;                                                                                                   \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return MISSING;                                                                                            \
        if (!dsn__span_open(&s) || !dsn__cufile_begins(&c))                                                            \
            return DSN_REAL(name)(handle, base, asked, offset, buffer_offset, moved, stream);                          \
        size = asked ? *asked : 0;                                                                                     \
        ret = DSN_REAL(name)(handle, base, asked, offset, buffer_offset, moved, stream);                               \
        dsn__cufile_ends(&c);                                                                                          \
        dsn__span_returned(&s);                                                                                        \
        dsn__cufile_async(&s, ret, handle, direction, size);                                                           \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

ASYNC(cuFileReadAsync, void, DSN_READ)
ASYNC(cuFileWriteAsync, const void, DSN_WRITE)
