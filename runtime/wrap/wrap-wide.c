/* wrap-wide.c - wrappers of wide-character stream calls
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "module/stdio.h"
#include "wrap/pair.h"
#include "wrap/place.h"
#include "wrap/wrap.h"

/* Bytes of a call from its result or argument; -1: the call is not counted. */
#define WIDE(ret)           bytes_of(ret)
#define WIDE_TEXT(ret)      ((ret) ? bytes_of_text(ret) : -1)
#define WIDE_PUT(ret, text) ((ret) >= 0 ? bytes_of_text(text) : -1)

/* Converted with the current locale, which is the stream's if it has not changed since its first use. */
static int64_t bytes_of(wint_t c)
{
    char bytes[MB_LEN_MAX];
    mbstate_t state = { 0 };
    size_t n = c == WEOF ? (size_t)-1 : wcrtomb(bytes, (wchar_t)c, &state);

    return n == (size_t)-1 ? -1 : (int64_t)n;
}

static int64_t bytes_of_text(const wchar_t *text)
{
    mbstate_t state = { 0 };
    size_t n = wcsrtombs(NULL, &text, 0, &state);

    return n == (size_t)-1 ? -1 : (int64_t)n;
}

#define V(name)
#include "wrap/wide.wrap"

/* Bytes are the distance by which the stream's position moved; where that is unknown, as on a pipe, one per
 * character. */
static void note(struct dsn_span *s, enum dsn_direction d, FILE *f, int64_t characters, int64_t from)
{
    int64_t to;

    dsn__span_returned(s);
    to = from >= 0 ? dsn__place_after(f) : -1;
    if (characters > 0 && to >= from && from >= 0)
        characters = to - from;
    if (characters > 0 && d == DSN_READ)
        dsn__stdio_read(s, f, characters);
    else if (characters > 0)
        dsn__stdio_io(s, DSN_WRITE, f, characters);
    dsn__span_close(s);
}

/* `ret` is the least number of characters that were moved; if 0, the call is not counted. */
#define PAIR(name, vname, p, vp, vargs, last, stream, direction)                                                       \
    DSN_PAIR(name, vname, p, vp, vargs, last, stream, note(&s, direction, stream, ret, from))

/* clang-format off */
#define PRINT(name, vname) \
    PAIR(name, vname, (FILE *f, const wchar_t *format, ...), (FILE *f, const wchar_t *format, va_list args), \
         (f, format, args), format, f, DSN_WRITE)
#define PRINT_STDOUT(name, vname) \
    PAIR(name, vname, (const wchar_t *format, ...), (const wchar_t *format, va_list args), \
         (format, args), format, stdout, DSN_WRITE)
#define PRINT_CHK(name, vname) \
    PAIR(name, vname, (FILE *f, int flag, const wchar_t *format, ...), \
         (FILE *f, int flag, const wchar_t *format, va_list args), \
         (f, flag, format, args), format, f, DSN_WRITE)
#define PRINT_CHK_STDOUT(name, vname) \
    PAIR(name, vname, (int flag, const wchar_t *format, ...), (int flag, const wchar_t *format, va_list args), \
         (flag, format, args), format, stdout, DSN_WRITE)
#define SCAN(name, vname) \
    PAIR(name, vname, (FILE *f, const wchar_t *format, ...), (FILE *f, const wchar_t *format, va_list args), \
         (f, format, args), format, f, DSN_READ)
#define SCAN_STDIN(name, vname) \
    PAIR(name, vname, (const wchar_t *format, ...), (const wchar_t *format, va_list args), \
         (format, args), format, stdin, DSN_READ)
/* clang-format on */

PRINT(fwprintf, vfwprintf)
PRINT_STDOUT(wprintf, vwprintf)
PRINT_CHK(__fwprintf_chk, __vfwprintf_chk)
PRINT_CHK_STDOUT(__wprintf_chk, __vwprintf_chk)
SCAN(fwscanf, vfwscanf)
SCAN_STDIN(wscanf, vwscanf)
SCAN(__isoc99_fwscanf, __isoc99_vfwscanf)
SCAN_STDIN(__isoc99_wscanf, __isoc99_vwscanf)

/* Programs compiled for glibc 2.38 and later */
#if defined DSN_PRELOAD || __GLIBC_PREREQ(2, 38)
SCAN(__isoc23_fwscanf, __isoc23_vfwscanf)
SCAN_STDIN(__isoc23_wscanf, __isoc23_vwscanf)
#endif
