/* market.c - reads Matrix Market files
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * "%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric", lines that start with
 * %, numbers of rows, columns and entries, then the entries: one per line, indices starting at 1; arrays in
 * column-major order. A pattern's values are 1. */
#include <config.h>
#include "measure/spmv/matrix.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORD 64

struct scanner {
    FILE *f;
    int64_t line;
    struct dsn_error *error;
};

struct kind {
    int is_array, is_pattern, mirror, is_complex, is_known;
};

/* The next word, skipping lines that start with %. Returns 0 for a word longer than any number and at the end of the
 * file, unless no word is needed: then it is empty. */
static int next_word(struct scanner *s, int is_needed, char *out)
{
    size_t n = 0;
    int c, begins = 0;

    while ((c = getc_unlocked(s->f)) != EOF && (isspace(c) || (begins && c == '%'))) {
        while (c == '%' && (c = getc_unlocked(s->f)) != EOF && c != '\n')
            c = '%';
        s->line += c == '\n';
        begins = c == '\n';
    }
    for (; c != EOF && !isspace(c) && n < WORD - 1; c = getc_unlocked(s->f))
        out[n++] = (char)c;
    out[n] = '\0';
    if (c != EOF)
        ungetc(c, s->f); /* the newline is counted by the next word */
    if (n == 0 && is_needed)
        return dsn_spmv_fail(s->error, "ends in line %" PRId64 ", before its last entry", s->line);
    return n < WORD - 1 ||
           dsn_spmv_fail(s->error, "line %" PRId64 ": a number has %d or more characters", s->line, WORD - 1);
}

static int next_integer(struct scanner *s, int64_t least, int64_t most, int64_t *out)
{
    char word[WORD], *end;

    if (!next_word(s, 1, word))
        return 0;
    errno = 0;
    *out = strtoll(word, &end, 10);
    if (*end != '\0' || errno != 0 || *out < least || *out > most)
        return dsn_spmv_fail(s->error, "line %" PRId64 ": integer from %" PRId64 " to %" PRId64 " expected", s->line,
                             least, most);
    return 1;
}

static int next_value(struct scanner *s, const struct kind *k, double *out)
{
    char word[WORD];

    *out = 1;
    if (k->is_pattern)
        return 1;
    if (!next_word(s, 1, word))
        return 0;
    return dsn_entry_value(word, out) || dsn_spmv_fail(s->error, "line %" PRId64 ": number expected", s->line);
}

static struct kind kind_of(const char *form, const char *field, const char *symmetry)
{
    struct kind k = { .is_array = strcasecmp(form, "array") == 0,
                      .is_pattern = strcasecmp(field, "pattern") == 0,
                      .is_complex = strcasecmp(field, "complex") == 0 };

    k.mirror = strcasecmp(symmetry, "symmetric") == 0 || strcasecmp(symmetry, "hermitian") == 0 ? 1
               : strcasecmp(symmetry, "skew-symmetric") == 0                                    ? -1
                                                                                                : 0;
    k.is_known = (k.is_array || strcasecmp(form, "coordinate") == 0) && !(k.is_array && k.is_pattern) &&
                 (k.is_pattern || k.is_complex || strcasecmp(field, "real") == 0 || strcasecmp(field, "integer") == 0 ||
                  strcasecmp(field, "double") == 0) &&
                 (k.mirror != 0 || strcasecmp(symmetry, "general") == 0);
    return k;
}

static int read_kind(struct scanner *s, struct kind *out)
{
    char line[256] = "", object[16] = "", form[16] = "", field[16] = "", symmetry[20] = "";

    if (!fgets(line, sizeof line, s->f) || !strchr(line, '\n') ||
        sscanf(line, "%%%%MatrixMarket %15s %15s %15s %19s", object, form, field, symmetry) != 4 ||
        strcasecmp(object, "matrix") != 0)
        return dsn_spmv_fail(s->error, "line 1 is not '%%%%MatrixMarket matrix <form> <field> <symmetry>'");
    *out = kind_of(form, field, symmetry);
    if (!out->is_known)
        return dsn_spmv_fail(s->error, "line 1 names a form, field or symmetry that Matrix Market files do not have");
    return !out->is_complex || dsn_spmv_fail(s->error, "has complex numbers; give a matrix of real ones");
}

static int read_coordinates(struct scanner *s, const struct kind *k, struct dsn_entries *all, int64_t rows,
                            int64_t columns, int64_t entries)
{
    for (int64_t i = 0; i < entries; i++) {
        int64_t row, column;
        double value;

        if (!next_integer(s, 1, rows, &row) || !next_integer(s, 1, columns, &column) ||
            !dsn_entry_place(s->line, row, column, k->mirror, s->error) || !next_value(s, k, &value) ||
            !dsn_entries_add(all, row, column, value, k->mirror, s->error))
            return 0;
    }
    return 1;
}

/* Of symmetric matrices the lower triangle with the diagonal; of skew-symmetric ones without. */
static int read_array(struct scanner *s, const struct kind *k, struct dsn_entries *all, int64_t rows, int64_t columns)
{
    for (int64_t column = 1; column <= columns; column++)
        for (int64_t row = k->mirror == 0 ? 1 : column + (k->mirror < 0); row <= rows; row++) {
            double value;

            if (!next_value(s, k, &value) ||
                (value != 0 && !dsn_entries_add(all, row, column, value, k->mirror, s->error)))
                return 0;
        }
    return 1;
}

static int read_end(struct scanner *s)
{
    char word[WORD];

    return next_word(s, 0, word) &&
           (*word == '\0' ||
            dsn_spmv_fail(s->error, "line %" PRId64 ": '%.20s' follows the last entry; correct the number of entries",
                          s->line, word));
}

int dsn_market_read(FILE *f, struct dsn_entries *all, int64_t *rows, int64_t *columns, struct dsn_error *error)
{
    struct scanner s = { .f = f, .line = 1, .error = error };
    int64_t entries = 0;
    struct kind k = { .mirror = 0 };

    if (!read_kind(&s, &k))
        return 0;
    ungetc('\n', f); /* a comment may follow immediately */
    if (!next_integer(&s, 1, INT32_MAX - 1, rows) || !next_integer(&s, 1, INT32_MAX - 1, columns) ||
        (!k.is_array && !next_integer(&s, 0, INT64_MAX, &entries)) ||
        !dsn_sparse_bounds(all, *rows, *columns, entries, k.mirror, error))
        return 0;
    return (k.is_array ? read_array(&s, &k, all, *rows, *columns)
                       : read_coordinates(&s, &k, all, *rows, *columns, entries)) &&
           read_end(&s);
}
