/* stdio.h - what stream calls count in the record of a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called by wrap-stdio.c inside a span, after the real call. */
#ifndef DSN_MODULE_STDIO_H
#define DSN_MODULE_STDIO_H

#include <stdbool.h>
#include <stdio.h>

#include "module/shared/direction.h"
#include "record/span.h"

/* fopen, freopen: `stream` is the result; `mode` as given, NULL: it reads and writes a new file. */
void dsn__stdio_open(const struct dsn_span *s, FILE *stream, const char *path, const char *mode);

/* fdopen on a descriptor that may be tracked. */
void dsn__stdio_fdopen(const struct dsn_span *s, FILE *stream, int fd);

/* dup of `from` onto `fd`, before the table of descriptors knows it: if that is a standard stream's, what the stream moves from
 * now on is I/O of the file there now. */
void dsn__stdio_redirected(int fd, int from);

/* A read or write of `bytes`; if negative, the call is not counted. */
void dsn__stdio_io(const struct dsn_span *s, enum dsn_direction d, FILE *stream, int64_t bytes);

/* The same for a read, part of which may be pushed-back bytes, which have been counted before. */
void dsn__stdio_read(const struct dsn_span *s, FILE *stream, int64_t bytes);

/* A read or write of `bytes` that the stream's buffer satisfied, outside of a span; if negative, it is not counted.
 * `entry` is the stream's (dsn__stream_entry). It is not timed: in the heat map, bytes read count at the last call that
 * read from the file, bytes written at the next call that writes to it. */
struct dsn_fd;
void dsn__stdio_served(FILE *stream, struct dsn_fd *entry, enum dsn_direction d, int64_t bytes);

/* What has been moved, by a call that moved `bytes` and before it by macros, which take from the stream's buffer without a
 * call: the distance of its position, now at `place` (negative: unknown), from what has been counted; what was pushed back
 * is not counted again. If that cannot be, because it would be more than a buffer: `bytes`. */
int64_t dsn__stdio_moved(FILE *stream, int64_t place, int64_t bytes);

/* ungetc: `bytes` are pushed back. */
void dsn__stdio_unread(FILE *stream, int64_t bytes);

void dsn__stdio_flush(const struct dsn_span *s, FILE *stream, int result);

/* `position` is the stream's new position, negative if the call failed. */
void dsn__stdio_seek(const struct dsn_span *s, FILE *stream, int64_t position);

/* fclose in two steps, as for close: pass the result of dsn__stdio_release, called before the real call, to
 * dsn__stdio_close. */
void *dsn__stdio_release(FILE *stream);
void dsn__stdio_close(const struct dsn_span *s, void *released);

/* The name of a file has been removed, or now is another file's or nobody's; `state`: its record, or NULL. */
struct dsn_record_state;
void dsn__stdio_gone(struct dsn_record_state *state, bool is_renamed);

/* Creates the records of the standard streams: those of the files that they are redirected to. */
void dsn__stdio_start(void);

/* Whether this is the record id of a standard stream. */
bool dsn__is_standard_stream(uint64_t id);

#endif
