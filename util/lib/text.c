/* text.c - numbers to text, buffered output
 * SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ numbers */

static const char two_digits[201] = "00010203040506070809101112131415161718192021222324"
                                    "25262728293031323334353637383940414243444546474849"
                                    "50515253545556575859606162636465666768697071727374"
                                    "75767778798081828384858687888990919293949596979899";

/* clang-format off */
static const uint64_t power_of_ten[20] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
    1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
    1000000000000000000, 10000000000000000000U };
/* clang-format on */

/* The number of bits * 1233 / 4096 is the number of digits, or one less. */
static inline size_t digits(uint64_t v)
{
    const unsigned guess = (64U - (unsigned)__builtin_clzll(v | 1)) * 1233U >> 12;

    return guess + (v >= power_of_ten[guess]) + (v == 0);
}

/* Writes the digits so that they end before `end`. Returns the start. */
static inline char *backward(char *end, uint64_t v)
{
    while (v >= 10000) {
        const uint32_t four = (uint32_t)(v % 10000);

        v /= 10000;
        end -= 4;
        memcpy(end, &two_digits[four / 100 * 2], 2);
        memcpy(end + 2, &two_digits[four % 100 * 2], 2);
    }
    if (v >= 100) {
        memcpy(end -= 2, &two_digits[v % 100 * 2], 2);
        v /= 100;
    }
    if (v >= 10)
        return memcpy(end - 2, &two_digits[v * 2], 2);
    *--end = (char)('0' + v);
    return end;
}

size_t dsn_format_u64(char *to, uint64_t v)
{
    size_t n;

    if (v < 10) { /* the most frequent case */
        *to = (char)('0' + v);
        return 1;
    }
    n = digits(v);
    backward(to + n, v);
    return n;
}

size_t dsn_format_i64(char *to, int64_t v)
{
    if (v >= 0)
        return dsn_format_u64(to, (uint64_t)v);
    *to = '-';
    return 1 + dsn_format_u64(to + 1, -(uint64_t)v);
}

/* Splits a positive double below 2^63 into its integer part and its fraction in units of 1/scale (scale <= 10^6),
 * rounded half to even like printf. Exact, because the fraction is a multiple of 2^-shift. */
static inline void split(uint64_t bits, uint32_t scale, uint64_t *integer, uint32_t *parts)
{
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const uint64_t mantissa = (bits & 0xfffffffffffff) | (exponent ? (uint64_t)1 << 52 : 0);
    const int shift = 1075 - (exponent ? exponent : 1);
    unsigned __int128 scaled, rest, half;
    uint64_t fraction, q;

    *parts = 0;
    if (shift <= 0) {
        *integer = mantissa << -shift;
        return;
    }
    *integer = shift < 53 ? mantissa >> shift : 0;
    fraction = shift < 53 ? mantissa & (((uint64_t)1 << shift) - 1) : mantissa;
    if (shift > 80) /* below 2^-27: rounds to 0 */
        return;
    scaled = (unsigned __int128)fraction * scale;
    q = (uint64_t)(scaled >> shift);
    rest = scaled - ((unsigned __int128)q << shift);
    half = (unsigned __int128)1 << (shift - 1);
    q += rest > half || (rest == half && q % 2 == 1);
    *integer += q == scale;
    *parts = q == scale ? 0 : (uint32_t)q;
}

/* The same as one number, integer * scale + parts, for 0 and doubles from 2^-11 to 2^43; else returns 0. */
static inline int scale_up(uint64_t bits, uint32_t scale, uint64_t *scaled)
{
    const unsigned shift = 1075 - (unsigned)(bits >> 52);
    const uint64_t mantissa = (bits & 0xfffffffffffff) | (uint64_t)1 << 52;
    unsigned __int128 product;
    uint64_t rest, half;

    *scaled = 0;
    if (bits == 0)
        return 1;
    if (shift < 10 || shift > 63)
        return 0;
    product = (unsigned __int128)mantissa * scale;
    rest = (uint64_t)product & (((uint64_t)1 << shift) - 1);
    half = (uint64_t)1 << (shift - 1);
    *scaled = (uint64_t)product >> shift | (uint64_t)(product >> 64) << (64 - shift);
    *scaled += rest > half || (rest == half && *scaled % 2 == 1);
    return 1;
}

static int is_ordinary(double v)
{
    return fabs(v) < 9223372036854775808.0;
}

