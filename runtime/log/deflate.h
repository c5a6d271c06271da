/* deflate.h - parts of a log as zlib streams
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * By zlib, of which the library holds a copy of its own, in memory that it is given: nothing is allocated. Level 5
 * takes as long as the encoder of our own that stood here, and makes records of real jobs 0.6 % larger; what others
 * there are, and what they cost, is in doc/shutdown.md. */
#ifndef DSN_LOG_DEFLATE_H
#define DSN_LOG_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>

/* Working memory; its contents do not matter. Small input needs little of it. zlib takes at most 268 KB, replacements
 * of it more. */
struct dsn_deflate {
    size_t used;
    struct z_stream_s *stream; /* the one that has begun; in `memory` */
    unsigned char *out, *end;
    _Alignas(16) unsigned char memory[(size_t)1 << 20];
};

/* Maximum size of a stream of `size` bytes. */
size_t dsn__deflate_bound(size_t size);

/* A stream into `out`, which has room for dsn__deflate_bound(size), of `size` bytes at most, that come in any number of
 * pieces: the stream is the same. The first two return false if a zlib wants more memory than there is or more bytes come;
 * the last one how many bytes the stream has, 0 after such a failure. */
bool dsn__deflate_begin(struct dsn_deflate *d, size_t size, void *out);
bool dsn__deflate_more(struct dsn_deflate *d, const void *bytes, size_t size);
size_t dsn__deflate_end(struct dsn_deflate *d);

/* Memory of a compressor (dsn__pages), once it was needed; part of what life/state.h composes. */
extern struct dsn_deflate **const dsn__deflate_work __attribute__((visibility("hidden")));

#endif
