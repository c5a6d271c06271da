/* pack.h - compression of a part of the log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_PACK_H
#define DSN_LOG_PACK_H

#include <stddef.h>

/* Compresses `size` bytes into a zlib stream of *packed bytes (dsn__pages); NULL if there is no memory. */
char *dsn__pack(const void *bytes, size_t size, size_t *packed);

#endif
