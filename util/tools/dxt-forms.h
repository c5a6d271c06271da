/* dxt-forms.h - prints traces as JSON and CSV
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_DXT_FORMS_H
#define DSN_DXT_FORMS_H

#include "forms.h"
#include "util/lib/striping.h"

/* The trace of a file on a rank. */
struct dsn_trace {
    struct dsn_text *out;
    enum dsn_emit_form form; /* JSON or CSV */
    const char *column;      /* CSV: the log's name, made by dsn_csv_column() */
    const char *module;
    const struct dsn_dxt_head *head;
    const char *name; /* NULL: unknown */
    const struct darshan_reader_mount *mount;
    const struct dsn_layout *layout; /* NULL: unknown */
    int has_threads;
    int64_t threads, nsegments; /* segments printed so far */
};

/* Prints the CSV header line. */
void dsn_trace_columns(struct dsn_text *out);

/* JSON: starts the trace's object, up to its segments; is_first: in the log. CSV: nothing. */
void dsn_trace_begin(const struct dsn_trace *t, int is_first);

/* Prints segment `number` of the reads or writes. */
void dsn_trace_segment(struct dsn_trace *t, int is_read, int64_t number, const struct dsn_dxt_segment *s);

/* JSON: ends the object. */
void dsn_trace_end(const struct dsn_trace *t);

#endif
