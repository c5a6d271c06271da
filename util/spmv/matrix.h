/* matrix.h - sparse matrices: out of files, made, and as rows of a file in which nothing is left out
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. Functions return 0 with a sentence in `error` if something is wrong. */
#ifndef DSN_SPMV_MATRIX_H
#define DSN_SPMV_MATRIX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Rows one after the other, columns ascending, no zero among the values. Counts from 0. */
struct dsn_matrix {
    int64_t rows, columns, entries;
    int64_t *start; /* of each row, and behind the last */
    int32_t *column;
    double *value;
};

struct dsn_entry {
    int32_t row, column;
    double value;
};

/* What has been read so far, in any order; equal places are added. */
struct dsn_entries {
    struct dsn_entry *entry;
    int64_t n, room;
    double most_bytes; /* that all places of the matrix may have together: what hostile files are stopped by */
};

struct dsn_error {
    char text[256];
};

int dsn_spmv_fail(struct dsn_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Can a matrix have so many rows, columns and entries? */
int dsn_matrix_bounds(const struct dsn_entries *all, int64_t rows, int64_t columns, int64_t entries,
                      struct dsn_error *error);

/* Adds one, its mirror image (`mirror` 1, or -1 with the other sign) unless it is on the diagonal, counted from 1. */
int dsn_entries_add(struct dsn_entries *all, int64_t row, int64_t column, double value, int mirror,
                    struct dsn_error *error);

/* Matrix Market or Rutherford-Boeing, by how the file begins. All places together may have so many bytes. */
int dsn_matrix_read(const char *path, double most_bytes, struct dsn_matrix *out, struct dsn_error *error);
int dsn_market_read(FILE *f, struct dsn_entries *all, int64_t *rows, int64_t *columns, struct dsn_error *error);
int dsn_boeing_read(FILE *f, struct dsn_entries *all, int64_t *rows, int64_t *columns, struct dsn_error *error);

/* A square one with `entries` places at random, a row's number of them proportional to (row + 1) ^ -skew, as far as it has
 * columns. The same one for the same arguments. */
int dsn_matrix_generate(int64_t rows, int64_t entries, double skew, struct dsn_matrix *out, struct dsn_error *error);

int dsn_matrix_of(const struct dsn_entries *all, int64_t rows, int64_t columns, struct dsn_matrix *out,
                  struct dsn_error *error);
void dsn_matrix_free(struct dsn_matrix *m);

/* As rows of 1 + columns doubles, of which the first is the number of the row. */
#define DSN_DENSE_RECORD(columns) ((int64_t)sizeof(double) * (1 + (columns)))
int dsn_matrix_write(const struct dsn_matrix *m, int fd, struct dsn_error *error);

#endif
