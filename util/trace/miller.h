/* miller.h - Miller's text format: bits of the first two fields, reader and writer
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record is a line of up to ten integers; unchanged values are omitted, and times are differences (doc/trace.md).
 * Private to util/trace. */
#ifndef DSN_TRACE_MILLER_H
#define DSN_TRACE_MILLER_H

#include "source.h"

/* Bits of the type. */
#define DSN__MILLER_LOGICAL    0x80u
#define DSN__MILLER_WRITE      0x40u
#define DSN__MILLER_MISS       0x20u
#define DSN__MILLER_AHEAD_HIT  0x10u
#define DSN__MILLER_ASYNC      0x08u
#define DSN__MILLER_UNASSIGNED 0x04u
#define DSN__MILLER_CLASS      0x03u
#define DSN__MILLER_COMMENT    0xffu /* the whole value */

/* Bits of the compression. */
#define DSN__MILLER_OFFSET_IN_BLOCKS 0x01u
#define DSN__MILLER_LENGTH_IN_BLOCKS 0x02u
#define DSN__MILLER_NO_LENGTH        0x04u
#define DSN__MILLER_NO_PROCESS       0x08u
#define DSN__MILLER_RESERVED         0x10u
#define DSN__MILLER_NO_CALL          0x20u
#define DSN__MILLER_NO_OFFSET        0x40u
#define DSN__MILLER_NO_FILE          0x80u

#define DSN__MILLER_BLOCK   512u
#define DSN__MILLER_TICK_US 10u
#define DSN__MILLER_HISTORY 32 /* files per process whose last record a reader must keep */

int dsn__miller_probe(const unsigned char *head, size_t n);
int dsn__miller_open(struct dsn__source *s);
int dsn__miller_next(struct dsn__source *s, struct darshan_trace_event *e);
void dsn__miller_close(struct dsn__source *s);

int dsn__miller_begin(struct dsn__trace_sink *s);
int dsn__miller_put(struct dsn__trace_sink *s, const struct darshan_trace_event *e);
int dsn__miller_end(struct dsn__trace_sink *s);
void dsn__miller_release(struct dsn__trace_sink *s);

#endif
