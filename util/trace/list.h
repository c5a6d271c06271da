/* list.h - writers for people and for spreadsheets
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/trace. */
#ifndef DSN_TRACE_LIST_H
#define DSN_TRACE_LIST_H

#include "source.h"

int dsn__list_begin(struct dsn__sink *s);
int dsn__list_put(struct dsn__sink *s, const struct darshan_trace_event *e);
int dsn__list_end(struct dsn__sink *s);
void dsn__list_release(struct dsn__sink *s);

int dsn__csv_begin(struct dsn__sink *s);
int dsn__csv_put(struct dsn__sink *s, const struct darshan_trace_event *e);
#define dsn__csv_end     dsn__list_end
#define dsn__csv_release dsn__list_release

#endif
