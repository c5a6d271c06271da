/* matrix.h - sparse matrices: read from files, generated, and written as dense rows
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util. Functions return 0 with a message in `error` on an error. */
#ifndef DSN_SPMV_MATRIX_H
#define DSN_SPMV_MATRIX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Compressed rows with ascending columns and no explicit zeros. Indices start at 0. */
struct dsn_sparse {
    int64_t rows, columns, entries;
    int64_t *start; /* of each row, and after the last */
    int32_t *column;
    double *value;
};

struct dsn_entry {
    int32_t row, column;
    double value;
};

/* Entries read so far, in any order; those at the same place are added. */
struct dsn_entries {
    struct dsn_entry *entry;
    int64_t n;
    size_t room;
    double most_bytes; /* limit of the dense matrix's size, against hostile files */
};

struct dsn_error {
    char text[256];
};

int dsn_spmv_fail(struct dsn_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether a matrix may have so many rows, columns and entries. */
int dsn_sparse_bounds(const struct dsn_entries *all, int64_t rows, int64_t columns, int64_t entries, int mirror,
                      struct dsn_error *error);

/* A real number as C or Fortran writes it: 1.5E+03, 1.5D+03, and 1.5-103, where there was no space for the letter.
 * Returns 0 if it is none. */
int dsn_entry_value(const char *text, double *out);

/* Whether a file may have an entry here: of a symmetric matrix (`mirror` 1) files have the lower triangle, of a
 * skew-symmetric one (-1) what is below the diagonal. Indices start at 1. */
int dsn_entry_place(int64_t line, int64_t row, int64_t column, int mirror, struct dsn_error *error);

/* Adds an entry, and its transpose (`mirror` 1, or -1 with the opposite sign) unless it is on the diagonal; indices
 * start at 1. */
int dsn_entries_add(struct dsn_entries *all, int64_t row, int64_t column, double value, int mirror,
                    struct dsn_error *error);

/* Reads Matrix Market or Rutherford-Boeing, recognised by the start of the file. `most_bytes`: limit of the dense
 * matrix's size. */
int dsn_sparse_read(const char *path, double most_bytes, struct dsn_sparse *out, struct dsn_error *error);
int dsn_market_read(FILE *f, struct dsn_entries *all, int64_t *rows, int64_t *columns, struct dsn_error *error);
int dsn_boeing_read(FILE *f, struct dsn_entries *all, int64_t *rows, int64_t *columns, struct dsn_error *error);

/* Generates a square matrix with `entries` at random places, the number in each row proportional to (row + 1) ^ -skew,
 * up to its columns. Deterministic. */
int dsn_sparse_generate(int64_t rows, int64_t entries, double skew, struct dsn_sparse *out, struct dsn_error *error);

int dsn_sparse_of(const struct dsn_entries *all, int64_t rows, int64_t columns, struct dsn_sparse *out,
                  struct dsn_error *error);
void dsn_sparse_free(struct dsn_sparse *m);

/* As rows of 1 + columns doubles, of which the first is the index of the row. */
#define DSN_DENSE_RECORD(columns) ((int64_t)sizeof(double) * (1 + (columns)))
int dsn_sparse_write(const struct dsn_sparse *m, int fd, struct dsn_error *error);

#endif
