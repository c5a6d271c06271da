/* boeing.c - reads Rutherford-Boeing files, and the older Harwell-Boeing format
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Four header lines (five in Harwell-Boeing format if there are right-hand sides, which are ignored), then column
 * pointers, row indices and values, in fields of the widths given by the Fortran formats in line 4. */
#include <config.h>
#include "measure/spmv/matrix.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE 1024

/* (13I6), (1P,5E15.8), (3D26.18): number of fields per line, and their width */
struct format {
    int64_t fields;
    size_t width;
};

struct reader {
    FILE *f;
    int64_t line;
    char text[LINE];
    int64_t field; /* of the line, already read */
    struct dsn_error *error;
};

static int read_line(struct reader *r)
{
    size_t n;

    r->line++;
    r->field = 0;
    if (!fgets(r->text, sizeof r->text, r->f))
        return dsn_spmv_fail(r->error, "ends in line %" PRId64 ", before its last entry", r->line);
    n = strlen(r->text);
    if (n == sizeof r->text - 1 && r->text[n - 1] != '\n')
        return dsn_spmv_fail(r->error, "line %" PRId64 " has more than %d characters", r->line, LINE - 2);
    while (n > 0 && isspace((unsigned char)r->text[n - 1]))
        r->text[--n] = '\0';
    return 1;
}

/* Characters `from` to `from + width` of the line, without surrounding blanks. */
static void cut(const struct reader *r, size_t from, size_t width, char *out, size_t room)
{
    const size_t n = strlen(r->text);
    size_t end = from + width < n ? from + width : n;

    while (from < end && isspace((unsigned char)r->text[from]))
        from++;
    while (end > from && isspace((unsigned char)r->text[end - 1]))
        end--;
    snprintf(out, room, "%.*s", from < end ? (int)(end - from) : 0, r->text + (from < n ? from : n));
}

static int take_format(struct reader *r, size_t from, size_t width, struct format *out)
{
    char text[32], letter = 0;
    const char *at = text;
    int digits = 0, consumed = 0;

    cut(r, from, width, text, sizeof text);
    if (sscanf(at, "(%*d%*1[pP]%n", &consumed) == 0 && consumed > 0)
        at += consumed - 1; /* a scale factor, which does not matter */
    at += *at != '\0';
    at += *at == ',';
    *out = (struct format){ .fields = 1 };
    if (isdigit((unsigned char)*at))
        out->fields = strtol(at, (char **)&at, 10);
    if (sscanf(at, "%c%d", &letter, &digits) != 2 || !strchr("iIeEdDfFgG", letter) || letter == '\0' || digits < 1 ||
        digits > 60 || out->fields < 1 || out->fields > LINE / digits || text[0] != '(')
        return dsn_spmv_fail(r->error, "line %" PRId64 " does not have a valid Fortran format for numbers", r->line);
    out->width = (size_t)digits;
    return 1;
}

static int next_field(struct reader *r, const struct format *f, char *out, size_t room)
{
    if (r->field >= f->fields && !read_line(r))
        return 0;
    cut(r, (size_t)r->field++ * f->width, f->width, out, room);
    return *out != '\0' || dsn_spmv_fail(r->error, "line %" PRId64 ": a number is missing", r->line);
}

static int integer(const char *text, int64_t least, int64_t most, int64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *out >= least && *out <= most;
}

static int next_integer(struct reader *r, const struct format *f, int64_t least, int64_t most, int64_t *out)
{
    char text[64];

    if (!next_field(r, f, text, sizeof text))
        return 0;
    return integer(text, least, most, out) ||
           dsn_spmv_fail(r->error, "line %" PRId64 ": integer from %" PRId64 " to %" PRId64 " expected", r->line, least,
                         most);
}

/* Fortran writes 1.5D+03, and 1.5-103 if there is no space for the E. */
static int next_value(struct reader *r, const struct format *f, double *out)
{
    char text[64], usual[72], *end;
    size_t n = 0;

    if (!next_field(r, f, text, sizeof text))
        return 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        const char c = (char)toupper((unsigned char)text[i]);
        const char before = n > 0 ? usual[n - 1] : 'E';

        if ((c == '+' || c == '-') && before != 'E' && n < sizeof usual - 2)
            usual[n++] = 'E';
        if (n < sizeof usual - 1)
            usual[n++] = c == 'D' ? 'E' : c;
    }
    usual[n] = '\0';
    *out = strtod(usual, &end);
    return *end == '\0' || dsn_spmv_fail(r->error, "line %" PRId64 ": number expected", r->line);
}

struct head {
    int64_t rows, columns, entries;
    int is_pattern, mirror;
    struct format pointers, indices, values;
};

