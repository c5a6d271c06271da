/* scan.h - parses words and numbers of a line
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/trace. */
#ifndef DSN_TRACE_SCAN_H
#define DSN_TRACE_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The rest of a line. */
struct dsn__scan {
    const char *p, *end;
};

struct dsn__word {
    const char *p;
    size_t n;
};

static inline struct dsn__scan dsn__scan(const char *line, size_t n)
{
    return (struct dsn__scan){ line, line + n };
}

static inline int dsn__is(struct dsn__word w, const char *text)
{
    return w.n == strlen(text) && memcmp(w.p, text, w.n) == 0;
}

/* The next word after blanks, up to a blank or one of the bytes in `stops`, which is not consumed. n = 0: none. */
struct dsn__word dsn__scan_word(struct dsn__scan *s, const char *stops);

/* Consumes one byte, if it is `c`. */
int dsn__scan_byte(struct dsn__scan *s, char c);

/* A number in base 10 or 16, after blanks. Returns 0, and consumes nothing, if there is none in range. */
int dsn__scan_u64(struct dsn__scan *s, unsigned base, uint64_t *out);

/* "12.345678" in units of 10^-digits (at most 9); further digits are ignored. */
int dsn__scan_fixed(struct dsn__scan *s, unsigned digits, uint64_t *out);

/* The same for a whole word. */
int dsn__word_u64(struct dsn__word w, unsigned base, uint64_t *out);

/* A whole line of comma-separated fields, without quotes: returns their number; at most `most` are stored. */
size_t dsn__scan_commas(const char *line, size_t n, struct dsn__word *fields, size_t most);

/* Complete lines of the first bytes, for a probe. */
int dsn__scan_line(struct dsn__scan *s, struct dsn__word *line);

#endif
