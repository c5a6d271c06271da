/* posix-copy.h - calls that copy between two descriptors inside the kernel
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_MODULE_POSIX_COPY_H
#define DSN_MODULE_POSIX_COPY_H

#include <sys/types.h>

#include "record/span.h"

/* `moved` bytes (the result) were read from `in` and written to `out`, at these offsets or DSN_AT_CURSOR. A descriptor that
 * is not a tracked file counts nothing. There is no user buffer: both accesses count as aligned in memory. */
void dsn__posix_copy(const struct dsn_span *s, ssize_t moved, int in, int64_t from, int out, int64_t to);

#endif
