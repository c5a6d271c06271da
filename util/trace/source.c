/* source.c - notes and errors of a trace; names of operations
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void dsn__note(struct dsn__notes *notes, const char *text)
{
    for (size_t i = 0; i < notes->n; i++)
        if (notes->note[i].text == text) {
            notes->note[i].times++;
            return;
        }
    if (notes->n < DSN__TRACE_NOTES)
        notes->note[notes->n++] = (struct dsn__note){ .text = text, .times = 1 };
}

const char *dsn__note_told(struct dsn__note *n)
{
    if (n->times == 1)
        snprintf(n->told, sizeof n->told, "%s", n->text);
    else
        snprintf(n->told, sizeof n->told, "%s; %" PRIu64 " in all", n->text, n->times);
    return n->told;
}

void dsn__notes_add(struct dsn__notes *to, const struct dsn__notes *from)
{
    for (size_t i = 0; i < from->n; i++) {
        dsn__note(to, from->note[i].text);
        for (size_t j = 0; j < to->n; j++)
            if (to->note[j].text == from->note[i].text)
                to->note[j].times += from->note[i].times - 1;
    }
}

int dsn__wrong(struct dsn__source *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(s->err.text, sizeof s->err.text, format, args);
    va_end(args);
    return -1;
}

int dsn__wrong_line(struct dsn__source *s, const char *format, ...)
{
    const int n = snprintf(s->err.text, sizeof s->err.text, "line %" PRIu64 " ", s->in.line);
    va_list args;

    va_start(args, format);
    vsnprintf(s->err.text + n, sizeof s->err.text - (size_t)n, format, args);
    va_end(args);
    return -1;
}

int dsn__line(struct dsn__source *s, const char **line, size_t *n)
{
    const char *failed;

    if (dsn__input_line(&s->in, line, n))
        return 1;
    failed = dsn__input_failed(&s->in);
    return failed ? dsn__wrong(s, "%s, behind line %" PRIu64, failed, s->in.line) : 0;
}

int dsn__trace_say(struct darshan_trace_error *err, const char *text)
{
    if (err)
        snprintf(err->text, sizeof err->text, "%s", text);
    return 0;
}

const char *darshan_trace_op_name(unsigned op)
{
    static const char *const names[DARSHAN_TRACE_NOPS] = { "read", "write", "open",     "close",
                                                           "seek", "sync",  "truncate", "discard" };

    return op < DARSHAN_TRACE_NOPS ? names[op] : NULL;
}

const char *darshan_trace_class_name(unsigned kind)
{
    static const char *const names[DARSHAN_TRACE_NCLASSES] = { "data", "metadata", "read-ahead", "paging" };

    return kind < DARSHAN_TRACE_NCLASSES ? names[kind] : NULL;
}
