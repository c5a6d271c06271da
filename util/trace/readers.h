/* readers.h - readers of all formats except Miller text, for the table in formats.c
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/trace. */
#ifndef DSN_TRACE_READERS_H
#define DSN_TRACE_READERS_H

#include "source.h"

#define READER(part)                                                                                                   \
    int dsn__##part##_probe(const unsigned char *head, size_t n);                                                      \
    int dsn__##part##_open(struct dsn__source *s);                                                                     \
    int dsn__##part##_next(struct dsn__source *s, struct darshan_trace_event *e);                                      \
    void dsn__##part##_close(struct dsn__source *s)

READER(calls);
READER(dxt);
READER(fio);
READER(strace);
READER(blkparse);
READER(blktrace);
READER(ftrace);
READER(biosnoop);
READER(msr);
READER(tencent);
READER(oracle);
READER(vscsi);
#undef READER

#endif
