/* writers.h - writers of all formats except Miller text, for the table in formats.c
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/trace. */
#ifndef DSN_TRACE_WRITERS_H
#define DSN_TRACE_WRITERS_H

#include "source.h"

#define WRITER(part)                                                                                                   \
    int dsn__##part##_begin(struct dsn__trace_sink *s);                                                                \
    int dsn__##part##_put(struct dsn__trace_sink *s, const struct darshan_trace_event *e);                             \
    int dsn__##part##_end(struct dsn__trace_sink *s);                                                                  \
    void dsn__##part##_release(struct dsn__trace_sink *s)

WRITER(list);
WRITER(csv);
WRITER(fio);
WRITER(oracle);
WRITER(chrome);
WRITER(ftio);
#undef WRITER

#endif
