/* seed.h - the seed study's text format: bits of the first two fields, reader and writer
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record is a line of up to ten integers; unchanged values are omitted, and times are differences (doc/trace.md).
 * Private to util/trace. */
#ifndef DSN_TRACE_SEED_H
#define DSN_TRACE_SEED_H

#include "source.h"

/* Bits of the type. */
#define DSN__SEED_LOGICAL    0x80u
#define DSN__SEED_WRITE      0x40u
#define DSN__SEED_MISS       0x20u
#define DSN__SEED_AHEAD_HIT  0x10u
#define DSN__SEED_ASYNC      0x08u
#define DSN__SEED_UNASSIGNED 0x04u
#define DSN__SEED_CLASS      0x03u
#define DSN__SEED_COMMENT    0xffu /* the whole value */

/* Bits of the compression. */
#define DSN__SEED_OFFSET_IN_BLOCKS 0x01u
#define DSN__SEED_LENGTH_IN_BLOCKS 0x02u
#define DSN__SEED_NO_LENGTH        0x04u
#define DSN__SEED_NO_PROCESS       0x08u
#define DSN__SEED_RESERVED         0x10u
#define DSN__SEED_NO_CALL          0x20u
#define DSN__SEED_NO_OFFSET        0x40u
#define DSN__SEED_NO_FILE          0x80u

#define DSN__SEED_BLOCK   512u
#define DSN__SEED_TICK_US 10u
#define DSN__SEED_HISTORY 32 /* files per process whose last record a reader must keep */

int dsn__seed_probe(const unsigned char *head, size_t n);
int dsn__seed_open(struct dsn__source *s);
int dsn__seed_next(struct dsn__source *s, struct darshan_trace_event *e);
void dsn__seed_close(struct dsn__source *s);

int dsn__seed_begin(struct dsn__trace_sink *s);
int dsn__seed_put(struct dsn__trace_sink *s, const struct darshan_trace_event *e);
int dsn__seed_end(struct dsn__trace_sink *s);
void dsn__seed_release(struct dsn__trace_sink *s);

#endif
