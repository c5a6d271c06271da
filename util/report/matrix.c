/* matrix.c - amounts over time in rows and bins, and their compact encoding
 * SPDX-License-Identifier: BSD-3-Clause */
#include "util/report/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CODES_PER_OCTAVE 1024
#define LEAST_OCTAVE     (-14) /* that of code 1 */
#define LARGEST_CODE     65535

int dsn_matrix_init(struct dsn_matrix *m, size_t rows, size_t bins)
{
    m->rows = rows;
    m->bins = bins;
    m->cell = calloc(rows * bins + 1, sizeof *m->cell);
    return m->cell != NULL;
}

void dsn_matrix_free(struct dsn_matrix *m)
{
    free(m->cell);
    m->cell = NULL;
    m->rows = m->bins = 0;
}

double dsn_matrix_sum(const struct dsn_matrix *m)
{
    double sum = 0;

    for (size_t i = 0; i < m->rows * m->bins; i++)
        sum += m->cell[i];
    return sum;
}

size_t dsn_matrix_filled(const struct dsn_matrix *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->rows * m->bins; i++)
        n += m->cell[i] > 0;
    return n;
}

void dsn_matrix_halve_bins(struct dsn_matrix *m)
{
    const size_t bins = (m->bins + 1) / 2;

    for (size_t row = 0; row < m->rows; row++)
        for (size_t bin = 0; bin < bins; bin++) {
            const double *from = m->cell + row * m->bins + 2 * bin;

            m->cell[row * bins + bin] = from[0] + (2 * bin + 1 < m->bins ? from[1] : 0);
        }
    m->bins = bins;
}

void dsn_matrix_halve_rows(struct dsn_matrix *m)
{
    const size_t rows = (m->rows + 1) / 2;

    for (size_t row = 0; row < rows; row++)
        for (size_t bin = 0; bin < m->bins; bin++) {
            const double *from = m->cell + 2 * row * m->bins + bin;

            m->cell[row * m->bins + bin] = from[0] + (2 * row + 1 < m->rows ? from[m->bins] : 0);
        }
    m->rows = rows;
}

/* ------------------------------------------------------------------ in a page */

struct base64 {
    struct dsn_text *out;
    unsigned char held[3];
    unsigned n;
};

static void put_held(struct base64 *b)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned v = (unsigned)b->held[0] << 16 | (unsigned)b->held[1] << 8 | b->held[2];
    char text[4] = { digit[v >> 18], digit[v >> 12 & 63], '=', '=' };

    if (b->n > 1)
        text[2] = digit[v >> 6 & 63];
    if (b->n > 2)
        text[3] = digit[v & 63];
    dsn_text_bytes(b->out, text, sizeof text);
    memset(b->held, 0, sizeof b->held);
    b->n = 0;
}

static void put_code(struct base64 *b, unsigned code)
{
    for (int shift = 0; shift < 16; shift += 8) {
        b->held[b->n++] = (unsigned char)(code >> shift & 255);
        if (b->n == sizeof b->held)
            put_held(b);
    }
}

void dsn_base64_write(struct dsn_text *out, const unsigned char *bytes, size_t n)
{
    struct base64 b = { out, { 0 }, 0 };

    dsn_text_string(out, "\"");
    for (size_t i = 0; i < n; i++) {
        b.held[b.n++] = bytes[i];
        if (b.n == sizeof b.held)
            put_held(&b);
    }
    if (b.n > 0)
        put_held(&b);
    dsn_text_string(out, "\"");
}

static unsigned code_of(double v)
{
    const double code = 1 + floor((log2(v) - LEAST_OCTAVE) * CODES_PER_OCTAVE + 0.5);

    return code < 1 ? 1 : code < LARGEST_CODE ? (unsigned)code : LARGEST_CODE;
}

void dsn_matrix_write(struct dsn_text *out, const struct dsn_matrix *m)
{
    const size_t n = m->rows * m->bins;
    struct base64 b = { out, { 0 }, 0 };
    size_t last = n; /* one past the last cell that is not 0 */

    while (last > 0 && !(m->cell[last - 1] > 0))
        last--;
    dsn_text_string(out, "\"");
    for (size_t i = 0; i < last;) {
        size_t run = 0;

        while (run < LARGEST_CODE && !(m->cell[i + run] > 0))
            run++;
        if (run > 0) {
            put_code(&b, 0);
            put_code(&b, (unsigned)run);
        } else {
            put_code(&b, code_of(m->cell[i]));
            run = 1;
        }
        i += run;
    }
    if (b.n > 0)
        put_held(&b);
    dsn_text_string(out, "\"");
}

/* ------------------------------------------------------------------ spans of time */

int dsn_spans_init(struct dsn_spans *s, size_t rows, size_t bins, double start, double width)
{
    memset(s, 0, sizeof *s);
    s->start = start;
    s->width = width;
    if (!dsn_matrix_init(&s->sums, rows, bins))
        return 0;
    s->rates = calloc(rows * bins + 1, sizeof *s->rates);
    s->spans = calloc(rows * bins + 1, sizeof *s->spans);
    if (s->rates && s->spans)
        return 1;
    dsn_spans_free(s);
    return 0;
}

void dsn_spans_free(struct dsn_spans *s)
{
    free(s->rates);
    free(s->spans);
    s->rates = NULL;
    s->spans = NULL;
    dsn_matrix_free(&s->sums);
}

/* Position in bins, from 0 to their number; NaN becomes 0. */
static double place(const struct dsn_spans *s, double t)
{
    const double at = (t - s->start) / s->width, most = (double)s->sums.bins;

    return at > 0 ? (at < most ? at : most) : 0;
}

void dsn_spans_add(struct dsn_spans *s, size_t row, double start, double end, double amount)
{
    const double from = place(s, start), to = end > start ? place(s, end) : from;
    const size_t base = row * s->sums.bins, bins = s->sums.bins;
    const size_t first = from < (double)bins ? (size_t)from : bins - 1;
    const size_t last = to < (double)bins ? (size_t)to : bins - 1;

    if (first == last || to - from < 1e-9) {
        s->sums.cell[base + first] += amount;
        return;
    }
    const double rate = amount / (to - from), head = rate * ((double)first + 1 - from);

    s->sums.cell[base + first] += head;
    s->sums.cell[base + last] += rate * (to - (double)last);
    if (last == first + 1)
        return;
    s->rates[base + first + 1] += rate;
    s->rates[base + last] -= rate;
    s->spans[base + first + 1]++;
    s->spans[base + last]--;
}

void dsn_spans_take(struct dsn_spans *s, struct dsn_matrix *out)
{
    for (size_t row = 0; row < s->sums.rows; row++) {
        double rate = 0;
        int32_t spans = 0;

        for (size_t i = row * s->sums.bins; i < (row + 1) * s->sums.bins; i++) {
            rate += s->rates[i];
            spans += s->spans[i];
            if (spans == 0)
                rate = 0;
            s->sums.cell[i] += rate > 0 ? rate : 0;
        }
    }
    *out = s->sums;
    s->sums.cell = NULL;
    dsn_spans_free(s);
}
