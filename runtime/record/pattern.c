/* pattern.c - the name of the record in which files of one kind are counted together
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/pattern.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

#define LONGEST_SUFFIX 9 /* with its dot */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool dsn__is_pattern(const char *name)
{
    const char *base = strrchr(name, '/');
    const size_t n = base ? strlen(base) : 0;

    return n > 3 && base[1] == '<' && base[2] == '*' && base[n - 1] == '>';
}

/* With its dot; "": none. */
static const char *suffix_of(const char *base)
{
    const char *dot = strrchr(base, '.'), *c;
    int letters = 0;

    if (!dot || dot == base || strlen(dot) > LONGEST_SUFFIX)
        return "";
    for (c = dot + 1; is_digit(*c) || is_letter(*c); c++)
        letters += is_letter(*c);
    return *c == '\0' && letters > 0 ? dot : "";
}

/* Copies a directory's path of `n` bytes; returns its new length. */
static size_t copy_directory(const char *path, size_t n, size_t fixed, char *out)
{
    size_t to = 0;

    for (size_t i = 0; i < n; i++)
        if (i < fixed || !is_digit(path[i]))
            out[to++] = path[i];
        else if (i == fixed || !is_digit(path[i - 1]))
            out[to++] = '#';
    return to;
}

bool dsn__pattern_of(const char *name, size_t fixed, char *out, size_t size)
{
    const char *base = name[0] == '/' ? strrchr(name, '/') + 1 : NULL;
    const size_t n = base ? (size_t)(base - name) : 0;
    size_t at;

    if (!base || strlen(name) + sizeof "<*>" > size)
        return false;
    if (dsn__is_pattern(name)) {
        dsn__format(out, size, "%s", name);
        return true;
    }
    at = copy_directory(name, n, fixed, out);
    dsn__format(out + at, size - at, "<*%s>", suffix_of(base));
    return true;
}
