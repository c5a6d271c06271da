/* wrap-stdio.c - wrappers of the stream calls
 * SPDX-License-Identifier: BSD-3-Clause */
/* <stdio.h> defines some of the functions inline. For clang the wrapper would be that inline function, which is not exported. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#define DSN_EARLY
#include "module/stdio.h"
#include "wrap/pair.h"
#include "wrap/place.h"
#include "wrap/stream-buffer.h"
#include "wrap/wrap.h"

/* Bytes of a call from its result; -1: the call is not counted. */
#define ITEMS(size, ret)            ((ret) > 0 ? (int64_t)((size) * (ret)) : -1)
#define CHARACTER(ret)              ((ret) == EOF ? -1 : 1)
#define PRINTED(ret)                ((ret) > 0 ? (int64_t)(ret) : -1)
#define POSITION(ret, f)            ((ret) >= 0 && dsn__stream_state(f) ? dsn__place_after(f) : -1)
#define SOUGHT(ret, f, off, whence) ((ret) == 0 && (whence) == SEEK_SET ? (int64_t)(off) : POSITION(ret, f))

/* getc_unlocked and putc_unlocked, which cut, uniq, join and others use, are macros: they move bytes from and to the buffer
 * without a call, and make one (__uflow, __overflow) only when it is empty or full. What they have moved is counted with
 * the next call that reaches the file, and at fclose, from the stream's position. A pipe has none. */
static unsigned inlined(const struct dsn_fd *entry)
{
    return entry ? atomic_load_explicit(&entry->inlined, memory_order_relaxed) : 0;
}

static void note_inlined(struct dsn_span *s, FILE *f, enum dsn_direction d, int64_t bytes)
{
    struct dsn_fd *entry = dsn__stream_entry(f);

    dsn__span_returned(s);
    if (entry) {
        atomic_fetch_or_explicit(&entry->inlined, (unsigned char)(1 << d), memory_order_relaxed);
        bytes = dsn__stdio_moved(f, dsn__place_after(f), bytes);
        if (bytes > 0)
            dsn__stdio_io(s, d, f, bytes);
    }
    dsn__span_close(s);
}

static __attribute__((noinline)) void note_timed(struct dsn_span *s, FILE *f, enum dsn_direction d, int64_t bytes)
{
    dsn__span_returned(s);
    if (d == DSN_READ)
        dsn__stdio_read(s, f, bytes);
    else
        dsn__stdio_io(s, d, f, bytes);
    dsn__span_close(s);
}

/* After the real call: counts it with or without its time. */
static inline void note_io(struct dsn_span *s, FILE *f, const struct dsn_buffer_place *before, enum dsn_direction d,
                           int64_t bytes)
{
    struct dsn_fd *entry = dsn__stream_entry(f);

    if (entry && dsn__buffer_served(f, entry, before, d, bytes)) {
        dsn__stdio_served(f, entry, d, bytes);
        return;
    }
    if (bytes > 0 && inlined(entry))
        note_inlined(s, f, d, bytes);
    else
        note_timed(s, f, d, bytes);
}

/* Row S: the stream's buffer serves most calls, and reading the clock would take longer than they do. */
#define S(r, name, p, args, fail, f, direction, bytes, served)                                                         \
    DSN_REAL_DECL(r, name, p)                                                                                          \
    STREAM_WRAPPER(r, name, p, args, fail, f, direction, bytes, served)
#define SL(r, name, p, args, fail, f, direction, bytes, served)                                                        \
    DSN_REAL_LATER(r, name, p)                                                                                         \
    STREAM_WRAPPER(r, name, p, args, fail, f, direction, bytes, served)
#define STREAM_WRAPPER(r, name, p, args, fail, f, direction, bytes, served)                                            \
    __attribute__((noinline)) static r counted_##name p                                                                \
    {                                                                                                                  \
        struct dsn_buffer_place before;                                                                                \
        struct dsn_span s;                                                                                             \
        r ret;                                                                                                         \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return fail;                                                                                               \
        if (!dsn__stream_state(f) || !dsn__span_open(&s))                                                              \
            return DSN_REAL(name) args;                                                                                \
        before = dsn__buffer_place(f);                                                                                 \
        ret = DSN_REAL(name) args;                                                                                     \
        note_io(&s, f, &before, direction, bytes);                                                                     \
        return ret;                                                                                                    \
    }                                                                                                                  \
    DSN_EXPORT r DSN_SYM(name) p                                                                                       \
    {                                                                                                                  \
        struct dsn_fd *entry = dsn__stream_entry(f);                                                                   \
                                                                                                                       \
        if (DSN_REAL_KNOWN(name) && !dsn__entry_stream(entry))                                                         \
            return DSN_REAL(name) args;                                                                                \
        if (DSN_REAL_KNOWN(name) && (served) && dsn__is_untimed()) {                                                   \
            r ret = DSN_REAL(name) args;                                                                               \
                                                                                                                       \
            dsn__stdio_served(f, entry, direction, bytes);                                                             \
            return ret;                                                                                                \
        }                                                                                                              \
        return counted_##name args;                                                                                    \
    }

