/* text.c - formatting text and parsing numbers without stdio
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

struct text {
    char *out;
    size_t size, length; /* length: of the whole text, which may exceed `size` */
};

/* A conversion specification: "%0<width>.<most><longs><what>". */
struct conversion {
    size_t width, most;
    unsigned longs;
    char what;
};

static void append(struct text *t, const char *from, size_t n)
{
    const size_t room = t->length < t->size ? t->size - t->length : 0;

    memcpy(t->out + (room > 0 ? t->length : 0), from, n < room ? n : room);
    t->length += n;
}

static void add_number(struct text *t, uint64_t n, unsigned base, size_t width, int is_negative)
{
    char number[64];
    size_t at = sizeof number;

    do
        number[--at] = digits[n % base];
    while ((n /= base) > 0);
    while (sizeof number - at + (is_negative != 0) < width && at > 1)
        number[--at] = '0';
    if (is_negative)
        number[--at] = '-';
    append(t, number + at, sizeof number - at);
}

static size_t digits_of(const char **at)
{
    size_t n = 0;

    for (; **at >= '0' && **at <= '9'; ++*at)
        n = 10 * n + (size_t)(**at - '0');
    return n;
}

/* `at` points behind the percent sign. Returns the end of the conversion specification. */
static const char *conversion(const char *at, struct conversion *c, va_list *args)
{
    int most;

    *c = (struct conversion){ .width = digits_of(&at), .most = SIZE_MAX };
    if (at[0] == '.' && at[1] == '*') {
        most = va_arg(*args, int);
        c->most = most < 0 ? SIZE_MAX : (size_t)most;
        at += 2;
    } else if (at[0] == '.') {
        at++;
        c->most = digits_of(&at);
    }
    for (; *at == 'l'; at++)
        c->longs++;
    c->what = *at;
    return *at ? at + 1 : at;
}

static int64_t signed_argument(const struct conversion *c, va_list *args)
{
    return c->longs > 1 ? va_arg(*args, long long) : c->longs > 0 ? va_arg(*args, long) : va_arg(*args, int);
}

static uint64_t unsigned_argument(const struct conversion *c, va_list *args)
{
    return c->longs > 1   ? va_arg(*args, unsigned long long)
           : c->longs > 0 ? va_arg(*args, unsigned long)
                          : va_arg(*args, unsigned);
}

/* Returns false for an unknown conversion. */
static bool convert(struct text *t, const struct conversion *c, va_list *args)
{
    const char *s;
    int64_t n;

    switch (c->what) {
    case 's':
        s = va_arg(*args, const char *);
        append(t, s, c->most == SIZE_MAX ? strlen(s) : strnlen(s, c->most));
        return true;
    case 'd':
        n = signed_argument(c, args);
        add_number(t, n < 0 ? 0 - (uint64_t)n : (uint64_t)n, 10, c->width, n < 0);
        return true;
    case 'u':
    case 'x':
        add_number(t, unsigned_argument(c, args), c->what == 'u' ? 10 : 16, c->width, 0);
        return true;
    default:
        return false;
    }
}

int dsn__format(char *out, size_t size, const char *format, ...)
{
    struct text t = { .out = out, .size = size > 0 ? size - 1 : 0 };
    struct conversion c;
    va_list args;

    va_start(args, format);
    for (const char *at = format; *at;) {
        const char *end = at + strcspn(at, "%");

        append(&t, at, (size_t)(end - at));
        at = end;
        if (!*at)
            break;
        at = conversion(at + 1, &c, &args);
        if (!convert(&t, &c, &args))
            break;
    }
    va_end(args);
    if (size > 0)
        out[t.length < t.size ? t.length : t.size] = '\0';
    return (int)t.length;
}

const char *dsn__number(const char *text, int64_t *n)
{
    int is_negative;

    while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        text++;
    is_negative = *text == '-';
    text += *text == '-' || *text == '+';
    if (*text < '0' || *text > '9')
        return NULL;
    for (*n = 0; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(*n, 10, n) ||
            __builtin_sub_overflow(*n, *text - '0', n)) /* a negative number may be one larger */
            return NULL;
    if (!is_negative && __builtin_mul_overflow(*n, -1, n))
        return NULL;
    return text;
}

int64_t dsn__number_in(const char *text)
{
    int64_t n;

    return dsn__number(text, &n) ? n : 0;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *dsn__hex_number(const char *text, uint64_t *n)
{
    const char *const begin = text;
    int digit;

    for (*n = 0; (digit = hex_digit(*text)) >= 0; text++) {
        if (*n >> 60)
            return NULL;
        *n = *n << 4 | (uint64_t)digit;
    }
    return text > begin ? text : NULL;
}
