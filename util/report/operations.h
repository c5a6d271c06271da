/* operations.h - the single operations of a trace, as compact as a page needs them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Columns of numbers, each number 7 bits a byte with the lowest first, and the highest bit set if more follow; those
 * that may be negative are doubled, and of negative ones the complement is taken (-1 is 1, 1 is 2). Times count in
 * ticks, rounded down:
 *     records    module (0 DXT_POSIX, 1 DXT_MPIIO), file, rank (may be negative), writes, reads
 *     starts     since the start of the record's operation before (may be negative)
 *     durations
 *     offsets    since the end of the record's operation before (may be negative); an offset of -1 is not known
 *     lengths    less the length of the record's operation before (may be negative)
 * All columns behind each other are one zlib stream. Private to util/report. */
#ifndef DSN_OPERATIONS_H
#define DSN_OPERATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/log.h"

enum { DSN_OP_RECORDS, DSN_OP_STARTS, DSN_OP_DURATIONS, DSN_OP_OFFSETS, DSN_OP_LENGTHS, DSN_OP_COLUMNS };

struct dsn_operations {
    double tick; /* seconds */
    int64_t n;   /* operations */
    int64_t nrecords;
    double least;                 /* seconds: only operations that took as long are in it; 0: all */
    size_t sizes[DSN_OP_COLUMNS]; /* bytes of each column, not compressed */
    unsigned char *packed;
    size_t npacked;
};

/* The columns in the making. */
struct dsn_op_writer {
    struct dsn_op_column {
        unsigned char *bytes;
        size_t n, room;
    } column[DSN_OP_COLUMNS];
    int failed; /* no memory */
    double tick;
    int64_t n, nrecords;
    int64_t last_start, last_end, last_length; /* of the record */
    int64_t writes, reads;                     /* of the record, so far */
};

void dsn_op_begin(struct dsn_op_writer *w, double tick);
void dsn_op_add(struct dsn_op_writer *w, const struct dsn_dxt_segment *s, int is_write);

/* Behind the last operation of a record, of which the writes came first. A record without any leaves nothing. */
void dsn_op_end_record(struct dsn_op_writer *w, int is_mpiio, uint32_t file, int64_t rank);

/* Compresses the columns, and frees *w. Returns 0 if there was no memory, then or before. */
int dsn_op_finish(struct dsn_op_writer *w, struct dsn_operations *out);

#endif