/* macros of <stdio.h> when it optimises */
#undef fread_unlocked
#undef fwrite_unlocked

#define V(name)
#include "wrap/stdio.wrap"

/* Calls the real v... function with a va_list in place of "...". */
#define PRINTF(name, vname, parameters, varguments, last, stream)                                                      \
    DSN_EXPORT int DSN_SYM(name) parameters                                                                            \
    {                                                                                                                  \
        struct dsn_buffer_place before;                                                                                \
        struct dsn_span s;                                                                                             \
        va_list args;                                                                                                  \
        int ret, counted;                                                                                              \
                                                                                                                       \
        if (!DSN_REAL_FIND(vname))                                                                                     \
            return -1;                                                                                                 \
        va_start(args, last);                                                                                          \
        counted = ON_STREAM(stream) && dsn__span_open(&s);                                                             \
        if (counted)                                                                                                   \
            before = dsn__buffer_place(stream);                                                                        \
        ret = DSN_REAL(vname) varguments;                                                                              \
        va_end(args);                                                                                                  \
        if (counted)                                                                                                   \
            note_io(&s, stream, &before, DSN_WRITE, PRINTED(ret));                                                     \
        return ret;                                                                                                    \
    }

#ifndef DSN_PRELOAD
#define DECLARE(name, parameters) DSN_EXPORT int DSN_SYM(name) parameters;
DECLARE(fprintf, (FILE * f, const char *format, ...))
DECLARE(printf, (const char *format, ...))
DECLARE(__fprintf_chk, (FILE * f, int flag, const char *format, ...))
DECLARE(__printf_chk, (int flag, const char *format, ...))
#endif

PRINTF(fprintf, vfprintf, (FILE * f, const char *format, ...), (f, format, args), format, f)
PRINTF(printf, vprintf, (const char *format, ...), (format, args), format, stdout)
PRINTF(__fprintf_chk, __vfprintf_chk, (FILE * f, int flag, const char *format, ...), (f, flag, format, args), format, f)
PRINTF(__printf_chk, __vprintf_chk, (int flag, const char *format, ...), (flag, format, args), format, stdout)

static int64_t distance(int64_t from, int64_t to)
{
    return to >= from ? to - from : -1;
}

/* Bytes read are the distance by which the stream's position moved. */
static void note_scan(struct dsn_span *s, FILE *f, int ret, int64_t from)
{
    dsn__span_returned(s);
    if (from >= 0 && ret != EOF && ret != 0)
        dsn__stdio_read(s, f, distance(from, dsn__place_after(f)));
    dsn__span_close(s);
}

/* clang-format off */
#define SCANF_FILE(name, vname) \
    DSN_PAIR(name, vname, (FILE *f, const char *format, ...), (FILE *f, const char *format, va_list args), \
             (f, format, args), format, f, note_scan(&s, f, ret, from))
#define SCANF_STDIN(name, vname) \
    DSN_PAIR(name, vname, (const char *format, ...), (const char *format, va_list args), \
             (format, args), format, stdin, note_scan(&s, stdin, ret, from))
/* clang-format on */

SCANF_FILE(fscanf, vfscanf)
SCANF_STDIN(scanf, vscanf)
SCANF_FILE(__isoc99_fscanf, __isoc99_vfscanf)
SCANF_STDIN(__isoc99_scanf, __isoc99_vscanf)

/* Programs compiled for glibc 2.38 and later */
#if defined DSN_PRELOAD || __GLIBC_PREREQ(2, 38)
SCANF_FILE(__isoc23_fscanf, __isoc23_vfscanf)
SCANF_STDIN(__isoc23_scanf, __isoc23_vscanf)
#endif

