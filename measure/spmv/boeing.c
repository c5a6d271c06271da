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

/* The format from the next parenthesis on, which begins anywhere: files are written with other widths than the A16 and
 * A20 of the definition. (13I6), (1P,5E15.8), (1P5E15.8E3), (4(1X,D19.12)); a scale factor does not change numbers that
 * have an exponent. */
static int take_format(struct reader *r, const char **at, struct format *out)
{
    int64_t number = 1, groups = 1;
    int blanks = 0, depth = 0;
    const char *p = strchr(*at, '(');

    *out = (struct format){ .fields = 0 };
    for (; p && *p != '\0' && out->fields == 0; p++) {
        const char c = (char)toupper((unsigned char)*p);

        if (c == '(') {
            groups *= number;
            depth++;
        } else if (isdigit((unsigned char)c)) {
            number = strtol(p, (char **)&p, 10);
            p--;
            if (number < 1 || number > LINE)
                break;
            continue;
        } else if (c == 'X') {
            blanks += (int)number;
        } else if (strchr("IEDFG", c)) {
            *out = (struct format){ .fields = groups * number, .width = (size_t)strtol(p + 1, (char **)&p, 10) };
            if (blanks > 0 && number > 1) /* they precede the first only */
                out->width = 0;
            out->width += out->width > 0 ? (size_t)blanks : 0;
            break;
        } else if (!strchr("P, ", c)) {
            break;
        }
        number = 1;
    }
    for (; p && *p != '\0' && depth > 0; p++)
        depth -= *p == ')';
    if (!p || depth > 0 || out->width < 1 || out->width > 60 || out->fields < 1 ||
        out->fields > LINE / (int64_t)out->width)
        return dsn_spmv_fail(r->error, "line %" PRId64 " does not have a valid Fortran format for numbers", r->line);
    *at = p;
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

static int next_value(struct reader *r, const struct format *f, double *out)
{
    char text[64];

    return next_field(r, f, text, sizeof text) &&
           (dsn_entry_value(text, out) || dsn_spmv_fail(r->error, "line %" PRId64 ": number expected", r->line));
}

struct head {
    int64_t rows, columns, entries;
    int is_pattern, mirror, has_right_hand;
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

static int is_blank(const char *text)
{
    return text[strspn(text, " \t")] == '\0';
}

/* Integers separated by blanks, from `at` on: as many as there are, up to n. They have 14 columns each by definition,
 * which are other ones in many files. Returns their number, or -1 for something else. */
static int take_integers(const char *at, int n, int64_t *out)
{
    char *end;

    for (int i = 0; i < n; i++, at = end) {
        errno = 0;
        out[i] = strtoll(at, &end, 10);
        if (end == at)
            return is_blank(at) ? i : -1;
        if (errno != 0 || (*end != '\0' && !isspace((unsigned char)*end)))
            return -1;
    }
    return n;
}

static int take_sizes(struct reader *r, const struct dsn_entries *all, struct head *h)
{
    int64_t n[3];

    if (take_integers(r->text + 3, 3, n) != 3 || n[0] < 1 || n[1] < 1 || n[2] < 0 || n[2] >= INT32_MAX)
        return dsn_spmv_fail(r->error, "line 3 has no numbers of rows, columns and entries");
    h->rows = n[0];
    h->columns = n[1];
    h->entries = n[2];
    return dsn_sparse_bounds(all, h->rows, h->columns, h->entries, h->mirror, r->error);
}

static int read_head(struct reader *r, const struct dsn_entries *all, struct head *h)
{
    int64_t lines[5] = { 0 };
    const char *at = r->text;
    int has_lines;

    if (!read_line(r) || !read_line(r))
        return 0;
    has_lines = take_integers(r->text, 5, lines) >= 0 && lines[4] >= 0;
    h->has_right_hand = lines[4] > 0;
    if (!read_line(r) || !take_type(r, h)) /* which tells what the file is */
        return 0;
    if (!has_lines)
        return dsn_spmv_fail(r->error, "line 2 has no numbers of lines");
    return take_sizes(r, all, h) && read_line(r) && take_format(r, &at, &h->pointers) &&
           take_format(r, &at, &h->indices) && (h->is_pattern || take_format(r, &at, &h->values)) &&
           (!h->has_right_hand || read_line(r));
}

/* Only right-hand sides may follow. */
static int read_end(struct reader *r, const struct head *h)
{
    const struct format *last = h->is_pattern ? &h->indices : &h->values;
    const size_t length = strlen(r->text), behind = (size_t)r->field * last->width;

    if (h->has_right_hand)
        return 1;
    for (const char *rest = r->text + (h->entries > 0 && behind < length ? behind : length);; rest = r->text) {
        if (!is_blank(rest))
            return dsn_spmv_fail(r->error, "line %" PRId64 ": there is more than the %" PRId64 " entries of line 3",
                                 r->line, h->entries);
        if (feof(r->f) || ungetc(getc(r->f), r->f) == EOF)
            return 1;
        if (!read_line(r))
            return 0;
    }
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
                !dsn_entry_place(r->line, row, column + 1, h->mirror, r->error) ||
                !dsn_entries_add(all, row, column + 1, 1, 0, r->error))
                return 0;
        }
    if (h->is_pattern)
        return 1;
    r->field = h->values.fields;
    for (int64_t i = 0; i < h->entries; i++)
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
    rc = pointer ? read_pointers(&r, &h, pointer) && read_entries(&r, &h, pointer, all) && read_end(&r, &h) &&
                       mirror_entries(&r, &h, all)
                 : dsn_spmv_fail(error, "out of memory");
    free(pointer);
    return rc;
}
