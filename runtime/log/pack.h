/* pack.h - compression of a part of the log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_PACK_H
#define DSN_LOG_PACK_H

#include <stddef.h>

/* A stream of `size` bytes at most, which come piece by piece: so they need not lie in one place. One at a time. begin
 * returns 0 if there is no memory, and then nothing follows; end returns the stream (dsn__pages), or NULL. */
int dsn__pack_begin(size_t size);
void dsn__pack_more(const void *bytes, size_t size);
char *dsn__pack_end(size_t *packed);

/* Compresses `size` bytes into a zlib stream of *packed bytes (dsn__pages); NULL if there is no memory. */
char *dsn__pack(const void *bytes, size_t size, size_t *packed);

#endif
