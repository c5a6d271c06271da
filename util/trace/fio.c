/* fio.c - reads fio's write_iolog, versions 2 and 3
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Version 3 has times in microseconds; version 2 only has waits. Neither has durations. */
#include <config.h>
#include "readers.h"

#include <stdlib.h>

#include "scan.h"
#include "texts.h"

#define MAX_US (UINT64_MAX / 2 / 1000)

struct fio {
    int version;
    uint64_t now; /* us */
    struct dsn__texts paths;
};

static const struct {
    const char *name;
    int op; /* -1: not reported */
    int placed;
} actions[] = {
    { "read", DARSHAN_TRACE_READ, 1 },    { "write", DARSHAN_TRACE_WRITE, 1 },
    { "open", DARSHAN_TRACE_OPEN, 0 },    { "close", DARSHAN_TRACE_CLOSE, 0 },
    { "sync", DARSHAN_TRACE_SYNC, 0 },    { "datasync", DARSHAN_TRACE_SYNC, 0 },
    { "trim", DARSHAN_TRACE_DISCARD, 1 }, { "add", -1, 0 },
};

static int is_heading(struct dsn__word line)
{
    return dsn__is(line, "fio version 2 iolog") || dsn__is(line, "fio version 3 iolog");
}

int dsn__fio_probe(const unsigned char *head, size_t n)
{
    struct dsn__scan s = dsn__scan((const char *)head, n);
    struct dsn__word line;

    if (!dsn__scan_line(&s, &line))
        return DSN__NO;
    return is_heading(line) ? DSN__SURELY : DSN__NO;
}

int dsn__fio_open(struct dsn__source *s)
{
    struct fio *f = calloc(1, sizeof *f);
    struct dsn__word line;

    s->state = f;
    if (!f)
        return dsn__wrong(s, "does not fit into memory") > 0;
    dsn__texts_init(&f->paths);
    if (dsn__line(s, &line.p, &line.n) <= 0 || !is_heading(line))
        return dsn__wrong(s, "does not begin with \"fio version 2 iolog\" or \"fio version 3 iolog\"") > 0;
    f->version = line.p[12] == '2' ? 2 : 3;
    if (f->version == 2)
        dsn__note(&s->notes, "the log is of version 2, which has no times except waits");
    return 1;
}

void dsn__fio_close(struct dsn__source *s)
{
    struct fio *f = s->state;

    if (f)
        dsn__texts_free(&f->paths);
    free(f);
}

/* File names may contain blanks: the action is the last word that is one, followed by numbers. */
static int split(struct dsn__scan rest, struct dsn__word *name, size_t *action, uint64_t *offset, uint64_t *length)
{
    for (const char *p = rest.end; p > rest.p; p--) {
        struct dsn__scan tail = { p, rest.end };
        struct dsn__word w;
        size_t i = 0;

        if (p[-1] != ' ')
            continue;
        w = dsn__scan_word(&tail, "");
        if (w.p != p)
            continue;
        while (i < sizeof actions / sizeof actions[0] && !dsn__is(w, actions[i].name))
            i++;
        if (i == sizeof actions / sizeof actions[0])
            continue;
        *offset = *length = 0;
        if (actions[i].placed && !(dsn__scan_u64(&tail, 10, offset) && dsn__scan_u64(&tail, 10, length)))
            continue;
        *name = (struct dsn__word){ rest.p, (size_t)(p - 1 - rest.p) };
        *action = i;
        return 1;
    }
    return 0;
}

int dsn__fio_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    struct fio *f = s->state;
    const char *line;
    size_t n, action = 0;
    uint64_t offset = 0, length = 0, us;
    struct dsn__word name = { 0 };
    int rc;

    while ((rc = dsn__line(s, &line, &n)) > 0) {
        struct dsn__scan scan = dsn__scan(line, n);
        uint32_t file;

        if (n == 0)
            continue;
        if (is_heading((struct dsn__word){ line, n }))
            return dsn__wrong_line(s, DSN__ANOTHER);
        if (f->version == 2 && n > 5 && memcmp(line, "wait ", 5) == 0) {
            scan.p += 5;
            if (!dsn__scan_u64(&scan, 10, &us) || us > MAX_US - f->now)
                return dsn__wrong_line(s, "has an invalid wait in microseconds");
            f->now += us;
            continue;
        }
        if (f->version == 3) {
            if (!dsn__scan_u64(&scan, 10, &us) || us > MAX_US || !dsn__scan_byte(&scan, ' '))
                return dsn__wrong_line(s, "does not begin with a time in microseconds");
            f->now = us;
        }
        if (!split(scan, &name, &action, &offset, &length))
            return dsn__wrong_line(s, "is not a file with an action of fio");
        if (actions[action].op < 0)
            continue;
        file = dsn__texts_add(&f->paths, name.p, name.n);
        if (file == DSN__NO_TEXT)
            return dsn__wrong(s, "has too many files for the memory");
        *e = (struct darshan_trace_event){ .start = f->now * 1000,
                                           .offset = offset,
                                           .length = length,
                                           .file = (uint64_t)file + 1,
                                           .op = (uint8_t)actions[action].op,
                                           .path = dsn__texts_text(&f->paths, file) };
        return 1;
    }
    return rc;
}
