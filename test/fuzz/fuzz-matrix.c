/* fuzz-matrix.c - any bytes as a matrix, Matrix Market or Rutherford-Boeing
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is accepted is in order; written as rows with all zeros, compressed and multiplied it gives the bits that it gives in
 * memory; written again as Matrix Market it is the same matrix. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "measure/spmv/product.h"

#define MOST_BYTES (1 << 18)

static void wrong(const char *what)
{
    fprintf(stderr, "ERROR: %s\n", what);
    abort();
}

static void is_in_order(const struct dsn_sparse *m)
{
    if (m->start[0] != 0 || m->start[m->rows] != m->entries)
        wrong("rows do not have all entries");
    for (int64_t r = 0; r < m->rows; r++)
        for (int64_t k = m->start[r]; k < m->start[r + 1]; k++)
            if (m->column[k] < 0 || m->column[k] >= m->columns || m->value[k] == 0 || !isfinite(m->value[k]) ||
                (k > m->start[r] && m->column[k] <= m->column[k - 1]))
                wrong("an entry that no matrix has");
}

/* The product by way of a file of rows, and the one in memory. */
static void multiply(const struct dsn_sparse *m)
{
    const int64_t stride = 1 + m->columns;
    const size_t bytes = (size_t)(m->rows * DSN_DENSE_RECORD(m->columns));
    const int fd = memfd_create("rows", MFD_CLOEXEC);
    double *rows = malloc(bytes), *x = malloc((size_t)m->columns * sizeof *x);
    double *y = calloc((size_t)m->rows, sizeof *y), *want = calloc((size_t)m->rows, sizeof *want);
    struct dsn_compressed c;
    struct dsn_error error;

    if (!dsn_compressed_init(&c, m->rows, m->columns) || !rows || !x || !y || !want)
        wrong("no memory");
    if (fd < 0 || !dsn_sparse_write(m, fd, &error) || pread(fd, rows, bytes, 0) != (ssize_t)bytes)
        wrong("rows cannot be written");
    for (int64_t i = 0; i < m->columns; i++)
        x[i] = dsn_vector_entry(i, 1);
    dsn_compress(rows + 1, m->rows, m->columns, stride, &c);
    dsn_multiply(&c, x, y);
    dsn_sparse_multiply(m, x, want);
    if (c.ia[m->rows] - 1 != m->entries || memcmp(y, want, (size_t)m->rows * sizeof *y) != 0)
        wrong("the product is another one");
    close(fd);
    dsn_compressed_free(&c);
    free(rows);
    free(x);
    free(y);
    free(want);
}

static void read_again(const struct dsn_sparse *m)
{
    struct dsn_sparse again;
    struct dsn_error error;
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);

    fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%" PRId64 " %" PRId64 " %" PRId64 "\n", m->rows,
            m->columns, m->entries);
    for (int64_t r = 0; r < m->rows; r++)
        for (int64_t k = m->start[r]; k < m->start[r + 1]; k++)
            fprintf(f, "%" PRId64 " %d %.17g\n", r + 1, m->column[k] + 1, m->value[k]);
    if (fclose(f) != 0 || !dsn_sparse_read(fuzz_file((const uint8_t *)text, n), MOST_BYTES, &again, &error))
        wrong("it is refused when it is written again");
    if (again.rows != m->rows || again.columns != m->columns || again.entries != m->entries ||
        memcmp(again.start, m->start, ((size_t)m->rows + 1) * sizeof *m->start) != 0 ||
        memcmp(again.column, m->column, (size_t)m->entries * sizeof *m->column) != 0 ||
        memcmp(again.value, m->value, (size_t)m->entries * sizeof *m->value) != 0)
        wrong("it is another one when it is written again");
    dsn_sparse_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct dsn_sparse m;
    struct dsn_error error = { .text = "" };

    if (!dsn_sparse_read(fuzz_file(bytes, n), MOST_BYTES, &m, &error)) {
        if (error.text[0] == '\0' || m.start)
            wrong("refused without a reason, or not released");
        return 0;
    }
    is_in_order(&m);
    multiply(&m);
    read_again(&m);
    dsn_sparse_free(&m);
    return 0;
}
