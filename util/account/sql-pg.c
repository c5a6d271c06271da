/* sql-pg.c - translates SQL and text for PostgreSQL
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql-pg.h"

/* ------------------------------------------------------------------ SQL */

static const struct {
    const char *ours, *theirs;
} words[] = {
    { "INTEGER", "BIGINT" }, { "REAL", "DOUBLE PRECISION" }, { "TEXT", "TEXT COLLATE \"C\"" }, { "WITHOUT", "" },
    { "ROWID", "" },         { "user", "\"user\"" },
};

static int in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t length_of_word(const char *at)
{
    size_t n = 0;

    while (in_word(at[n]))
        n++;
    return n;
}

/* Length of the quoted text or comment at `at`; 0 if there is none. A doubled quote ends one text and starts
 * another. */
static size_t length_of_quoted(const char *at)
{
    const char *end = NULL;

    if (*at == '\'' || *at == '"')
        end = strchr(at + 1, *at);
    else if (at[0] == '-' && at[1] == '-')
        return strcspn(at, "\n");
    return end ? (size_t)(end - at) + 1 : 0;
}

static void print_word(FILE *to, const char *at, size_t n)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(words[i].ours, at, n) == 0 && words[i].ours[n] == '\0') {
            fputs(words[i].theirs, to);
            return;
        }
    fwrite(at, 1, n, to);
}

/* Prints the number at `at`. Returns its length. */
static size_t print_number(FILE *to, const char *at)
{
    size_t n = strspn(at, "0123456789");
    const int whole = at[n] != '.';

    if (!whole)
        n += 1 + strspn(at + n + 1, "0123456789");
    fprintf(to, "%.*s%s", (int)n, at, whole ? "" : "::float8");
    return n;
}

/* The number of the named parameter, assigning one if it is new. 0: too many, or no memory. */
static int number_of(const char *name, size_t length, char *names[DSN_PG_PARAMETERS], int *n)
{
    for (int i = 0; i < *n; i++)
        if (names[i] && strncmp(names[i], name, length) == 0 && names[i][length] == '\0')
            return i + 1;
    if (*n == DSN_PG_PARAMETERS || !(names[*n] = strndup(name, length)))
        return 0;
    return ++*n;
}

/* Prints the parameter at `at`. Returns its length; 0 if there is none. */
static size_t print_parameter(FILE *to, const char *at, char *names[DSN_PG_PARAMETERS], int *n)
{
    const size_t length = length_of_word(at + 1);
    int number = 0;

    if (length == 0 || (*at != '?' && *at != ':'))
        return 0;
    if (*at == ':')
        number = number_of(at, 1 + length, names, n);
    else if (atoi(at + 1) <= DSN_PG_PARAMETERS)
        number = atoi(at + 1);
    if (number > *n)
        *n = number;
    fprintf(to, "$%d", number);
    return 1 + length;
}

static size_t print_piece(FILE *to, const char *at, char *names[DSN_PG_PARAMETERS], int *n)
{
    size_t length = length_of_quoted(at);

    if (length == 0 && at[0] == ':' && at[1] == ':')
        length = 2;
    if (length > 0) {
        fwrite(at, 1, length, to);
        return length;
    }
    length = print_parameter(to, at, names, n);
    if (length > 0)
        return length;
    if (isdigit((unsigned char)*at))
        return print_number(to, at);
    length = length_of_word(at);
    if (length > 0)
        print_word(to, at, length);
    else
        fputc(*at, to);
    return length > 0 ? length : 1;
}

char *dsn_pg_sql(const char *sql, char *names[DSN_PG_PARAMETERS], int *n)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    *n = 0;
    memset(names, 0, DSN_PG_PARAMETERS * sizeof *names);
    if (!to)
        return NULL;
    while (*sql)
        sql += print_piece(to, sql, names, n);
    return fclose(to) == 0 ? text : NULL;
}

/* ------------------------------------------------------------------ texts */

#define ESCAPES 0xEF00u /* U+EF80 to U+EFFF represent bytes 80 to FF */

/* Length of the UTF-8 character at p, 0 if it is invalid, including overlong forms and surrogates. */
static size_t character(const unsigned char *p)
{
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xC2 || (p[1] & 0xC0) != 0x80)
        return 0;
    if (p[0] < 0xE0)
        return 2;
    if ((p[2] & 0xC0) != 0x80)
        return 0;
    if (p[0] < 0xF0)
        return (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] >= 0xA0) ? 0 : 3;
    if (p[0] > 0xF4 || (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] >= 0x90) || (p[3] & 0xC0) != 0x80)
        return 0;
    return 4;
}

/* The byte represented by the escape at p; 0 if there is none. */
static unsigned char escaped(const unsigned char *p)
{
    return p[0] == 0xEE && (p[1] == 0xBE || p[1] == 0xBF) && (p[2] & 0xC0) == 0x80
               ? (unsigned char)(((p[1] & 3) << 6) | (p[2] & 0x3F))
               : 0;
}

const char *dsn_pg_encode(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = 0;
    unsigned char *copy, *to;

    while (p[n] != '\0' && character(p + n) > 0 && !escaped(p + n))
        n += character(p + n);
    if (p[n] == '\0')
        return text;
    copy = malloc(n + 3 * strlen(text + n) + 1);
    if (!copy)
        return NULL;
    memcpy(copy, p, n);
    for (to = copy + n, p += n; *p;) {
        const size_t length = escaped(p) ? 0 : character(p);

        if (length > 0) {
            memcpy(to, p, length);
            to += length;
            p += length;
        } else {
            *to++ = 0xEE;
            *to++ = (unsigned char)(0x80 | (((ESCAPES | *p) >> 6) & 0x3F));
            *to++ = 0x80 | (*p++ & 0x3F);
        }
    }
    *to = '\0';
    return (char *)copy;
}

int dsn_pg_is_encoded(const char *text)
{
    for (; (text = strchr(text, 0xEE)) != NULL; text++)
        if (escaped((const unsigned char *)text))
            return 1;
    return 0;
}

void dsn_pg_decode(char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned char *to = (unsigned char *)text;

    while (*p) {
        const unsigned char byte = escaped(p);

        *to++ = byte ? byte : *p;
        p += byte ? 3 : 1;
    }
    *to = '\0';
}
