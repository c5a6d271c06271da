/* product.h - compresses rows read from a file, and multiplies them with vectors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. Compressed rows are as in SPARSKIT: values, their columns, and the start of each row, with indices
 * from 1. Sums are computed from left to right, without fused operations, so that the results are the same to the bit
 * everywhere. */
#ifndef DSN_SPMV_PRODUCT_H
#define DSN_SPMV_PRODUCT_H

#include "measure/spmv/matrix.h"

struct dsn_compressed {
    int64_t rows;
    double *a;
    int32_t *ja, *ia;
};

/* Makes room for blocks of this many rows. Returns 0 if out of memory. */
int dsn_compressed_init(struct dsn_compressed *c, int64_t rows, int64_t columns);
void dsn_compressed_free(struct dsn_compressed *c);

/* Compresses rows that are `stride` doubles apart. */
void dsn_compress(const double *from, int64_t rows, int64_t columns, int64_t stride, struct dsn_compressed *out);

void dsn_multiply(const struct dsn_compressed *c, const double *x, double *y);

/* A sum over entries, of which each has its row, column and bits in it: the same whatever block an entry is in. `first` is
 * the index of the first row. */
uint64_t dsn_compressed_digest(const struct dsn_compressed *c, int64_t first);
uint64_t dsn_sparse_digest(const struct dsn_sparse *m);

/* Entry c of vector v: arbitrary values without equal neighbours. */
double dsn_vector_entry(int64_t column, int64_t vector);

/* y = A x with the matrix in memory: the reference result. */
void dsn_sparse_multiply(const struct dsn_sparse *m, const double *x, double *y);

#endif
