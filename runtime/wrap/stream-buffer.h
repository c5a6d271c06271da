/* stream-buffer.h - whether a call on a stream moves data to or from its file, or only to or from its buffer
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * By the pointers of glibc's FILE. They are looked at without the stream's lock: where another thread uses the stream at
 * the same time a call may be taken for one of the other kind, which costs or saves a reading of the clock. Nothing
 * that they point to is looked at. Streams of wide characters have another buffer: they are never served from this
 * one. */
#ifndef DSN_WRAP_STREAM_BUFFER_H
#define DSN_WRAP_STREAM_BUFFER_H

#include <stddef.h>
#include <stdio.h>

#include "module/shared/calls.h"
#include "module/shared/direction.h"
#include "record/fd.h"
#include "record/span.h"

/* The next `n` bytes that are read lie in the buffer. Bytes that were given back have been counted: such a read is not
 * told apart here. `f` has a record. */
static inline int dsn__buffer_has(FILE *f, size_t n)
{
    return f->_IO_read_end - f->_IO_read_ptr >= (ptrdiff_t)n && f->_mode <= 0 && (ptrdiff_t)n >= 0 &&
           atomic_load_explicit(dsn__stream_pushed(f), memory_order_relaxed) == 0;
}

/* The buffer takes `n` bytes without being written. That of a stream that is written line by line never says so. */
static inline int dsn__buffer_takes(const FILE *f, size_t n)
{
    return f->_IO_write_end - f->_IO_write_ptr >= (ptrdiff_t)n && f->_mode <= 0 && (ptrdiff_t)n >= 0;
}

/* The bytes of items of a call; more than a buffer can hold where they cannot be told. */
static inline size_t dsn__buffer_items(size_t size, size_t n)
{
    size_t bytes;

    return __builtin_mul_overflow(size, n, &bytes) ? SIZE_MAX : bytes;
}

/* A call that is counted without being timed may begin: this thread counts, and does not collect each call. */
static inline int dsn__is_untimed(void)
{
    return dsn__is_on() && dsn__thread.inside == DSN_OUTSIDE && !dsn__is_collecting();
}

/* Where a stream was before a call of which only the return tells how much it moves. */
struct dsn_buffer_place {
    const char *read, *read_end, *written;
};

static inline struct dsn_buffer_place dsn__buffer_place(const FILE *f)
{
    return (struct dsn_buffer_place){ f->_IO_read_ptr, f->_IO_read_end, f->_IO_write_ptr };
}

/* After the call: it moved `bytes` (0: it failed) in the buffer, which was neither filled nor written meanwhile. */
static inline int dsn__buffer_served(FILE *f, const struct dsn_buffer_place *before, enum dsn_direction d,
                                     int64_t bytes)
{
    if (bytes <= 0 || f->_mode > 0 || dsn__is_collecting())
        return 0;
    if (d == DSN_WRITE)
        return before->written && f->_IO_write_ptr - before->written == bytes;
    return before->read && f->_IO_read_end == before->read_end && f->_IO_read_ptr - before->read == bytes &&
           atomic_load_explicit(dsn__stream_pushed(f), memory_order_relaxed) == 0;
}

#endif
