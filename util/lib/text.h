/* text.h - fast text output: a buffer over a file descriptor, and printf's number formats without its cost
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TEXT_H
#define DSN_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "darshan-log-format/shown.h"

/* Maximum lengths, without NUL: of "%lld" and "%llu"; of "%f" (a double may have 309 digits before the point). */
#define DSN_INT_MAX    20
#define DSN_DOUBLE_MAX 320

/* Write a number to `to`, which has room for the longest one, without NUL; the same bytes as printf's "%lld", "%llu"
 * and "%f" in the C locale. Return the length. */
size_t dsn_format_i64(char *to, int64_t v);
size_t dsn_format_u64(char *to, uint64_t v);
size_t dsn_format_f64(char *to, double v);

/* The same right-aligned in a field of at least `width` (at most 64) columns: "%<width>lld", "%<width>.4f". */
size_t dsn_format_i64_in(char *to, unsigned width, int64_t v);
size_t dsn_format_f64_4_in(char *to, unsigned width, double v);

/* A column of "%<width>.4f" (`width` of 9 to 16) whose numbers mostly grow by little: of one that is in the same
 * hundredth as the number before it, only the last two digits are formatted. All zero at the beginning. `to` has room
 * for 16 bytes more than the longest number. */
struct dsn_column {
    char text[16];     /* the number before, as it was written */
    uint32_t hundreds; /* that number without its last two digits, in units of 1/10000; 0: there is none */
};

size_t dsn_format_f64_4_next(struct dsn_column *last, char *to, unsigned width, double v);

struct dsn_text {
    int fd;
    int safe;  /* replace control characters in untrusted text (the descriptor is a terminal) */
    int error; /* errno of the first write that failed; nothing is written after it */
    size_t used;
    char *buffer;
    int (*put)(void *context, const char *bytes, size_t n); /* instead of writing; 0 or an errno. NULL: written */
    void *context;
};

/* Returns 0 if there is no memory for the buffer. */
int dsn_text_init(struct dsn_text *t, int fd);

/* Writes out the buffer. Returns 0 if this or an earlier write failed (t->error). */
int dsn_text_flush(struct dsn_text *t);
void dsn_text_free(struct dsn_text *t);

void dsn_text_bytes(struct dsn_text *t, const char *bytes, size_t n);
void dsn_text_string(struct dsn_text *t, const char *s);
void dsn_text_printf(struct dsn_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text from a log: unchanged, or on a terminal with '?' for each control character. */
void dsn_text_untrusted(struct dsn_text *t, const char *bytes, size_t n);

/* Bytes of the UTF-8 character at p, with n >= 1 bytes available; 0 if it is invalid, or must not be displayed, such as
 * a control character. */
size_t dsn_text_character(const char *p, size_t n);

/* Ensures room for n more bytes (at most DSN_TEXT_ROOM), to be filled in and then added to t->used. */
#define DSN_TEXT_ROOM   16384
#define DSN_TEXT_BUFFER ((size_t)256 << 10)
static inline char *dsn_text_room(struct dsn_text *t, size_t n)
{
    if (DSN_TEXT_BUFFER - t->used < n)
        dsn_text_flush(t);
    return t->buffer + t->used;
}

#endif
