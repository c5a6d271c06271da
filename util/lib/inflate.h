/* inflate.h - zlib streams (RFC 1950) decompressed piece by piece, by ISA-L, or by zlib where that is missing
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ISA-L takes a third of zlib's time. Of a stream that is damaged or cut off, though, its output ends in bytes that are
 * not the stream's, or lacks the last few: such a stream is to be gone over once more (dsn__inflate_restart), by zlib,
 * whose word is final. So what is accepted and what is made of it is the same with and without ISA-L, but for streams
 * whose checksum is right and whose codes, as described, zlib finds incomplete.
 *
 * Memory is fixed: 90 KiB a decompressor, and 50 more for a stream that is gone over once more. Any bytes may be given
 * to it; it ends at every stream.
 *
 * Not promised: preset dictionaries (such a stream is bad, no log has one); anything about two threads and one
 * decompressor.
 * Private to util/lib. */
#ifndef DSN_INFLATE_H
#define DSN_INFLATE_H

#include <stddef.h>

/* At the end of a stream `in` may go back by so many bytes, into those that the call before was given. */
#define DSN_INFLATE_BACK 8

enum dsn__inflate_result {
    DSN_INFLATE_MORE,    /* there is more output, or more input is needed (`last` was not set) */
    DSN_INFLATE_END,     /* the stream is complete, its checksum right */
    DSN_INFLATE_CUT_OFF, /* the stream goes on behind the last input */
    DSN_INFLATE_BAD      /* it is damaged */
};

/* What was decompressed, and what was made of it, is passed over. Of input behind the end of a stream nothing is. */
struct dsn__inflate_io {
    const unsigned char *in;
    size_t avail_in;
    int last; /* no input follows */
    unsigned char *out;
    size_t avail_out; /* at least 1 */
};

struct dsn__inflate;

/* NULL: no memory. */
struct dsn__inflate *dsn__inflate_new(void);
void dsn__inflate_free(struct dsn__inflate *s);

/* Gets ready for a stream. */
void dsn__inflate_reset(struct dsn__inflate *s);

/* Goes on. After END reset it; after CUT_OFF and BAD, with which nothing was made, restart it. */
enum dsn__inflate_result dsn__inflate_step(struct dsn__inflate *s, struct dsn__inflate_io *io);

/* Gets ready for the same stream, which is to be given from its first byte on: the bytes that it has made already come
 * once more, then those that were still missing. 0: there is no need to (or no memory), the result stands. */
int dsn__inflate_restart(struct dsn__inflate *s);

#endif
