/* product.h - rows of a file compressed, and multiplied with vectors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. Compressed rows are as in SPARSKIT: values, their columns, and where each row begins, counted from 1.
 * Sums are made from left to right, without fused operations: the same bits everywhere. */
#ifndef DSN_SPMV_PRODUCT_H
#define DSN_SPMV_PRODUCT_H

#include "util/spmv/matrix.h"

struct dsn_compressed {
    int64_t rows;
    double *a;
    int32_t *ja, *ia;
};

/* Room for blocks of so many rows. Returns 0 without memory. */
int dsn_compressed_init(struct dsn_compressed *c, int64_t rows, int64_t columns);
void dsn_compressed_free(struct dsn_compressed *c);

/* Rows that are `stride` doubles apart. */
void dsn_compress(const double *from, int64_t rows, int64_t columns, int64_t stride, struct dsn_compressed *out);

void dsn_multiply(const struct dsn_compressed *c, const double *x, double *y);

/* Entry c of vector v: as good as any, and never twice the same next to one another. */
double dsn_vector_entry(int64_t column, int64_t vector);

/* y = A x of a whole matrix in memory: what products are compared with. */
void dsn_matrix_multiply(const struct dsn_matrix *m, const double *x, double *y);

#endif
