/* lines.c - lines of a text report
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/lib/text.h"

#define CONTINUED 3 /* columns before what is left of a line without label */

#define MAX_LINES (sizeof((struct dsn_lines *)0)->line / sizeof(struct dsn_line))

static const char *look_code(const struct dsn_lines *l, enum dsn_look look)
{
    static const char *const code[] = { "", "\033[1m", "\033[2m", "\033[1;31m", "\033[1;33m" };

    return l->colour ? code[look] : "";
}

void dsn_lines_block(struct dsn_lines *l, int weight)
{
    l->block++;
    l->weight = weight;
}

static char *new_line(struct dsn_lines *l)
{
    if (l->n == MAX_LINES)
        return NULL;
    l->of[l->n] = l->block;
    l->weights[l->n] = l->weight;
    return l->line[l->n++].text;
}

/* Bytes of `text` for a line of so many columns: up to a comma in its second half if there is one, else to a blank. A word that
 * is longer than the line stays whole. */
static size_t line_bytes(const char *text, size_t columns)
{
    size_t comma = 0, blank = 0, column = 0, n = 0;

    for (; text[n] && (column <= columns || blank == 0); n++) {
        if (text[n] == ' ' && n > 0 && text[n - 1] != ' ') {
            if (column > columns)
                return n;
            blank = n;
            comma = strchr(",;", text[n - 1]) && column > columns / 2 ? n : comma;
        }
        column += ((unsigned char)text[n] & 0xc0) != 0x80; /* a character of UTF-8 takes one, whatever its bytes */
    }
    return column <= columns || blank == 0 ? n : comma > 0 ? comma : blank;
}

static void add_line(struct dsn_lines *l, enum dsn_look look, const char *label, int indent, const char *text)
{
    const size_t columns = (size_t)(DSN_COLUMNS - indent);
    const char *code = look_code(l, look), *end = *code ? "\033[0m" : "";
    char shown[4 * DSN_COLUMNS + 1], *to = new_line(l);

    if (!to)
        return;
    dsn_text_fit(shown, sizeof shown, columns, columns - 3, text);
    if (label)
        snprintf(to, sizeof l->line[0].text, "%s%-*s%s%s", code, indent, label, end, shown);
    else
        snprintf(to, sizeof l->line[0].text, "%*s%s%s%s", indent, "", code, shown, end);
}

void dsn_lines_add(struct dsn_lines *l, enum dsn_look look, const char *label, const char *format, ...)
{
    int indent = label ? DSN_LABEL : 0;
    char text[1024], *next;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *line = text; line; line = next) {
        const size_t n = line_bytes(line, (size_t)(DSN_COLUMNS - indent));

        next = line + n + strspn(line + n, " ");
        next = *next ? next : NULL;
        line[n] = '\0';
        add_line(l, look, label, indent, line);
        label = label ? "" : NULL;
        indent = label ? DSN_LABEL : CONTINUED;
    }
}

void dsn_lines_wrap(struct dsn_lines *l, int indent, const char *first, const char *text)
{
    const size_t room = (size_t)(DSN_COLUMNS - indent);

    while (*text) {
        size_t n = strlen(text);

        if (n > room) {
            for (n = room; n > 0 && text[n] != ' '; n--)
                ;
            n = n > 0 ? n : room;
        }
        dsn_lines_add(l, DSN_PLAIN, NULL, "%*s%.*s", indent, first, (int)n, text);
        text += n;
        text += strspn(text, " ");
        first = "";
    }
}

/* The block to be dropped next: the one of least weight, the last of several. */
static int lightest(const struct dsn_lines *l)
{
    size_t best = 0;

    for (size_t i = 1; i < l->n; i++)
        if (l->of[i] != l->of[best] && l->weights[i] <= l->weights[best])
            best = i;
    return l->of[best];
}

static void drop_block(struct dsn_lines *l, int block)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->n; i++)
        if (l->of[i] != block) {
            l->line[kept] = l->line[i];
            l->of[kept] = l->of[i];
            l->weights[kept++] = l->weights[i];
        }
    l->n = kept;
}

void dsn_lines_fit(struct dsn_lines *l, size_t rows)
{
    while (l->n > rows && l->of[0] != l->of[l->n - 1])
        drop_block(l, lightest(l));
}

int dsn_lines_has(const struct dsn_lines *l, int weight)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->weights[i] == weight)
            return 1;
    return 0;
}

void dsn_lines_print(const struct dsn_lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        puts(l->line[i].text);
}
