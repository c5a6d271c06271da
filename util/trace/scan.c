/* scan.c - parses words and numbers
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "scan.h"

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void pass_blanks(struct dsn__scan *s)
{
    while (s->p < s->end && is_blank(*s->p))
        s->p++;
}

struct dsn__word dsn__scan_word(struct dsn__scan *s, const char *stops)
{
    struct dsn__word w;

    pass_blanks(s);
    w.p = s->p;
    while (s->p < s->end && !is_blank(*s->p) && (*s->p == '\0' || !strchr(stops, *s->p)))
        s->p++;
    w.n = (size_t)(s->p - w.p);
    return w;
}

int dsn__scan_byte(struct dsn__scan *s, char c)
{
    if (s->p == s->end || *s->p != c)
        return 0;
    s->p++;
    return 1;
}

/* 16 or more: not a digit. */
static unsigned digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

int dsn__scan_u64(struct dsn__scan *s, unsigned base, uint64_t *out)
{
    const char *p = s->p;
    const char *begin;
    uint64_t v = 0;
    unsigned d;

    while (p < s->end && is_blank(*p))
        p++;
    for (begin = p; p < s->end && (d = digit(*p)) < base; p++)
        if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
            return 0;
    if (p == begin)
        return 0;
    s->p = p;
    *out = v;
    return 1;
}

int dsn__scan_fixed(struct dsn__scan *s, unsigned digits, uint64_t *out)
{
    struct dsn__scan t = *s;
    uint64_t v;

    if (!dsn__scan_u64(&t, 10, &v))
        return 0;
    if (t.p < t.end && *t.p == '.')
        t.p++;
    else
        t.end = t.p; /* no fraction */
    for (; digits > 0; digits--) {
        const unsigned d = t.p < t.end && digit(*t.p) < 10 ? digit(*t.p++) : 0;

        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, d, &v))
            return 0;
    }
    while (t.p < t.end && digit(*t.p) < 10)
        t.p++;
    s->p = t.p;
    *out = v;
    return 1;
}

int dsn__word_u64(struct dsn__word w, unsigned base, uint64_t *out)
{
    struct dsn__scan s = dsn__scan(w.p, w.n);

    return dsn__scan_u64(&s, base, out) && s.p == s.end;
}

size_t dsn__scan_commas(const char *line, size_t n, struct dsn__word *fields, size_t most)
{
    const char *const end = line + n;
    size_t count = 0;

    for (;;) {
        const char *comma = memchr(line, ',', (size_t)(end - line));
        const char *const to = comma ? comma : end;

        if (count < most)
            fields[count] = (struct dsn__word){ line, (size_t)(to - line) };
        count++;
        if (!comma)
            return count;
        line = comma + 1;
    }
}

int dsn__scan_line(struct dsn__scan *s, struct dsn__word *line)
{
    const char *lf;

    if (s->p == s->end)
        return 0;
    lf = memchr(s->p, '\n', (size_t)(s->end - s->p));
    *line = (struct dsn__word){ s->p, (size_t)((lf ? lf : s->end) - s->p) };
    s->p = lf ? lf + 1 : s->end;
    if (line->n > 0 && line->p[line->n - 1] == '\r')
        line->n--;
    return 1;
}
