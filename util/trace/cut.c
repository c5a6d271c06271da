/* cut.c - filters for events
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "cut.h"
#include "util/lib/grow.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define LOGICAL  1u
#define PHYSICAL 2u

/* Parses seconds, as nanoseconds. */
static int seconds(const char *text, char **end, uint64_t *out)
{
    double v;

    if (*text < '0' || *text > '9')
        return 0;
    v = strtod(text, end);
    if (!(v >= 0 && v < 9e9))
        return 0;
    *out = (uint64_t)(v * 1e9 + .5);
    return 1;
}

int dsn_trace_cut_time(struct dsn_trace_cut *c, const char *text)
{
    char *end = (char *)text;

    c->has_from = *text != '-';
    if (c->has_from && !seconds(text, &end, &c->from))
        return 0;
    if (*end != '-')
        return 0;
    text = end + 1;
    c->has_to = *text != '\0';
    if (c->has_to && (!seconds(text, &end, &c->to) || *end != '\0'))
        return 0;
    return (c->has_from || c->has_to) && !(c->has_from && c->has_to && c->to < c->from);
}

static int number(const char *text, char **end, uint64_t *out)
{
    if (*text < '0' || *text > '9')
        return 0;
    errno = 0;
    *out = strtoull(text, end, 10);
    return errno == 0;
}

int dsn_trace_cut_processes(struct dsn_trace_cut *c, const char *text)
{
    struct dsn_trace_range range;
    char *end;

    do {
        if (!number(text, &end, &range.first))
            return 0;
        range.last = range.first;
        if (*end == '-' && (!number(end + 1, &end, &range.last) || range.last < range.first))
            return 0;
        if (!dsn_resize(&c->processes, c->nprocesses + 1, sizeof *c->processes))
            return 0;
        c->processes[c->nprocesses++] = range;
        text = end + 1;
    } while (*end == ',');
    return *end == '\0';
}

int dsn_trace_cut_file(struct dsn_trace_cut *c, const char *text)
{
    if (!dsn_resize(&c->files, c->nfiles + 1, sizeof *c->files))
        return 0;
    c->files[c->nfiles++] = text;
    return 1;
}

int dsn_trace_cut_class(struct dsn_trace_cut *c, const char *text)
{
    if (strcmp(text, "logical") == 0 || strcmp(text, "physical") == 0) {
        c->layers |= *text == 'l' ? LOGICAL : PHYSICAL;
        return 1;
    }
    for (unsigned i = 0; i < DARSHAN_TRACE_NCLASSES; i++)
        if (strcmp(text, darshan_trace_class_name(i)) == 0) {
            c->classes |= 1u << i;
            return 1;
        }
    return 0;
}

int dsn_trace_cut_op(struct dsn_trace_cut *c, const char *text)
{
    for (unsigned i = 0; i < DARSHAN_TRACE_NOPS; i++)
        if (strcmp(text, darshan_trace_op_name(i)) == 0) {
            c->ops |= 1u << i;
            return 1;
        }
    return 0;
}

void dsn_trace_cut_free(struct dsn_trace_cut *c)
{
    free(c->processes);
    free(c->files);
}

static int is_process(const struct dsn_trace_cut *c, uint64_t process)
{
    for (size_t i = 0; i < c->nprocesses; i++)
        if (process >= c->processes[i].first && process <= c->processes[i].last)
            return 1;
    return 0;
}

static int is_file(const struct dsn_trace_cut *c, const struct darshan_trace_event *e)
{
    uint64_t id;
    char *end;

    for (size_t i = 0; i < c->nfiles; i++)
        if (number(c->files[i], &end, &id) && *end == '\0' ? id == e->file
                                                           : e->path && fnmatch(c->files[i], e->path, 0) == 0)
            return 1;
    return 0;
}

int dsn_trace_passes(const struct dsn_trace_cut *c, const struct darshan_trace_event *e)
{
    return (!c->has_from || e->start >= c->from) && (!c->has_to || e->start < c->to) &&
           (c->classes == 0 || c->classes >> e->kind & 1) && (c->ops == 0 || c->ops >> e->op & 1) &&
           (c->layers == 0 || c->layers & (e->flags & DARSHAN_TRACE_PHYSICAL ? PHYSICAL : LOGICAL)) &&
           (c->nprocesses == 0 || is_process(c, e->process)) && (c->nfiles == 0 || is_file(c, e));
}