/* Writes sign, integer part and decimal point; the caller writes the fraction. */
static inline char *whole(char *p, double v, uint32_t scale, uint32_t *parts)
{
    uint64_t bits, integer;

    memcpy(&bits, &v, sizeof bits);
    if (bits >> 63)
        *p++ = '-';
    bits &= ~((uint64_t)1 << 63);
    if (scale_up(bits, scale, &integer)) {
        *parts = (uint32_t)(integer % scale);
        integer /= scale;
    } else {
        split(bits, scale, &integer, parts);
    }
    p += dsn_format_u64(p, integer);
    *p++ = '.';
    return p;
}

size_t dsn_format_f64(char *to, double v)
{
    uint32_t millionths;
    char *p;

    if (!is_ordinary(v)) {
        char text[DSN_DOUBLE_MAX + 1];
        const int n = snprintf(text, sizeof text, "%f", v);

        memcpy(to, text, (size_t)n);
        return (size_t)n;
    }
    p = whole(to, v, 1000000, &millionths);
    memcpy(p, &two_digits[millionths / 10000 * 2], 2);
    memcpy(p + 2, &two_digits[millionths / 100 % 100 * 2], 2);
    memcpy(p + 4, &two_digits[millionths % 100 * 2], 2);
    return (size_t)(p + 6 - to);
}

/* ------------------------------------------------------------------ numbers in columns */

/* Right-aligns n bytes in a field. */
static size_t align(char *to, unsigned width, const char *text, size_t n)
{
    const size_t pad = n < width ? width - n : 0;

    memset(to, ' ', pad);
    memcpy(to + pad, text, n);
    return pad + n;
}

#define ZEROS    0x3030303030303030U /* "00000000" */
#define BLANKS   0x2020202020202020U
#define EIGHT    UINT64_C(100000000)
#define MAX_PAIR 16 /* widths of up to two words */

/* The digits (0 to 9) of a number below 10^8, first digit in the lowest byte: split into groups of four, two and one in
 * all lanes of a word at once. n * 10486 >> 20 is n / 100 for n < 10^4; n * 103 >> 10 is n / 10 for n < 100. */
static inline uint64_t eight_digits(uint32_t v)
{
    const uint64_t fours = v / 10000 | (uint64_t)(v % 10000) << 32;
    const uint64_t hundreds = fours * 10486 >> 20 & 0x7f0000007f;
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = twos * 103 >> 10 & 0x000f000f000f000f;

    return tens | (twos - 10 * tens) << 8;
}

/* The same as text, with leading zeros as blanks except in the last `least` (1 to 8) digits. */
static inline uint64_t eight_columns(uint32_t v, unsigned least)
{
    const uint64_t digits = eight_digits(v);
    const unsigned blank = (unsigned)__builtin_ctzll(digits | (uint64_t)1 << (64 - 8 * least)) & ~7U; /* bits */

    return (digits | ZEROS) - ((ZEROS - BLANKS) & (((uint64_t)1 << blank) - 1));
}

static inline void put_word(char *to, uint64_t text)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    text = __builtin_bswap64(text);
#endif
    memcpy(to, &text, sizeof text);
}

/* Not inlined, so that the fast path needs no stack frame. */
static __attribute__((noinline)) size_t any_i64_in(char *to, unsigned width, int64_t v)
{
    char text[DSN_INT_MAX];

    return align(to, width, text, dsn_format_i64(text, v));
}

static __attribute__((noinline)) size_t any_f64_4_in(char *to, unsigned width, double v)
{
    char text[DSN_DOUBLE_MAX + 1], *p;
    uint32_t parts;

    if (!is_ordinary(v))
        return align(to, width, text, (size_t)snprintf(text, sizeof text, "%.4f", v));
    p = whole(text, v, 10000, &parts);
    memcpy(p, &two_digits[parts / 100 * 2], 2);
    memcpy(p + 2, &two_digits[parts % 100 * 2], 2);
    return align(to, width, text, (size_t)(p + 4 - text));
}

size_t dsn_format_i64_in(char *to, unsigned width, int64_t v)
{
    const uint64_t u = (uint64_t)v;
    uint64_t high;

    if (width < 8 || width > MAX_PAIR || u >= power_of_ten[width]) /* as unsigned, negative values are large */
        return any_i64_in(to, width, v);
    if (u < EIGHT) {
        put_word(to, BLANKS);
        put_word(to + width - 8, eight_columns((uint32_t)u, 1));
        return width;
    }
    high = eight_columns((uint32_t)(u / EIGHT), 1); /* surplus columns are blank */
    put_word(to, high >> 8 * (MAX_PAIR - width));
    put_word(to + width - 8, eight_digits((uint32_t)(u % EIGHT)) | ZEROS);
    return width;
}

