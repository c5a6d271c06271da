/* matrix.h - amounts over time in rows and bins, and their compact encoding in a page
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_MATRIX_H
#define DSN_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/text.h"

struct dsn_matrix {
    size_t rows, bins;
    double *cell; /* row by row; never negative */
};

/* Zeroes all cells. Returns 0 if there is no memory; then nothing needs to be freed. */
int dsn_matrix_init(struct dsn_matrix *m, size_t rows, size_t bins);
void dsn_matrix_free(struct dsn_matrix *m);

double dsn_matrix_sum(const struct dsn_matrix *m);
size_t dsn_matrix_filled(const struct dsn_matrix *m); /* cells that are not 0 */

/* Merges neighbours, two bins or two rows each. An odd last one stays alone. */
void dsn_matrix_halve_bins(struct dsn_matrix *m);
void dsn_matrix_halve_rows(struct dsn_matrix *m);

/* Writes the cells as a JSON string: base64 of little-endian 16-bit codes. 0 is followed by the length of a run of
 * cells that are 0; another code c is the value 2^((c - 1) / 1024 - 14), which is within 0.04 % of the cell's, if that
 * is between 2^-14 and 2^49. A matrix of nothing but 0 is "". */
void dsn_matrix_write(struct dsn_text *out, const struct dsn_matrix *m);

/* Bytes as a JSON string, base64. */
void dsn_base64_write(struct dsn_text *out, const unsigned char *bytes, size_t n);

/* A matrix under construction, to which amounts are added that are spread evenly over a time span. Adding takes the
 * same time whatever the length of the span. */
struct dsn_spans {
    struct dsn_matrix sums;
    double start, width; /* of bin 0, and of every bin; seconds */
    double *rates;       /* what each bin adds to every following bin, until it is subtracted again */
    int32_t *spans;      /* number of active spans: if there are none, rounding errors must not remain */
};

/* Returns 0 if there is no memory; then there is nothing to be freed. */
int dsn_spans_init(struct dsn_spans *s, size_t rows, size_t bins, double start, double width);
void dsn_spans_free(struct dsn_spans *s);

/* Amounts outside of the bins count in the first or last one. If `end` is before `start`, all of it counts at
 * `start`. */
void dsn_spans_add(struct dsn_spans *s, size_t row, double start, double end, double amount);

/* The sums; only dsn_matrix_free() is to follow, for *out. */
void dsn_spans_take(struct dsn_spans *s, struct dsn_matrix *out);

#endif
