/* deflate.h - parts of a log as zlib streams
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * By zlib, of which the library holds a copy of its own, in memory that it is given: nothing is allocated. Level 5
 * takes as long as the encoder of our own that stood here, and makes records of real jobs 0.6 % larger; what others
 * there are, and what they cost, is in doc/shutdown.md. */
#ifndef DSN_LOG_DEFLATE_H
#define DSN_LOG_DEFLATE_H

#include <stddef.h>

/* Memory for the work; its contents do not matter. What little input needs of it is little. zlib takes 268 KB at most,
 * others that stand in for it more. */
struct dsn_deflate {
    size_t used;
    _Alignas(16) unsigned char memory[(size_t)1 << 20];
};

/* Bytes that a stream of so many may take at most. */
size_t dsn__deflate_bound(size_t size);

/* Compresses `size` bytes into `out`, which has room for dsn__deflate_bound(size). Returns the bytes of the stream; 0
 * if a zlib wants more memory than there is. */
size_t dsn__deflate(struct dsn_deflate *d, const void *bytes, size_t size, void *out);

/* Memory of a compressor (dsn__pages), once it was needed; part of what life/state.h composes. */
extern struct dsn_deflate **const dsn__deflate_work __attribute__((visibility("hidden")));

#endif
