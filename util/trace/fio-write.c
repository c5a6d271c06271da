/* fio-write.c - writes fio's read_iolog, version 3: a file per process
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "writers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/lib/grow.h"
#include "util/lib/idmap.h"
#include "pairmap.h"
#include "texts.h"

#define MAX_PROCESSES 512 /* files open at once */

struct log {
    struct dsn_text *to, own;
    int fd;                  /* -1: standard output */
    uint64_t process, last;  /* us */
    struct dsn__idmap names; /* opened files, by text number */
};

struct writer {
    struct dsn__idmap index;
    struct log *logs;
    size_t nlogs, room;
    struct dsn__texts texts;
};

static int fail(struct dsn__trace_sink *s, const char *format, const char *what)
{
    snprintf(s->err.text, sizeof s->err.text, format, what);
    return 0;
}

int dsn__fio_begin(struct dsn__trace_sink *s)
{
    struct writer *w = calloc(1, sizeof *w);

    s->state = w;
    if (!w)
        return fail(s, "%s", "cannot be written: out of memory");
    dsn__idmap_init(&w->index);
    dsn__texts_init(&w->texts);
    return 1;
}

/* PREFIX.<process>, or standard output for a single process. */
static int open_log(struct dsn__trace_sink *s, struct log *l)
{
    char path[4096];

    l->fd = -1;
    dsn__idmap_init(&l->names);
    l->to = &s->out;
    if (s->prefix) {
        snprintf(path, sizeof path, "%s.%" PRIu64, s->prefix, l->process);
        l->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (l->fd < 0 || !dsn_text_init(&l->own, l->fd)) {
            snprintf(s->err.text, sizeof s->err.text, "cannot be written: %.120s: %s", path, strerror(errno));
            return 0;
        }
        l->to = &l->own;
    }
    dsn_text_string(l->to, "fio version 3 iolog\n");
    return 1;
}

static struct log *log_of(struct dsn__trace_sink *s, uint64_t process)
{
    struct writer *w = s->state;
    const size_t before = w->index.used;
    const uint32_t at = dsn__idmap_add(&w->index, process, (uint32_t)before);

    if (at != DSN_IDMAP_NONE && at < w->nlogs)
        return &w->logs[at];
    if (at > 0 && !s->prefix) {
        fail(s, "%s", "has several processes, and fio needs a file for each: use --output PREFIX");
        return NULL;
    }
    if (at >= MAX_PROCESSES) {
        fail(s, "%s", "is of more processes than files are written at once: take some with cut --ranks");
        return NULL;
    }
    if (!dsn_grow_zeroed(&w->logs, &w->room, sizeof *w->logs, at)) {
        fail(s, "%s", "cannot be written: out of memory");
        return NULL;
    }
    for (size_t i = 0; i < w->nlogs; i++) /* the array may have moved */
        w->logs[i].to = w->logs[i].fd >= 0 ? &w->logs[i].own : &s->out;
    w->logs[at].process = process;
    w->nlogs = at + 1;
    return open_log(s, &w->logs[at]) ? &w->logs[at] : NULL;
}

/* In fio, a name ends at a blank. */
static uint32_t name_of(struct dsn__trace_sink *s, const struct darshan_trace_event *e)
{
    struct writer *w = s->state;
    char name[4096];

    if (e->path && *e->path)
        snprintf(name, sizeof name, "%s", e->path);
    else if (e->flags & DARSHAN_TRACE_PHYSICAL)
        snprintf(name, sizeof name, "device.%" PRIu64, e->file);
    else
        snprintf(name, sizeof name, "file.%" PRIu64 ".%" PRIu64, e->process, e->file);
    for (char *p = name; *p; p++)
        if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') {
            dsn__note(&s->notes, "blanks in names of files are written as '_'");
            *p = '_';
        }
    return dsn__texts_add(&w->texts, name, strlen(name));
}

static void put_line(const struct writer *w, struct log *l, uint32_t name, const char *action)
{
    const char *text = dsn__texts_text(&w->texts, name);

    dsn_text_printf(l->to, "%" PRIu64 " ", l->last);
    dsn_text_string(l->to, text);
    dsn_text_printf(l->to, " %s", action);
}

int dsn__fio_put(struct dsn__trace_sink *s, const struct darshan_trace_event *e)
{
    static const char *const actions[DARSHAN_TRACE_NOPS] = { [DARSHAN_TRACE_READ] = "read",
                                                             [DARSHAN_TRACE_WRITE] = "write",
                                                             [DARSHAN_TRACE_SYNC] = "sync",
                                                             [DARSHAN_TRACE_DISCARD] = "trim" };
    struct writer *w = s->state;
    struct log *l;
    uint32_t name;
    size_t before;

    if (!actions[e->op])
        return 1; /* fio opens and closes files itself */
    if (e->flags & (DARSHAN_TRACE_FAILED | DARSHAN_TRACE_NO_OFFSET) ||
        (e->length == 0 && e->op != DARSHAN_TRACE_SYNC)) {
        dsn__note(&s->notes, "requests that failed, moved no data or have no offset are left out");
        return 1;
    }
    l = log_of(s, e->process);
    if (!l)
        return 0;
    name = name_of(s, e);
    before = l->names.used;
    if (name == DSN__NO_TEXT || dsn__idmap_add(&l->names, name, 0) == DSN_IDMAP_NONE)
        return fail(s, "%s", "cannot be written: out of memory");
    l->last = e->start / 1000;
    if (l->names.used > before) {
        put_line(w, l, name, "add\n");
        put_line(w, l, name, "open\n");
    }
    put_line(w, l, name, actions[e->op]);
    dsn_text_printf(l->to, e->op == DARSHAN_TRACE_SYNC ? " 0 0\n" : " %" PRIu64 " %" PRIu64 "\n", e->offset, e->length);
    return 1;
}

int dsn__fio_end(struct dsn__trace_sink *s)
{
    struct writer *w = s->state;

    for (size_t i = 0; i < w->nlogs; i++) {
        struct log *l = &w->logs[i];

        for (size_t k = 0; k < l->names.used; k++)
            put_line(w, l, (uint32_t)l->names.keys[k], "close\n");
        if (l->fd >= 0 && !dsn_text_flush(l->to))
            return fail(s, "cannot be written: %s", strerror(l->to->error));
    }
    return 1;
}

void dsn__fio_release(struct dsn__trace_sink *s)
{
    struct writer *w = s->state;

    if (!w)
        return;
    for (size_t i = 0; i < w->nlogs; i++) {
        dsn__idmap_free(&w->logs[i].names);
        if (w->logs[i].to == &w->logs[i].own)
            dsn_text_free(&w->logs[i].own);
        if (w->logs[i].fd >= 0)
            close(w->logs[i].fd);
    }
    free(w->logs);
    dsn__idmap_free(&w->index);
    dsn__texts_free(&w->texts);
    free(w);
}
