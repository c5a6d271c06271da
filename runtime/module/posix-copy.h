/* posix-copy.h - calls that move bytes between two descriptors inside the kernel
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_MODULE_POSIX_COPY_H
#define DSN_MODULE_POSIX_COPY_H

#include <sys/types.h>

#include "record/span.h"

/* `n` bytes, as returned, were read from `in` and written to `out`, at these offsets or DSN_AT_CURSOR. The side that
 * is no file counts nothing. There is no buffer: both sides are aligned in memory. */
void dsn__posix_copy(const struct dsn_span *s, ssize_t n, int in, int64_t from, int out, int64_t to);

#endif
