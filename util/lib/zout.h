/* zout.h - a compressed stream written to a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory is fixed, whatever the length of the stream. Private to util/lib. */
#ifndef DSN_ZOUT_H
#define DSN_ZOUT_H

#include <stddef.h>
#include <stdint.h>

/* The file, written sequentially. The first error ends all writing. */
struct dsn__sink {
    int fd;
    uint64_t end; /* offset of the next byte */
    int error;    /* errno; 0: none so far */
};

/* 0 if they could not be written; sink->error says why. */
int dsn__sink_put(struct dsn__sink *sink, const void *bytes, size_t n);

struct dsn__zout;

/* Starts a stream of that compression (enum dsn_compression) at the sink's end. Returns DSN_ERR_OK, COMPRESSION for a
 * method that cannot be written, BZIP2 if this build lacks it, or MEMORY; end it with dsn__zout_end(). */
int dsn__zout_begin(struct dsn__sink *sink, int compression, struct dsn__zout **out);

/* Adds to the stream. 0 if it could not be written. */
int dsn__zout_put(struct dsn__zout *z, const void *bytes, size_t n);

/* Ends the stream and frees `z` (NULL is allowed). 0 if it could not be written. */
int dsn__zout_end(struct dsn__zout *z);

#endif
