/* stdio.h - what stream calls mean for the record of a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called by wrap-stdio.c inside a span, after the real call. */
#ifndef DSN_MODULE_STDIO_H
#define DSN_MODULE_STDIO_H

#include <stdio.h>

#include "module/shared/direction.h"
#include "record/span.h"

/* fopen, freopen: `stream` is the result. */
void dsn__stdio_open(const struct dsn_span *s, FILE *stream, const char *path);

/* fdopen on a descriptor that may be tracked. */
void dsn__stdio_fdopen(const struct dsn_span *s, FILE *stream, int fd);

/* A read or write of `bytes`; a negative number is a call that does not count. */
void dsn__stdio_io(const struct dsn_span *s, enum dsn_direction d, FILE *stream, int64_t bytes);

/* The same of a read, which may be of what was given back: that has been counted already. */
void dsn__stdio_read(const struct dsn_span *s, FILE *stream, int64_t bytes);

/* A read or write of `bytes` that the buffer of a stream has served, outside of a span; a negative number does not count.
 * It is not timed: over time, what is read counts to the last call that read from the file, and what is written to the
 * next one that writes to it. */
void dsn__stdio_served(struct dsn_record_state *state, enum dsn_direction d, int64_t bytes);

/* ungetc: so many bytes are given back to the stream. */
void dsn__stdio_unread(FILE *stream, int64_t bytes);

void dsn__stdio_flush(const struct dsn_span *s, FILE *stream, int result);

/* `position` is where the stream is now, negative if the call failed. */
void dsn__stdio_seek(const struct dsn_span *s, FILE *stream, int64_t position);

/* fclose in two steps, as close: what dsn__stdio_release returned before the real call goes to dsn__stdio_close. */
void *dsn__stdio_release(FILE *stream);
void dsn__stdio_close(const struct dsn_span *s, void *released);

/* Records of the standard streams. */
void dsn__stdio_start(void);

/* Whether this is the record id of one of them. */
int dsn__is_standard_stream(uint64_t id);

#endif
