/* sparse.h - words of which most are zero, without these
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a short process has counted is mostly zeros: leaving them out takes a fortieth of what a compressor does. Of
 * each 64 words those that are not zero are kept, behind a word that says which they are. */
#ifndef DSN_SPARSE_H
#define DSN_SPARSE_H

#include <stddef.h>

/* Bytes that `size` bytes, a multiple of 8, may take at most. */
size_t dsn__sparse_bound(size_t size);

/* Returns the bytes of `out`, which has room for dsn__sparse_bound(size). */
size_t dsn__sparse(const void *bytes, size_t size, void *out);

/* Back into `size` bytes. 0: these `packed` bytes are not what so many have become. */
int dsn__sparse_back(const void *from, size_t packed, void *to, size_t size);

#endif
