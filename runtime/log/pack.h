/* pack.h - compression of a part of the log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_PACK_H
#define DSN_LOG_PACK_H

#include <stdbool.h>
#include <stddef.h>

/* Compresses a stream of at most `size` bytes that arrive in pieces, so they need not be contiguous. One stream at a
 * time. begin returns false if there is no memory, and then nothing may follow; end returns the stream (dsn__pages), or
 * NULL. */
bool dsn__pack_begin(size_t size);
void dsn__pack_more(const void *bytes, size_t size);
char *dsn__pack_end(size_t *packed);

/* Compresses `size` bytes into a zlib stream of *packed bytes (dsn__pages); NULL if there is no memory. */
char *dsn__pack(const void *bytes, size_t size, size_t *packed);

#endif