/* A number from 0 to below 10000 in units of 1/10000. The product's error is below 1e-8, which only matters close to
 * halfway between two integers: returns 0 for these and for numbers outside the range, which need the exact
 * conversion. */
static inline int in_ten_thousandths(double v, uint32_t *units)
{
    const double up = v * 10000 + 0.5;
    int32_t integer;

    if (!(v > 0 && v < 9999.9999))
        return 0;
    integer = (int32_t)up;
    *units = (uint32_t)integer;
    return fabs(up - 0.5 - (double)integer) < 0.5 - 1e-6;
}

size_t dsn_format_f64_4_in(char *to, unsigned width, double v)
{
    uint32_t parts;

    if (width < 9 || width > MAX_PAIR || !in_ten_thousandths(v, &parts))
        return any_f64_4_in(to, width, v);
    put_word(to, BLANKS);
    put_word(to + width - 8, eight_columns(parts, 5));
    memmove(to + width - 9, to + width - 8, 4); /* make room for the decimal point */
    to[width - 5] = '.';
    return width;
}

size_t dsn_format_f64_4_next(struct dsn_column *last, char *to, unsigned width, double v)
{
    uint32_t units;

    if (!in_ten_thousandths(v, &units))
        return any_f64_4_in(to, width, v);
    if (last->hundreds == 0 || units - last->hundreds >= 100) {
        dsn_format_f64_4_in(last->text, width, v);
        last->hundreds = units - units % 100;
    }
    memcpy(to, last->text, sizeof last->text); /* faster with a constant size */
    memcpy(to + width - 2, &two_digits[(units - last->hundreds) * 2], 2);
    return width;
}

/* ------------------------------------------------------------------ output */

int dsn_text_init(struct dsn_text *t, int fd)
{
    t->fd = fd;
    t->safe = isatty(fd);
    t->error = 0;
    t->used = 0;
    t->put = NULL;
    t->buffer = malloc(DSN_TEXT_BUFFER);
    return t->buffer != NULL;
}

int dsn_text_flush(struct dsn_text *t)
{
    size_t done = 0;

    if (t->put && t->error == 0) {
        t->error = t->put(t->context, t->buffer, t->used);
        done = t->used;
    }
    while (done < t->used && t->error == 0) {
        const ssize_t n = write(t->fd, t->buffer + done, t->used - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            t->error = errno;
    }
    t->used = 0;
    return t->error == 0;
}

void dsn_text_free(struct dsn_text *t)
{
    free(t->buffer);
    t->buffer = NULL;
}

void dsn_text_bytes(struct dsn_text *t, const char *bytes, size_t n)
{
    while (n > 0) {
        const size_t free_bytes = DSN_TEXT_BUFFER - t->used;
        const size_t piece = n < free_bytes ? n : free_bytes;

        memcpy(t->buffer + t->used, bytes, piece);
        t->used += piece;
        bytes += piece;
        n -= piece;
        if (t->used == DSN_TEXT_BUFFER)
            dsn_text_flush(t);
    }
}

void dsn_text_string(struct dsn_text *t, const char *s)
{
    dsn_text_bytes(t, s, strlen(s));
}

void dsn_text_printf(struct dsn_text *t, const char *format, ...)
{
    char *to = dsn_text_room(t, DSN_TEXT_ROOM);
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(to, DSN_TEXT_ROOM, format, args);
    va_end(args);
    if (n > 0)
        t->used += n < DSN_TEXT_ROOM ? (size_t)n : DSN_TEXT_ROOM - 1;
}

/* ------------------------------------------------------------------ text that is not trusted */

size_t dsn_text_character(const char *p, size_t n)
{
    unsigned char piece[5] = { 0 };

    memcpy(piece, p, n < 4 ? n : 4);
    return dsn_shown(piece);
}

void dsn_text_untrusted(struct dsn_text *t, const char *bytes, size_t n)
{
    if (!t->safe) {
        dsn_text_bytes(t, bytes, n);
        return;
    }
    for (size_t i = 0; i < n;) {
        const size_t length = dsn_text_character(bytes + i, n - i);

        if (length > 0)
            dsn_text_bytes(t, bytes + i, length);
        else
            dsn_text_bytes(t, "?", 1);
        i += length > 0 ? length : 1;
    }
}
