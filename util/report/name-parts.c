/* name-parts.c - the parts of a file's name in which names of one pattern differ
 * SPDX-License-Identifier: BSD-3-Clause */
#include "name-parts.h"

#include <stdio.h>
#include <string.h>

#define LEAST_HEX    8
#define LEAST_RANDOM 6
#define UUID         36
#define MOST_SUFFIX  8

/* Not those of the locale: names have no encoding. */
static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static int is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static int is_of_word(char c)
{
    return is_digit(c) || is_capital(c) || is_small(c);
}

static size_t word_length(const char *at)
{
    size_t n = 0;

    while (is_of_word(at[n]))
        n++;
    return n;
}

static int is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int is_uuid(const char *at)
{
    for (size_t i = 0; i < UUID; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? at[i] != '-' : !is_hex(at[i]))
            return 0;
    return !is_of_word(at[UUID]);
}

/* A capital before small letters begins a word, which is nothing random: "Result2". */
static int is_random(const char *word, size_t n)
{
    size_t digits = 0, capitals = 0, small = 0, hex = 0, changes = 0;

    for (size_t i = 0; i < n; i++) {
        digits += is_digit(word[i]);
        capitals += is_capital(word[i]);
        small += is_small(word[i]);
        hex += is_hex(word[i]);
        changes +=
            i > 0 && (is_digit(word[i - 1]) != is_digit(word[i]) || (is_small(word[i - 1]) && is_capital(word[i])));
    }
    if (n >= LEAST_HEX && hex == n && digits > 0 && digits < n && (capitals == 0 || small == 0))
        return 1;
    return n >= LEAST_RANDOM && digits > 0 && capitals > 0 && small > 0 && changes >= 3;
}

const char *dsn_name_part(const char *name, const char *at, size_t *length, char *mark)
{
    while (*at) {
        const int starts_word = is_of_word(*at) && (at == name || !is_of_word(at[-1]));
        const size_t word = starts_word ? word_length(at) : 0;

        if (starts_word && (is_uuid(at) || is_random(at, word))) {
            *length = is_uuid(at) ? UUID : word;
            *mark = '*';
            return at;
        }
        if (is_digit(*at) || *at == '#') {
            *length = *at == '#' ? 1 : strspn(at, "0123456789");
            *mark = '#';
            return at;
        }
        at++;
    }
    return NULL;
}

size_t dsn_name_mask(const char *name, char *to, size_t room)
{
    const char *at = name, *part;
    size_t used = 0, n;
    char mark;

    while ((part = dsn_name_part(name, at, &n, &mark)) != NULL) {
        if (used + (size_t)(part - at) + 1 >= room)
            return 0;
        memcpy(to + used, at, (size_t)(part - at));
        used += (size_t)(part - at);
        to[used++] = mark;
        at = part + n;
    }
    n = strlen(at);
    if (used + n >= room)
        return 0;
    memcpy(to + used, at, n + 1);
    return used + n;
}

int dsn_name_compare(const char *a, size_t na, const char *b, size_t nb, uint64_t *differ)
{
    const char *at_a = a, *at_b = b;

    for (unsigned i = 0;; i++) {
        size_t n = 0, m = 0;
        char mark_a = 0, mark_b = 0;
        const char *part_a = dsn_name_part(a, at_a, &n, &mark_a), *part_b = dsn_name_part(b, at_b, &m, &mark_b);
        const char *end_a = part_a && part_a < a + na ? part_a : a + na;
        const char *end_b = part_b && part_b < b + nb ? part_b : b + nb;

        if (end_a - at_a != end_b - at_b || memcmp(at_a, at_b, (size_t)(end_a - at_a)) != 0)
            return 0;
        if (end_a == a + na || end_b == b + nb)
            return end_a == a + na && end_b == b + nb;
        if (mark_a != mark_b)
            return 0;
        if (n != m || memcmp(part_a, part_b, n) != 0)
            *differ |= UINT64_C(1) << (i < DSN_NAME_PARTS ? i : DSN_NAME_PARTS);
        at_a = part_a + n;
        at_b = part_b + m;
    }
}

void dsn_name_show(const char *name, size_t n, uint64_t differ, char *to, size_t room)
{
    const char *at = name, *part;
    size_t used = 0, length;
    unsigned i = 0;
    char mark;

    to[0] = '\0';
    while ((part = dsn_name_part(name, at, &length, &mark)) != NULL && part < name + n) {
        const int is_marked = (differ >> (i < DSN_NAME_PARTS ? i : DSN_NAME_PARTS) & 1) != 0;
        const char *end = is_marked ? part : part + length;

        if (used + (size_t)(end - at) + 2 > room)
            return;
        memcpy(to + used, at, (size_t)(end - at));
        used += (size_t)(end - at);
        if (is_marked)
            to[used++] = mark;
        to[used] = '\0';
        at = part + length;
        i++;
    }
    snprintf(to + used, room - used, "%.*s", (int)(name + n - at), at);
}

size_t dsn_name_directory(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash ? (size_t)(slash - name) + 1 : 0;
}

const char *dsn_name_suffix(const char *name)
{
    const char *base = name + dsn_name_directory(name), *dot = strrchr(base, '.');
    const size_t n = dot && dot > base ? word_length(dot + 1) : 0;

    if (n == 0 || n > MOST_SUFFIX || dot[1 + n] != '\0' || strspn(dot + 1, "0123456789") == n || is_random(dot + 1, n))
        return name + strlen(name);
    return dot;
}
