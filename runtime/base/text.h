/* text.h - text made and numbers read without the C library's formatted input and output
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of files and lines of metadata are made in every process, at its start and at its end. printf looks at the
 * locale, brings 200 KB of the C library into memory, and is not among what a signal handler may call; this may be
 * called from anywhere. */
#ifndef DSN_BASE_TEXT_H
#define DSN_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

static inline int dsn__begins_with(const char *text, const char *start)
{
    while (*start && *text == *start) {
        text++;
        start++;
    }
    return !*start;
}

/* As snprintf of %s, %.Ns, %.*s, %d and %u with l or ll before them, %llx, and %0N before a number; that is all it
 * knows, and what it does not know ends the text. Returns the length of the whole text, which may be more than there is
 * room for. */
int dsn__format(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The decimal number that `text` begins with (after blanks, and a sign), into *n. Returns where it ends, or NULL: there
 * is none, or it has no place in 64 bits. */
const char *dsn__number(const char *text, int64_t *n);

/* The same, or 0 if there is none. */
int64_t dsn__number_in(const char *text);

/* As dsn__number, of hexadecimal digits, in lower case, with nothing before them. */
const char *dsn__hex_number(const char *text, uint64_t *n);

#endif
