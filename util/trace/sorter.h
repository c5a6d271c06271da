/* sorter.h - sorts any number of events by start, in bounded memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Events that do not fit into memory are kept in sorted runs in a temporary file. The order is total except for
 * identical events: the result does not depend on the order in which traces were added. Private to util/trace. */
#ifndef DSN_TRACE_SORTER_H
#define DSN_TRACE_SORTER_H

#include "trace.h"

struct dsn__sorter;

/* NULL: no memory. */
struct dsn__sorter *dsn__sorter_new(size_t memory);
void dsn__sorter_free(struct dsn__sorter *s);

/* Adds an event; `index`: its position in its trace. Returns NULL or an error message. */
const char *dsn__sorter_put(struct dsn__sorter *s, const struct darshan_trace_event *e, uint64_t index);

/* Sorts; call it after the last event. Returns NULL or an error message. */
const char *dsn__sorter_begin(struct dsn__sorter *s);

/* The next event: 1; 0: the end; -1: the temporary file cannot be read. */
int dsn__sorter_next(struct dsn__sorter *s, struct darshan_trace_event *e);

#endif
