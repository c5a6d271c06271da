/* inflate.h - zlib streams (RFC 1950, 1951) decompressed piece by piece, fast
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * zlib can do that, but takes twice the time; libdeflate is fast, but needs room for a whole stream at once, which for
 * a process with many records or a long trace is as much as the log is large. Here memory is fixed: 150 KiB a
 * decompressor. Any bytes may be given to it: it ends at every stream, and what it accepts and what it makes of it is
 * what zlib accepts and makes.
 *
 * Not promised: preset dictionaries (such a stream is bad, no log has one); which bytes come out before damage is
 * noticed, beyond those that stand before it; anything about two threads and one decompressor.
 * Private to util/lib. */
#ifndef DSN_INFLATE_H
#define DSN_INFLATE_H

#include <stddef.h>

/* As long as more can be read, give it at least so many bytes: no part of a stream that is taken at once is longer. */
#define DSN_INFLATE_INPUT ((size_t)1024)

enum dsn__inflate_result {
    DSN_INFLATE_MORE,    /* there are bytes in `out`, or more input is needed (`last` was not set) */
    DSN_INFLATE_END,     /* the stream is complete, its checksum right */
    DSN_INFLATE_CUT_OFF, /* the stream goes on behind the last input */
    DSN_INFLATE_BAD      /* it is damaged */
};

struct dsn__inflate_io {
    const unsigned char *in; /* what was taken is passed over; behind the end of a stream nothing is */
    size_t avail_in;
    int last;                 /* no input follows */
    const unsigned char *out; /* what this call made, valid until the next one */
    size_t given;
};

struct dsn__inflate;

/* NULL: no memory. */
struct dsn__inflate *dsn__inflate_new(void);
void dsn__inflate_free(struct dsn__inflate *s);

/* Gets ready for a stream. */
void dsn__inflate_begin(struct dsn__inflate *s);

/* Goes on. Other results than MORE come with no output. After END, CUT_OFF and BAD, begin anew. */
enum dsn__inflate_result dsn__inflate_step(struct dsn__inflate *s, struct dsn__inflate_io *io);

#endif
