/* matrix.c - builds matrices from entries, generates them, and writes them as dense rows
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "util/lib/grow.h"
#include "measure/spmv/matrix.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int dsn_spmv_fail(struct dsn_error *e, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    return 0;
}

/* ------------------------------------------------------------------ entries */

int dsn_sparse_bounds(const struct dsn_entries *all, int64_t rows, int64_t columns, int64_t entries, int mirror,
                      struct dsn_error *error)
{
    const double bytes = sizeof(double) * (double)rows * (1 + (double)columns);
    const double places = mirror == 0 ? (double)rows * (double)columns : (double)rows * (double)(rows + mirror) / 2;

    if (rows < 1 || columns < 1 || entries < 0 || rows >= INT32_MAX || columns >= INT32_MAX)
        return dsn_spmv_fail(error, "a matrix of %lld x %lld with %lld entries cannot be multiplied", (long long)rows,
                             (long long)columns, (long long)entries);
    if (bytes > all->most_bytes)
        return dsn_spmv_fail(error, "all %lld x %lld places would take %.1f GiB; give a larger --limit than %.1f GiB",
                             (long long)rows, (long long)columns, bytes / 0x1p30, all->most_bytes / 0x1p30);
    if (mirror != 0 && rows != columns)
        return dsn_spmv_fail(error, "is symmetric, and has %lld rows and %lld columns", (long long)rows,
                             (long long)columns);
    if ((double)entries > places)
        return dsn_spmv_fail(error, "says that it has %lld entries, more than places", (long long)entries);
    return 1;
}

int dsn_entry_value(const char *text, double *out)
{
    char usual[72], *end;
    size_t n = 0;
    int has_point = 0, has_letter = 0;

    for (; *text != '\0' && n < sizeof usual - 2; text++) {
        const char c = (char)toupper((unsigned char)*text);

        if (c == 'X') /* strtod() would take hexadecimal numbers */
            return 0;
        if ((c == '+' || c == '-') && has_point && !has_letter) {
            usual[n++] = 'E';
            has_letter = 1;
        }
        has_point |= c == '.';
        has_letter |= c == 'E' || c == 'D';
        usual[n++] = c == 'D' ? 'E' : c;
    }
    usual[n] = '\0';
    *out = strtod(usual, &end);
    return end != usual && *end == '\0' && *text == '\0';
}

int dsn_entry_place(int64_t line, int64_t row, int64_t column, int mirror, struct dsn_error *error)
{
    if (mirror == 0 || column < row || (mirror > 0 && column == row))
        return 1;
    return dsn_spmv_fail(error,
                         "line %lld: the entry at %lld, %lld is %s the diagonal, where a file of a %ssymmetric matrix "
                         "has none; leave it out, or make the matrix a general one",
                         (long long)line, (long long)row, (long long)column, column == row ? "on" : "above",
                         mirror > 0 ? "" : "skew-");
}

static int append(struct dsn_entries *all, int64_t row, int64_t column, double value)
{
    if (!dsn_grow(&all->entry, &all->room, sizeof *all->entry, (size_t)all->n))
        return 0;
    all->entry[all->n++] = (struct dsn_entry){ .row = (int32_t)row, .column = (int32_t)column, .value = value };
    return 1;
}

int dsn_entries_add(struct dsn_entries *all, int64_t row, int64_t column, double value, int mirror,
                    struct dsn_error *error)
{
    if (!isfinite(value))
        return dsn_spmv_fail(error, "the entry at %lld, %lld is not finite", (long long)row, (long long)column);
    if (!append(all, row - 1, column - 1, value) ||
        (mirror != 0 && row != column && !append(all, column - 1, row - 1, mirror * value)))
        return dsn_spmv_fail(error, "out of memory");
    return 1;
}

static int by_column(const void *a, const void *b)
{
    const struct dsn_entry *x = a, *y = b;

    return (x->column > y->column) - (x->column < y->column);
}

static int allocate(struct dsn_sparse *m, int64_t rows, int64_t columns, int64_t entries, struct dsn_error *error)
{
    *m = (struct dsn_sparse){ .rows = rows, .columns = columns };
    m->start = calloc((size_t)rows + 2, sizeof *m->start);
    m->column = calloc((size_t)entries + 1, sizeof *m->column);
    m->value = calloc((size_t)entries + 1, sizeof *m->value);
    if (m->start && m->column && m->value)
        return 1;
    dsn_sparse_free(m);
    return dsn_spmv_fail(error, "out of memory");
}

/* Sorts a row's entries by column; those at the same place are added in file order. */
static void take_row(struct dsn_sparse *m, const struct dsn_entry *e, int64_t n)
{
    for (int64_t i = 0; i < n;) {
        const int32_t column = e[i].column;
        double sum = e[i++].value;

        while (i < n && e[i].column == column)
            sum += e[i++].value;
        if (sum == 0)
            continue;
        m->column[m->entries] = column;
        m->value[m->entries++] = sum;
    }
}

int dsn_sparse_of(const struct dsn_entries *all, int64_t rows, int64_t columns, struct dsn_sparse *out,
                  struct dsn_error *error)
{
    struct dsn_entry *sorted = malloc(((size_t)all->n + 1) * sizeof *sorted);
    int64_t *at;

