/* zstd.h - zstd streams, if built with its library
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For the utilities; not installed. */
#ifndef DSN_TRACE_ZSTD_H
#define DSN_TRACE_ZSTD_H

#include <stddef.h>

#ifdef HAVE_ZSTD
#define DSN__HAS_ZSTD 1
#else
#define DSN__HAS_ZSTD 0
#endif

struct dsn__zstd_reader;

/* NULL: no memory, or no zstd. */
struct dsn__zstd_reader *dsn__zstd_reader_new(void);
void dsn__zstd_reader_free(struct dsn__zstd_reader *r);

/* Decompresses from *from (*left bytes) into `room` bytes, and advances *from. Returns 0 at the end of a frame, after
 * which another may follow; 1 within one; -1: it is damaged, or needs more than 128 MiB. */
int dsn__zstd_read(struct dsn__zstd_reader *r, const unsigned char **from, size_t *left, unsigned char *to, size_t room,
                   size_t *out);

struct dsn__zstd_writer;

/* Writes to a descriptor. NULL: no memory, or no zstd. */
struct dsn__zstd_writer *dsn__zstd_writer_new(int fd);
void dsn__zstd_writer_free(struct dsn__zstd_writer *w);

/* Compresses more bytes; `ends`: they are the last. Returns 0 or an errno. */
int dsn__zstd_write(struct dsn__zstd_writer *w, const char *bytes, size_t n, int ends);

#endif
