/* sorter.h - events in the order of their start, however many there are, in bounded memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Events beyond what fits into memory wait as sorted runs in a temporary file. Their order is total but for events that
 * are the same in everything: what comes out does not depend on the order in which traces were put in. Private to
 * util/trace. */
#ifndef DSN_TRACE_SORTER_H
#define DSN_TRACE_SORTER_H

#include "trace.h"

struct dsn__sorter;

/* NULL: there is no memory. */
struct dsn__sorter *dsn__sorter_new(size_t memory);
void dsn__sorter_free(struct dsn__sorter *s);

/* Puts one in; `index`: its place in its trace. Returns NULL, or what is wrong. */
const char *dsn__sorter_put(struct dsn__sorter *s, const struct darshan_trace_event *e, uint64_t index);

/* Sorts; to be called after the last event was added. Returns NULL, or a message. */
const char *dsn__sorter_begin(struct dsn__sorter *s);

/* The next one: 1; 0: there are no more; -1: the temporary file cannot be read. */
int dsn__sorter_next(struct dsn__sorter *s, struct darshan_trace_event *e);

#endif
