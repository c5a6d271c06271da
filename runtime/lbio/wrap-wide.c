/* wrap-wide.c - wrappers of wide-character stream calls, after which a stream bypasses the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "lbio/stream.h"
#include "lbio/wrap.h"

#define ON_STREAM(f) lbio__stream_widens(f)

#define V(name)
#define W(r, name, p, args, fail, before, note) LBIO_BEFORE(r, name, p, args, fail, before)
#include "wrap/wide.wrap"

LBIO_BEFORE(int, fwide, (FILE * f, int mode), (f, mode), 0, mode > 0 ? ON_STREAM(f) : (void)0)

/* A function with "..." and its twin with a va_list, which does the work of both. The headers may redirect these names
 * to others, so the symbols are set by labels. */
#define PAIR(name, vname, p, vp, vargs, last, stream)                                                                  \
    NEXT_DECL(int, vname, vp)                                                                                          \
    LBIO_EXPORT int labelled_##vname vp __asm__(#vname);                                                               \
    LBIO_EXPORT int labelled_##name p __asm__(#name);                                                                  \
    LBIO_EXPORT int labelled_##vname vp                                                                                \
    {                                                                                                                  \
        if (!NEXT_IS(vname))                                                                                           \
            return EOF;                                                                                                \
        ON_STREAM(stream);                                                                                             \
        return NEXT(vname) vargs;                                                                                      \
    }                                                                                                                  \
    LBIO_EXPORT int labelled_##name p                                                                                  \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        int ret;                                                                                                       \
                                                                                                                       \
        va_start(args, last);                                                                                          \
        ret = labelled_##vname vargs;                                                                                  \
        va_end(args);                                                                                                  \
        return ret;                                                                                                    \
    }

/* clang-format off */
#define STREAM(name, vname) \
    PAIR(name, vname, (FILE *f, const wchar_t *format, ...), (FILE *f, const wchar_t *format, va_list args), \
         (f, format, args), format, f)
#define STANDARD(name, vname, stream) \
    PAIR(name, vname, (const wchar_t *format, ...), (const wchar_t *format, va_list args), (format, args), format, stream)
#define STREAM_CHK(name, vname) \
    PAIR(name, vname, (FILE *f, int flag, const wchar_t *format, ...), \
         (FILE *f, int flag, const wchar_t *format, va_list args), (f, flag, format, args), format, f)
#define STANDARD_CHK(name, vname, stream) \
    PAIR(name, vname, (int flag, const wchar_t *format, ...), (int flag, const wchar_t *format, va_list args), \
         (flag, format, args), format, stream)
/* clang-format on */

STREAM(fwprintf, vfwprintf)
STANDARD(wprintf, vwprintf, stdout)
STREAM_CHK(__fwprintf_chk, __vfwprintf_chk)
STANDARD_CHK(__wprintf_chk, __vwprintf_chk, stdout)
STREAM(fwscanf, vfwscanf)
STANDARD(wscanf, vwscanf, stdin)
STREAM(__isoc99_fwscanf, __isoc99_vfwscanf)
STANDARD(__isoc99_wscanf, __isoc99_vwscanf, stdin)
STREAM(__isoc23_fwscanf, __isoc23_vfwscanf)
STANDARD(__isoc23_wscanf, __isoc23_vwscanf, stdin)
