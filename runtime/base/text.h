/* text.h - formatting text and parsing numbers without stdio
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every process formats file names and metadata lines at its start and end. printf depends on the locale, brings 200 KB
 * of the C library into memory, and is not async-signal-safe; these functions are. */
#ifndef DSN_BASE_TEXT_H
#define DSN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool dsn__begins_with(const char *text, const char *start)
{
    while (*start && *text == *start) {
        text++;
        start++;
    }
    return !*start;
}

/* Whether the file `name` is `directory`, or lies below it: "/a/b" is below "/a", "/ab" is not. */
static inline bool dsn__is_below(const char *name, const char *directory)
{
    char last = '\0';

    while (*directory && *name == *directory) {
        last = *name++;
        directory++;
    }
    return !*directory && (last == '/' || *name == '/' || !*name);
}

/* As snprintf, for %s, %.Ns, %.*s, %d and %u with l or ll, %llx, and %0N of a number only; an unknown conversion ends
 * the text. Returns the length of the whole text, which may exceed `size`. */
int dsn__format(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Parses the decimal number that `text` begins with (after blanks and a sign) into *n. Returns its end, or NULL if
 * there is none or it does not fit into 64 bits. */
const char *dsn__number(const char *text, int64_t *n);

/* As dsn__number, but returns the number, 0 if there is none. */
int64_t dsn__number_in(const char *text);

/* As dsn__number, for lower-case hexadecimal digits without a prefix. */
const char *dsn__hex_number(const char *text, uint64_t *n);

#endif
