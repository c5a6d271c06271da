/* zio.h - a region of a log as a stream of decompressed bytes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A region consists of any number of complete streams of the log's compression method, one after another (one per
 * rank); their contents are concatenated. Each region starts with a fresh decompressor, so damage in one does not
 * affect the next. Memory is fixed, whatever the region contains; the decompressed size is bounded by the region's own
 * length. Private to util/lib. */
#ifndef DSN_ZIO_H
#define DSN_ZIO_H

#include <stddef.h>
#include <stdint.h>

#include "darshan-log-format/header.h"

struct dsn__zio;

/* The file that regions are read from. */
struct dsn__file {
    int fd;
    uint64_t size;
    int compression; /* enum dsn_compression */
};

/* Reads exactly n bytes at `off`. Returns 1, or 0 if they do not exist or cannot be read. */
int dsn__file_read(const struct dsn__file *f, uint64_t off, void *buf, size_t n);

/* Opens a region. Its range may extend beyond the file: what is in the file is read, then follows DSN_ERR_RANGE.
 * Returns DSN_ERR_OK, or MEMORY, or BZIP2 if this build lacks it; end it with dsn__zio_end(). */
int dsn__zio_begin(const struct dsn__file *f, struct dsn_map region, struct dsn__zio **out);

/* Reads up to n bytes into `buf`. Fewer than n: the region has ended, or cannot be read further. */
size_t dsn__zio_read(struct dsn__zio *z, void *buf, size_t n);

/* Why reading ended: DSN_ERR_OK at a proper end; else RANGE, READ, INFLATE or MEMORY. */
int dsn__zio_error(const struct dsn__zio *z);

/* NULL is allowed. */
void dsn__zio_end(struct dsn__zio *z);

#endif