/* "rua": real, pattern or integer; symmetry; assembled */
static int take_type(struct reader *r, struct head *h)
{
    const char field = (char)tolower((unsigned char)r->text[0]);
    const char symmetry = field ? (char)tolower((unsigned char)r->text[1]) : '\0';
    const char form = symmetry ? (char)tolower((unsigned char)r->text[2]) : '\0';

    h->is_pattern = field == 'p';
    h->mirror = symmetry == 's' || symmetry == 'h' ? 1 : symmetry == 'z' ? -1 : 0;
    if (field == 'c')
        return dsn_spmv_fail(r->error, "has complex numbers; give a matrix of real ones");
    if (form == 'e')
        return dsn_spmv_fail(r->error, "has elements that are not assembled; give an assembled matrix");
    if (form != 'a' || !strchr("rip", field) || !strchr("surzh", symmetry))
        return dsn_spmv_fail(r->error, "line 3 does not start with a type such as 'rua'; "
                                       "give a file in Matrix Market or Rutherford-Boeing form");
    return 1;
}

static int take_sizes(struct reader *r, struct head *h)
{
    char text[3][16];

    for (size_t i = 0; i < 3; i++)
        cut(r, 14 + 14 * i, 14, text[i], sizeof text[i]);
    return (integer(text[0], 1, INT32_MAX - 1, &h->rows) && integer(text[1], 1, INT32_MAX - 1, &h->columns) &&
            integer(text[2], 0, INT32_MAX - 1, &h->entries)) ||
           dsn_spmv_fail(r->error, "line 3 has no numbers of rows, columns and entries");
}

static int read_head(struct reader *r, const struct dsn_entries *all, struct head *h)
{
    char text[16];
    int64_t right_hand = 0;

    if (!read_line(r) || !read_line(r))
        return 0;
    cut(r, 56, 14, text, sizeof text);
    if (*text != '\0' && !integer(text, 0, INT64_MAX, &right_hand))
        return dsn_spmv_fail(r->error, "line 2 has no numbers of lines");
    if (!read_line(r) || !take_type(r, h) || !take_sizes(r, h) ||
        !dsn_sparse_bounds(all, h->rows, h->columns, h->entries, r->error))
        return 0;
    if (h->mirror != 0 && h->rows != h->columns)
        return dsn_spmv_fail(r->error, "is symmetric, and has %" PRId64 " rows and %" PRId64 " columns", h->rows,
                             h->columns);
    return read_line(r) && take_format(r, 0, 16, &h->pointers) && take_format(r, 16, 16, &h->indices) &&
           (h->is_pattern || take_format(r, 32, 20, &h->values)) && (right_hand == 0 || read_line(r));
}

/* Reads column pointers into `pointer`. */
static int read_pointers(struct reader *r, const struct head *h, int64_t *pointer)
{
    r->field = h->pointers.fields;
    for (int64_t i = 0; i <= h->columns; i++)
        if (!next_integer(r, &h->pointers, i == 0 ? 1 : pointer[i - 1], i < h->columns ? h->entries + 1 : INT32_MAX,
                          &pointer[i]))
            return 0;
    if (pointer[0] != 1 || pointer[h->columns] != h->entries + 1)
        return dsn_spmv_fail(r->error, "its columns have %" PRId64 " entries, and line 3 says %" PRId64,
                             pointer[h->columns] - 1, h->entries);
    return 1;
}

static int read_entries(struct reader *r, const struct head *h, const int64_t *pointer, struct dsn_entries *all)
{
    r->field = h->indices.fields;
    for (int64_t column = 0; column < h->columns; column++)
        for (int64_t i = pointer[column]; i < pointer[column + 1]; i++) {
            int64_t row;

            if (!next_integer(r, &h->indices, 1, h->rows, &row) ||
                !dsn_entries_add(all, row, column + 1, 1, 0, r->error))
                return 0;
        }
    r->field = h->values.fields;
    for (int64_t i = 0; i < h->entries && !h->is_pattern; i++)
        if (!next_value(r, &h->values, &all->entry[i].value))
            return 0;
    return 1;
}

/* Appends the other half of a symmetric matrix. */
static int mirror_entries(const struct reader *r, const struct head *h, struct dsn_entries *all)
{
    for (int64_t i = 0; i < h->entries; i++) {
        const struct dsn_entry e = all->entry[i];

        if (!isfinite(e.value))
            return dsn_spmv_fail(r->error, "the entry at %d, %d is not finite", e.row + 1, e.column + 1);
        if (h->mirror != 0 && e.row != e.column &&
            !dsn_entries_add(all, e.column + 1, e.row + 1, h->mirror * e.value, 0, r->error))
            return 0;
    }
    return 1;
}

int dsn_boeing_read(FILE *f, struct dsn_entries *all, int64_t *rows, int64_t *columns, struct dsn_error *error)
{
    struct reader r = { .f = f, .error = error };
    struct head h = { .rows = 0 };
    int64_t *pointer;
    int rc;

    if (!read_head(&r, all, &h))
        return 0;
    *rows = h.rows;
    *columns = h.columns;
    pointer = calloc((size_t)h.columns + 1, sizeof *pointer);
    rc = pointer ? read_pointers(&r, &h, pointer) && read_entries(&r, &h, pointer, all) && mirror_entries(&r, &h, all)
                 : dsn_spmv_fail(error, "out of memory");
    free(pointer);
    return rc;
}
