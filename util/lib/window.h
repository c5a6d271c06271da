/* window.h - the decompressed bytes of a region, seen through a window that moves over them
 * SPDX-License-Identifier: BSD-3-Clause
 * Private to util/lib. */
#ifndef DSN_WINDOW_H
#define DSN_WINDOW_H

#include "zio.h"

#define DSN_WINDOW_SIZE ((size_t)256 << 10)

struct dsn__window {
    struct dsn__zio *z; /* NULL: there are no bytes */
    unsigned char *bytes;
    size_t size, start, end; /* what is in sight: bytes[start] to bytes[end - 1] */
    int no_memory;
};

/* Returns an enum dsn_err. An empty region is one without bytes. The window is to be ended in either case. */
int dsn__window_begin(struct dsn__window *w, const struct dsn__file *file, struct dsn_map region);
void dsn__window_end(struct dsn__window *w);

/* The next n bytes, which may be changed; NULL if there are not so many left: those that are, are in sight. The window
 * grows to hold them. As long as all that is skipped are multiples of 8, they are aligned to 8. */
unsigned char *dsn__window_peek(struct dsn__window *w, size_t n);

/* Goes on by n bytes, which are in sight. */
static inline void dsn__window_skip(struct dsn__window *w, size_t n)
{
    w->start += n;
}

static inline size_t dsn__window_left(const struct dsn__window *w)
{
    return w->end - w->start;
}

/* Why there is no more, once peek has returned NULL: an enum dsn_err; RECORD if part of a record is left over. */
int dsn__window_error(const struct dsn__window *w);

#endif
