/* product.c - compresses rows read from a file, and multiplies them with vectors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "measure/spmv/product.h"

#include <stdlib.h>
#include <string.h>

int dsn_compressed_init(struct dsn_compressed *c, int64_t rows, int64_t columns)
{
    const size_t places = (size_t)(rows * columns);

    c->rows = 0;
    c->a = malloc(places * sizeof *c->a);
    c->ja = malloc(places * sizeof *c->ja);
    c->ia = malloc(((size_t)rows + 1) * sizeof *c->ia);
    return c->a && c->ja && c->ia;
}

void dsn_compressed_free(struct dsn_compressed *c)
{
    free(c->a);
    free(c->ja);
    free(c->ia);
}

void dsn_compress(const double *from, int64_t rows, int64_t columns, int64_t stride, struct dsn_compressed *out)
{
    int32_t n = 0;

    for (int64_t r = 0; r < rows; r++) {
        const double *row = from + r * stride;

        out->ia[r] = n + 1;
        for (int64_t c = 0; c < columns; c++)
            if (row[c] != 0) {
                out->a[n] = row[c];
                out->ja[n++] = (int32_t)c + 1;
            }
    }
    out->ia[rows] = n + 1;
    out->rows = rows;
}

void dsn_multiply(const struct dsn_compressed *c, const double *x, double *y)
{
    for (int64_t r = 0; r < c->rows; r++) {
        double sum = 0;

        for (int32_t k = c->ia[r] - 1; k < c->ia[r + 1] - 1; k++)
            sum += c->a[k] * x[c->ja[k] - 1];
        y[r] = sum;
    }
}

static uint64_t digest(int64_t row, int64_t column, double value)
{
    uint64_t z;

    memcpy(&z, &value, sizeof z);
    z += (uint64_t)row * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)column * UINT64_C(0xC2B2AE3D27D4EB4F);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint64_t dsn_compressed_digest(const struct dsn_compressed *c, int64_t first)
{
    uint64_t sum = 0;

    for (int64_t r = 0; r < c->rows; r++)
        for (int32_t k = c->ia[r] - 1; k < c->ia[r + 1] - 1; k++)
            sum += digest(first + r, c->ja[k] - 1, c->a[k]);
    return sum;
}

uint64_t dsn_sparse_digest(const struct dsn_sparse *m)
{
    uint64_t sum = 0;

    for (int64_t r = 0; r < m->rows; r++)
        for (int64_t k = m->start[r]; k < m->start[r + 1]; k++)
            sum += digest(r, m->column[k], m->value[k]);
    return sum;
}

double dsn_vector_entry(int64_t column, int64_t vector)
{
    return (double)((column * 7 + vector * 13) % 101 + 1) / 101;
}

void dsn_sparse_multiply(const struct dsn_sparse *m, const double *x, double *y)
{
    for (int64_t r = 0; r < m->rows; r++) {
        y[r] = 0;
        for (int64_t k = m->start[r]; k < m->start[r + 1]; k++)
            y[r] += m->value[k] * x[m->column[k]];
    }
}