    if (!sorted || !allocate(out, rows, columns, all->n, error)) {
        free(sorted);
        return dsn_spmv_fail(error, "out of memory");
    }
    at = out->start + 1; /* at[r]: where the next entry of row r goes */
    for (int64_t i = 0; i < all->n; i++)
        at[all->entry[i].row + 1]++;
    for (int64_t r = 0; r < rows; r++)
        at[r + 1] += at[r];
    for (int64_t i = 0; i < all->n; i++)
        sorted[at[all->entry[i].row]++] = all->entry[i];
    for (int64_t r = 0; r < rows; r++) {
        const int64_t first = r == 0 ? 0 : at[r - 1], n = at[r] - first;

        qsort(sorted + first, (size_t)n, sizeof *sorted, by_column); /* a stable merge sort in glibc */
    }
    for (int64_t r = 0, first = 0; r < rows; r++) {
        const int64_t behind = at[r];

        out->start[r] = out->entries;
        take_row(out, sorted + first, behind - first);
        first = behind;
    }
    out->start[rows] = out->entries;
    free(sorted);
    return 1;
}

void dsn_sparse_free(struct dsn_sparse *m)
{
    free(m->start);
    free(m->column);
    free(m->value);
    *m = (struct dsn_sparse){ .rows = 0 };
}

int dsn_sparse_read(const char *path, double most_bytes, struct dsn_sparse *out, struct dsn_error *error)
{
    struct dsn_entries all = { .most_bytes = most_bytes };
    int64_t rows = 0, columns = 0;
    FILE *f = fopen(path, "re");
    char begin[2] = "";
    int rc;

    *out = (struct dsn_sparse){ .rows = 0 };
    if (!f)
        return dsn_spmv_fail(error, "%s", strerror(errno));
    if (fread(begin, 1, sizeof begin, f) != sizeof begin || fseek(f, 0, SEEK_SET) != 0) {
        fclose(f);
        return dsn_spmv_fail(error,
                             "cannot be read, or is empty; give a file in Matrix Market or Rutherford-Boeing form");
    }
    rc =
        (memcmp(begin, "%%", sizeof begin) == 0 ? dsn_market_read : dsn_boeing_read)(f, &all, &rows, &columns, error) &&
        dsn_sparse_of(&all, rows, columns, out, error);
    free(all.entry);
    fclose(f);
    return rc;
}

/* ------------------------------------------------------------------ generation */

/* splitmix64: the same numbers on every machine */
static double uniform(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double share(int64_t row, double skew, double scale, int64_t most)
{
    const double v = scale * pow((double)(row + 1), -skew);

    return v < (double)most ? v : (double)most;
}

/* The factor with which the rows have that many entries in total, none more than its columns. */
static double scale_of(int64_t rows, int64_t entries, double skew)
{
    double low = 0, high = (double)rows * pow((double)rows, skew);

    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        double sum = 0;

        for (int64_t r = 0; r < rows; r++)
            sum += share(r, skew, middle, rows);
        if (sum < (double)entries)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Sets start[row + 1] to the number of entries of each row. */
static void count_rows(struct dsn_sparse *m, int64_t entries, double skew)
{
    const double scale = scale_of(m->rows, entries, skew);
    double sum = 0;
    int64_t given = 0;

    for (int64_t r = 0; r < m->rows; r++) {
        int64_t n;

        sum += share(r, skew, scale, m->columns);
        n = (int64_t)floor(sum + 0.5) - given;
        n = n > m->columns ? m->columns : n < 0 ? 0 : n;
        n = n > entries - given ? entries - given : n;
        m->start[r + 1] = n;
        given += n;
    }
    for (int64_t r = 0; given < entries; r = (r + 1) % m->rows)
        if (m->start[r + 1] < m->columns) {
            m->start[r + 1]++;
            given++;
        }
}

int dsn_sparse_generate(int64_t rows, int64_t entries, double skew, struct dsn_sparse *out, struct dsn_error *error)
{
    uint64_t state = 1;

    if (!allocate(out, rows, rows, entries, error))
        return 0;
    count_rows(out, entries, skew);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t n = out->start[r + 1];

        out->start[r + 1] = out->start[r] + n;
        for (int64_t k = 0; k < n; k++) { /* one in each n-th part of the row */
            const int64_t from = k * rows / n, to = (k + 1) * rows / n;
            const int64_t at = out->start[r] + k;

            out->column[at] = (int32_t)(from + (int64_t)(uniform(&state) * (double)(to - from)));
            out->value[at] = uniform(&state) + 0x1p-54; /* never 0 */
        }
    }
    out->entries = entries;
    return 1;
}

/* ------------------------------------------------------------------ the file of rows */

static int write_all(int fd, const char *from, size_t n)
{
    while (n > 0) {
        const ssize_t k = write(fd, from, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return 0;
        from += k;
        n -= (size_t)k;
    }
    return 1;
}

int dsn_sparse_write(const struct dsn_sparse *m, int fd, struct dsn_error *error)
{
    const size_t record = (size_t)DSN_DENSE_RECORD(m->columns), most = record < 1 << 20 ? (1 << 20) / record : 1;
    double *rows = malloc(most * record);
    int rc = rows != NULL;

    if (!rows)
        return dsn_spmv_fail(error, "out of memory");
    for (int64_t r = 0; rc && r < m->rows; r += (int64_t)most) {
        const int64_t n = m->rows - r < (int64_t)most ? m->rows - r : (int64_t)most;

        memset(rows, 0, (size_t)n * record);
        for (int64_t i = 0; i < n; i++) {
            double *row = rows + i * (1 + m->columns);

            row[0] = (double)(r + i);
            for (int64_t k = m->start[r + i]; k < m->start[r + i + 1]; k++)
                row[1 + m->column[k]] = m->value[k];
        }
        if (!(rc = write_all(fd, (const char *)rows, (size_t)n * record)))
            dsn_spmv_fail(error, "its rows cannot be written: %s", strerror(errno));
    }
    free(rows);
    return rc;
}
