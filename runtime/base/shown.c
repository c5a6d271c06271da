/* shown.c - what commands print: text that others have chosen, on terminals and in logs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/shown.h"

#include <limits.h>
#include <stdarg.h>

#include "darshan-log-format/shown.h"

static const char *command = "darshan";

void dsn__shown_command(const char *name)
{
    command = name;
}

void dsn__put_shown(FILE *to, const char *text)
{
    while (*text) {
        const size_t n = dsn_shown((const unsigned char *)text);

        fwrite(n > 0 ? text : "?", 1, n > 0 ? n : 1, to);
        text += n > 0 ? n : 1;
    }
}

static void put_line(FILE *to, const char *head, const char *format, va_list args)
{
    char text[3 * PATH_MAX];

    vsnprintf(text, sizeof text, format, args);
    fputs(head, to);
    dsn__put_shown(to, text);
    putc('\n', to);
    fflush(to);
}

void dsn__shown_error(const char *format, ...)
{
    char head[64];
    va_list args;

    snprintf(head, sizeof head, "%s: ", command);
    va_start(args, format);
    put_line(stderr, head, format, args);
    va_end(args);
}

void dsn__shown_line(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_line(stdout, "", format, args);
    va_end(args);
}
