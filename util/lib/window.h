/* window.h - a sliding window over the decompressed bytes of a region
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/lib. */
#ifndef DSN_WINDOW_H
#define DSN_WINDOW_H

#include "zio.h"

#define DSN_WINDOW_SIZE ((size_t)256 << 10)

struct dsn__window {
    struct dsn__zio *z; /* NULL: there are no bytes */
    unsigned char *bytes;
    size_t size, start, end; /* visible are bytes[start] to bytes[end - 1] */
    int no_memory;
};

/* Returns an enum dsn_err. An empty region has no bytes. End the window in either case. */
int dsn__window_begin(struct dsn__window *w, const struct dsn__file *file, struct dsn_map region);
void dsn__window_end(struct dsn__window *w);

/* The next n bytes, which may be modified; NULL if there are fewer, which are then visible. The window grows as
 * necessary. The bytes are 8-aligned as long as multiples of 8 are skipped. */
unsigned char *dsn__window_peek(struct dsn__window *w, size_t n);

/* Advances by n bytes, which must be visible. */
static inline void dsn__window_skip(struct dsn__window *w, size_t n)
{
    w->start += n;
}

static inline size_t dsn__window_left(const struct dsn__window *w)
{
    return w->end - w->start;
}

/* Why peek returned NULL: an enum dsn_err; RECORD if part of a record is left over. */
int dsn__window_error(const struct dsn__window *w);

#endif
