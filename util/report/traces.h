/* traces.h - the operations of a traced job as pictures: rank over time, offset over time
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A trace of a few thousand operations is given as it is. A longer one is added up in rows and bins, as fine as a page
 * can hold: who zooms out adds them up further. Bytes are spread over the time that an operation took, and over the
 * offsets that it covered. Beside that single operations are given in compact form: all, or those that took longest. */
#ifndef DSN_TRACES_H
#define DSN_TRACES_H

#include <stdint.h>

#include "util/lib/log.h"
#include "util/lib/striping.h"
#include "util/report/matrix.h"
#include "util/report/operations.h"

#define DSN_TRACE_EXACT 5000    /* up to this many operations are stored individually */
#define DSN_TRACE_PAGE  100000  /* maximum in compact form */
#define DSN_TRACE_FULL  1000000 /* maximum in a page that may grow to 5 MB */
#define DSN_TRACE_FILES 4       /* files per module, those with most bytes, that are shown by offset */

enum dsn_trace_kind { DSN_TRACE_RANKS, DSN_TRACE_OFFSETS };

struct dsn_trace_view {
    enum dsn_trace_kind kind;
    unsigned module;
    uint64_t id;                   /* OFFSETS: of this file */
    int64_t first, per_row;        /* first rank or offset of the first row, and the number per row */
    double start, width;           /* seconds: start of bin 0, width of every bin */
    int64_t operations;            /* that are in it */
    struct dsn_matrix read, write; /* bytes */
};

struct dsn_trace_segment {
    unsigned module;
    int is_write;
    uint64_t id;
    int64_t rank;
    struct dsn_dxt_segment segment;
};

#define DSN_TRACE_VIEWS (2 * (1 + DSN_TRACE_FILES))

struct dsn_traces {
    int64_t operations;              /* of both modules */
    int64_t left_out;                /* operations missing from the traces, as far as the log says */
    double start, end;               /* start of the first and end of the last operation */
    struct dsn_trace_segment *exact; /* all operations, in the order of the log; NULL if there are too many */
    size_t nviews;                   /* 0 if `exact` is given */
    struct dsn_trace_view view[DSN_TRACE_VIEWS];
    struct dsn_operations packed; /* n is 0 if `exact` is given */
    uint64_t *file;               /* ids of the files that records refer to by index; nfiles of them */
    size_t nfiles;
    struct darshan_reader_error damage;
};

/* Gives up to `most` operations in compact form. Returns DSN_ERR_OK (also for a damaged log, and one without traces:
 * operations is 0 then) or DSN_ERR_MEMORY, with nothing to be freed. Memory: some 50 MB, however long the traces are,
 * and 20 bytes an operation in compact form. */
int dsn_traces_make(struct darshan_reader *log, int64_t most, struct dsn_traces *out);
void dsn_traces_free(struct dsn_traces *t);

/* As JSON. Times of single operations are whole nanoseconds. Names of files come from `log`, where they lie from
 * `layouts`. Views with very many filled cells get fewer bins: the matrices of *t are so changed. */
void dsn_traces_write(struct dsn_text *out, struct darshan_reader *log, const struct dsn_layouts *layouts,
                      struct dsn_traces *t);

#endif
