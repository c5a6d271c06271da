/* stream.h - stdio streams whose buffers are written through the log
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The C library writes a stream's buffer without any wrapped call. So a stream whose file is logged is replaced, when it
 * is opened, by one with functions of our own (fopencookie). It has the same descriptor, for fileno, and the same access.
 * The plain one is kept until it is closed: it lends its state of wide characters. When the C library makes the stream
 * wide, or reopens it, it replaces our functions by its own: before, the file must go direct.
 *
 * Only with glibc; elsewhere no stream is replaced. */
#ifndef LBIO_STREAM_H
#define LBIO_STREAM_H

#include <stdio.h>

struct lbio_stream;

/* Returns the stream to be used in place of one that has just been opened, or NULL: use that one, which bypasses the
 * log. */
FILE *lbio__stream_open(FILE *plain);

/* The logged stream; NULL: a plain one, or `stream` is NULL. */
struct lbio_stream *lbio__stream_of(FILE *stream);

/* Whether the C library has replaced our functions, or does so next. */
int lbio__stream_is_plain(const struct lbio_stream *s);
void lbio__stream_becomes_plain(struct lbio_stream *s);

/* Around the C library's close. */
void lbio__stream_closing(struct lbio_stream *s);
void lbio__stream_closed(struct lbio_stream *s);

/* The C library has failed to reopen it, and left it without a descriptor. */
void lbio__stream_lost(struct lbio_stream *s);

/* Before a call that makes a stream wide unless it has been used for bytes. */
void lbio__stream_widens(FILE *stream);

#endif
