/* stream-buffer.h - whether a stream call moves data to or from the file, or only to or from the stream's buffer
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the pointers in glibc's FILE, without dereferencing them and without the stream's lock: if another thread
 * uses the stream at the same time, a call may be misclassified, which costs or saves reading the clock. Wide streams
 * have another buffer: their calls always count as reaching the file. */
#ifndef DSN_WRAP_STREAM_BUFFER_H
#define DSN_WRAP_STREAM_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "module/shared/calls.h"
#include "module/shared/direction.h"
#include "record/fd.h"
#include "record/span.h"

/* Whether the next `n` bytes to read are in the buffer, and were not pushed back. `entry` is the stream's. */
static inline bool dsn__buffer_has(const FILE *f, const struct dsn_fd *entry, size_t n)
{
    return f->_IO_read_end - f->_IO_read_ptr >= (ptrdiff_t)n && f->_mode <= 0 && (ptrdiff_t)n >= 0 &&
           atomic_load_explicit(&entry->pushed, memory_order_relaxed) == 0;
}

/* Whether the buffer accepts `n` bytes without being written. Never true for a line-buffered stream. */
static inline bool dsn__buffer_takes(const FILE *f, size_t n)
{
    return f->_IO_write_end - f->_IO_write_ptr >= (ptrdiff_t)n && f->_mode <= 0 && (ptrdiff_t)n >= 0;
}

/* Bytes requested by a call with items; on overflow more than any buffer holds. */
static inline size_t dsn__buffer_items(size_t size, size_t n)
{
    size_t bytes;

    return __builtin_mul_overflow(size, n, &bytes) ? SIZE_MAX : bytes;
}

/* Whether a call may be counted without being timed: recording is on, and calls are not logged. */
static inline bool dsn__is_untimed(void)
{
    return dsn__is_on() && dsn__thread.inside == DSN_OUTSIDE && !dsn__is_tracing_calls();
}

/* State of a stream before a call whose size only its result tells. */
struct dsn_buffer_place {
    const char *read, *read_end, *written;
};

static inline struct dsn_buffer_place dsn__buffer_place(const FILE *f)
{
    return (struct dsn_buffer_place){ f->_IO_read_ptr, f->_IO_read_end, f->_IO_write_ptr };
}

/* After the call: whether it moved `bytes` (0: it failed) within the buffer, which was neither filled nor flushed
 * meanwhile. */
static inline bool dsn__buffer_served(const FILE *f, const struct dsn_fd *entry, const struct dsn_buffer_place *before,
                                      enum dsn_direction d, int64_t bytes)
{
    if (bytes <= 0 || f->_mode > 0 || dsn__is_tracing_calls())
        return false;
    if (d == DSN_WRITE)
        return before->written && f->_IO_write_ptr - before->written == bytes;
    return before->read && f->_IO_read_end == before->read_end && f->_IO_read_ptr - before->read == bytes &&
           atomic_load_explicit(&entry->pushed, memory_order_relaxed) == 0;
}

#endif