/* "text: error\n" or "error\n" */
static int64_t perror_bytes(const char *text, int error)
{
    char buffer[256];

    return (int64_t)strlen(strerror_r(error, buffer, sizeof buffer)) + 1 +
           (text && *text ? (int64_t)strlen(text) + 2 : 0);
}

DSN_REAL_DECL(void, perror, (const char *text))
DSN_EXPORT void DSN_SYM(perror)(const char *text)
{
    const int error = errno;
    struct dsn_span s;

    if (!DSN_REAL_FIND(perror))
        return;
    if (!ON_STREAM(stderr) || !dsn__span_open(&s)) {
        DSN_REAL(perror)(text);
        return;
    }
    DSN_REAL(perror)(text);
    dsn__span_returned(&s);
    dsn__stdio_io(&s, DSN_WRITE, stderr, perror_bytes(text, error));
    dsn__span_close(&s);
}

DSN_REAL_DECL(void, rewind, (FILE * f))
DSN_EXPORT void DSN_SYM(rewind)(FILE *f)
{
    struct dsn_span s;

    if (!DSN_REAL_FIND(rewind))
        return;
    if (!dsn__span_open(&s)) {
        DSN_REAL(rewind)(f);
        return;
    }
    DSN_REAL(rewind)(f);
    dsn__span_returned(&s);
    dsn__stdio_seek(&s, f, 0);
    dsn__span_close(&s);
}

/* ------------------------------------------------------------------ macros */

#define INLINED(name, p, args, d)                                                                                      \
    DSN_REAL_LATER(int, name, p)                                                                                       \
    DSN_EXPORT int DSN_SYM(name) p                                                                                     \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return EOF;                                                                                                \
        if (!dsn__stream_state(f) || !dsn__span_open(&s))                                                              \
            return DSN_REAL(name) args;                                                                                \
        ret = DSN_REAL(name) args;                                                                                     \
        note_inlined(&s, f, d, ret != EOF ? 1 : 0);                                                                    \
        return ret;                                                                                                    \
    }

INLINED(__uflow, (FILE * f), (f), DSN_READ)
INLINED(__overflow, (FILE * f, int c), (f, c), DSN_WRITE)

/* Before the stream is closed: what macros have moved since the last call. */
static void note_rest(FILE *f)
{
    const unsigned directions = inlined(dsn__stream_entry(f));
    struct dsn_span s;

    if (directions && dsn__span_open(&s))
        note_inlined(&s, f, directions & 1 << DSN_WRITE ? DSN_WRITE : DSN_READ, 0);
}

/* In two steps, as for close: afterwards another thread may own the stream's descriptor. */
DSN_REAL_DECL(int, fclose, (FILE * f))
DSN_EXPORT int DSN_SYM(fclose)(FILE *f)
{
    struct dsn_span s;
    void *released;
    int ret;

    if (!DSN_REAL_FIND(fclose))
        return EOF;
    note_rest(f);
    if (!dsn__span_open(&s))
        return DSN_REAL(fclose)(f);
    dsn__span_before(&s);
    released = dsn__stdio_release(f);
    dsn__span_close(&s);
    ret = DSN_REAL(fclose)(f);
    dsn__span_returned(&s);
    dsn__stdio_close(&s, released);
    dsn__span_close(&s);
    return ret;
}

/* With a path, the stream's file is closed and another one opened; without, only its mode changes. */
#define FREOPEN(name)                                                                                                  \
    DSN_REAL_DECL(FILE *, name, (const char *path, const char *mode, FILE *f))                                         \
    DSN_EXPORT FILE *DSN_SYM(name)(const char *path, const char *mode, FILE *f)                                        \
    {                                                                                                                  \
        struct dsn_span s;                                                                                             \
        void *released;                                                                                                \
        FILE *ret;                                                                                                     \
                                                                                                                       \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return NULL;                                                                                               \
        if (!path || !dsn__span_open(&s))                                                                              \
            return DSN_REAL(name)(path, mode, f);                                                                      \
        dsn__span_before(&s);                                                                                          \
        released = dsn__stdio_release(f);                                                                              \
        dsn__span_close(&s);                                                                                           \
        ret = DSN_REAL(name)(path, mode, f);                                                                           \
        dsn__span_returned(&s);                                                                                        \
        dsn__stdio_close(&s, released);                                                                                \
        dsn__stdio_open(&s, ret, path, mode);                                                                          \
        dsn__span_close(&s);                                                                                           \
        return ret;                                                                                                    \
    }

FREOPEN(freopen)
FREOPEN(freopen64)
