/* strace.c - reads strace's output for calls that read, write, open, close, seek, sync and truncate
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Best recorded by `strace -ff -ttt -T -y -e trace=%desc,%file,%process -o PREFIX`: a file per process. One file for
 * all processes (-f) works, too. Calls do not include file offsets: these are tracked from open and lseek on, through
 * dup and fork. */
#include <config.h>
#include "readers.h"

#include <stdlib.h>

#include "opened.h"
#include "scan.h"

#define ARGUMENTS    8
#define LONGEST_PART 65536 /* bytes of a call that continues on another line */
#define NS_DIGITS    9

enum kind {
    AT_CURSOR,   /* of descriptor 0 */
    AT_LAST,     /* the last argument is the offset */
    AT_LAST_BUT, /* the last but one is */
    OPENS,       /* has arguments `path` and `flags` */
    CLOSES,
    SEEKS,
    SYNCS,
    TRUNCATES, /* argument 1 is the new size */
    RESIZES,   /* the same, by name */
    COPIES,    /* from descriptor 0 at 1 to descriptor 2 at 3 */
    SENDS,     /* from descriptor 1 at 2 to descriptor 0 */
    DUPLICATES,
    CONTROLS, /* may duplicate */
    FORKS,
};

static const struct call {
    const char *name;
    enum kind kind;
    int op;
    int path, flags;
} calls[] = {
    { "read", AT_CURSOR, DARSHAN_TRACE_READ, 0, 0 },
    { "write", AT_CURSOR, DARSHAN_TRACE_WRITE, 0, 0 },
    { "readv", AT_CURSOR, DARSHAN_TRACE_READ, 0, 0 },
    { "writev", AT_CURSOR, DARSHAN_TRACE_WRITE, 0, 0 },
    { "pread64", AT_LAST, DARSHAN_TRACE_READ, 0, 0 },
    { "pwrite64", AT_LAST, DARSHAN_TRACE_WRITE, 0, 0 },
    { "pread", AT_LAST, DARSHAN_TRACE_READ, 0, 0 },
    { "pwrite", AT_LAST, DARSHAN_TRACE_WRITE, 0, 0 },
    { "preadv", AT_LAST, DARSHAN_TRACE_READ, 0, 0 },
    { "pwritev", AT_LAST, DARSHAN_TRACE_WRITE, 0, 0 },
    { "preadv2", AT_LAST_BUT, DARSHAN_TRACE_READ, 0, 0 },
    { "pwritev2", AT_LAST_BUT, DARSHAN_TRACE_WRITE, 0, 0 },
    { "open", OPENS, DARSHAN_TRACE_OPEN, 0, 1 },
    { "openat", OPENS, DARSHAN_TRACE_OPEN, 1, 2 },
    { "openat2", OPENS, DARSHAN_TRACE_OPEN, 1, 2 },
    { "creat", OPENS, DARSHAN_TRACE_OPEN, 0, -1 },
    { "close", CLOSES, DARSHAN_TRACE_CLOSE, 0, 0 },
    { "lseek", SEEKS, DARSHAN_TRACE_SEEK, 0, 0 },
    { "fsync", SYNCS, DARSHAN_TRACE_SYNC, 0, 0 },
    { "fdatasync", SYNCS, DARSHAN_TRACE_SYNC, 0, 0 },
    { "sync_file_range", SYNCS, DARSHAN_TRACE_SYNC, 0, 0 },
    { "ftruncate", TRUNCATES, DARSHAN_TRACE_TRUNCATE, 0, 0 },
    { "truncate", RESIZES, DARSHAN_TRACE_TRUNCATE, 0, 0 },
    { "copy_file_range", COPIES, 0, 0, 0 },
    { "splice", COPIES, 0, 0, 0 },
    { "sendfile", SENDS, 0, 0, 0 },
    { "dup", DUPLICATES, 0, 0, 0 },
    { "dup2", DUPLICATES, 0, 0, 0 },
    { "dup3", DUPLICATES, 0, 0, 0 },
    { "fcntl", CONTROLS, 0, 0, 0 },
    { "clone", FORKS, 0, 0, 0 },
    { "clone3", FORKS, 0, 0, 0 },
    { "fork", FORKS, 0, 0, 0 },
    { "vfork", FORKS, 0, 0, 0 },
};
#define NCALLS (sizeof calls / sizeof calls[0])

struct strace {
    struct dsn__processes processes;
    uint64_t process;                   /* of a file whose lines do not have it */
    uint64_t midnight, last_of_day;     /* ns: of times of day, which restart at midnight */
    int times_of_day, timed;            /* `timed`: a line had a time */
    struct darshan_trace_event waiting; /* the second event of a call */
    int waits;
    char *whole;              /* a reassembled call */
    char *path, *second_path; /* name of the file that an event is about, which may have been closed */
};

/* A parsed line. */
struct line {
    uint64_t start, duration, process;
    struct dsn__word name, arguments[ARGUMENTS];
    size_t narguments;
    struct dsn__word result; /* "3</tmp/x>" */
    int64_t value;
    int failed;
};

/* ------------------------------------------------------------------ the parts of a line */

/* "1795432826.768701", "10:33:46.768701", in ns. Returns 0 if it is neither. */
static int take_time(struct dsn__scan *s, uint64_t *ns, int *of_day)
{
    struct dsn__scan t = *s;
    uint64_t hours, minutes, seconds;

    *of_day = 0;
    if (dsn__scan_u64(&t, 10, &hours) && dsn__scan_byte(&t, ':') && dsn__scan_u64(&t, 10, &minutes) &&
        dsn__scan_byte(&t, ':') && dsn__scan_fixed(&t, NS_DIGITS, &seconds) && hours < 25 && minutes < 60 &&
        seconds < 61000000000u) {
        *of_day = 1;
        *ns = (hours * 60 + minutes) * 60000000000u + seconds;
    } else {
        t = *s;
        if (!dsn__scan_u64(&t, 10, &seconds) || t.p == t.end || *t.p != '.')
            return 0;
        t = *s;
        if (!dsn__scan_fixed(&t, NS_DIGITS, ns) || *ns > UINT64_MAX / 4)
            return 0;
    }
    if (t.p == t.end || *t.p != ' ')
        return 0;
    *s = t;
    return 1;
}

/* "[pid 123] " or "123 " before the time. */
static int take_process(struct dsn__scan *s, uint64_t *process)
{
    struct dsn__scan t = *s;
    uint64_t ns;
    int of_day;

    if (t.end - t.p > 5 && memcmp(t.p, "[pid ", 5) == 0) {
        t.p += 5;
        if (!dsn__scan_u64(&t, 10, process) || !dsn__scan_byte(&t, ']'))
            return 0;
        *s = t;
        return 1;
    }
    if (take_time(&t, &ns, &of_day)) /* it starts with the time */
        return 0;
    if (!dsn__scan_u64(&t, 10, process) || t.p == t.end || *t.p != ' ')
        return 0;
    *s = t;
    return 1;
}

/* Skips a quoted text, which may contain any byte except unescaped quotes. */
static const char *behind_quotes(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        if (*p == '\\' && p + 1 < end)
            p++;
    return p < end ? p + 1 : end;
}

/* "(3</tmp/x>, "abc"..., 3)": arguments are separated by commas outside of quotes and brackets. Returns 0 if it is not
 * terminated. */
static int take_arguments(struct dsn__scan *s, struct line *l)
{
    int depth = 0;
    const char *begin;

    if (!dsn__scan_byte(s, '('))
        return 0;
    begin = s->p;
    l->narguments = 0;
    while (s->p < s->end) {
        const char c = *s->p;

        if (c == '"') {
            s->p = behind_quotes(s->p, s->end);
            continue;
        }
        if (c == '<' && s->p > begin && s->p[-1] >= '0' && s->p[-1] <= '9') { /* the file of a descriptor */
            const char *to = memchr(s->p, '>', (size_t)(s->end - s->p));

            s->p = to ? to + 1 : s->end;
            continue;
        }
        if ((c == ',' || c == ')') && depth == 0) {
            if (l->narguments < ARGUMENTS && s->p > begin)
                l->arguments[l->narguments++] = (struct dsn__word){ begin, (size_t)(s->p - begin) };
            s->p++;
            if (c == ')')
                return 1;
            while (s->p < s->end && *s->p == ' ')
                s->p++;
            begin = s->p;
            continue;
        }
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        s->p++;
    }
    return 0;
}

/* " = 3</tmp/x> <0.000012>", " = -1 ENOENT (...) <...>", " = ?". Returns 0 if there is no result. */
static int take_result(struct dsn__scan *s, struct line *l)
{
    const char *from;
    struct dsn__scan t;
    uint64_t v;
    int negative;

    while (s->p < s->end && *s->p == ' ')
        s->p++;
    if (!dsn__scan_byte(s, '=') || !dsn__scan_byte(s, ' '))
        return 0;
    l->duration = 0;
    for (from = s->end; from > s->p && from[-1] != '<';)
        from--;
    if (from > s->p && s->end[-1] == '>') {
        t = dsn__scan(from, (size_t)(s->end - 1 - from));
        if (!dsn__scan_fixed(&t, NS_DIGITS, &l->duration) || t.p != t.end || l->duration > UINT64_MAX / 4)
            l->duration = 0;
    }
    l->result = (struct dsn__word){ s->p, (size_t)(s->end - s->p) };
    negative = dsn__scan_byte(s, '-');
    l->failed = negative;
    if (!dsn__scan_u64(s, s->end - s->p > 2 && memcmp(s->p, "0x", 2) == 0 ? 16 : 10, &v) || v > INT64_MAX)
        return 0;
    l->value = negative ? -(int64_t)v : (int64_t)v;
    return 1;
}

static const struct call *call_of(struct dsn__word name)
{
    for (size_t i = 0; i < NCALLS; i++)
        if (dsn__is(name, calls[i].name))
            return &calls[i];
    return NULL;
}

/* ------------------------------------------------------------------ files */

/* The text between < and > after a descriptor; n = 0: none. */
static struct dsn__word path_of(struct dsn__word w)
{
    const char *from = memchr(w.p, '<', w.n), *to;

    if (!from)
        return (struct dsn__word){ w.p, 0 };
    to = memchr(from, '>', w.n - (size_t)(from - w.p));
    return (struct dsn__word){ from + 1, to ? (size_t)(to - from - 1) : 0 };
}

/* A quoted text. */
static struct dsn__word unquoted(struct dsn__word w)
{
    return w.n >= 2 && w.p[0] == '"' ? (struct dsn__word){ w.p + 1, w.n - 2 } : (struct dsn__word){ w.p, 0 };
}

static int begins(const char *path, size_t n, const char *with)
{
    return n >= strlen(with) && memcmp(path, with, strlen(with)) == 0;
}

/* Pipes, sockets and terminals have no file offset. */
static int has_places(const char *path, size_t n)
{
    static const char *const devices[] = { "/dev/shm/", "/dev/sd",  "/dev/vd", "/dev/nvme",
                                           "/dev/loop", "/dev/dm-", "/dev/md", "/dev/mapper/" };

    if (n == 0 || path[0] != '/')
        return n > 0 && !memchr(path, ':', n); /* a relative name, but not "pipe:[1]" */
    if (!begins(path, n, "/dev/"))
        return 1;
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (begins(path, n, devices[i]))
            return 1;
    return 0;
}

static int holds(struct dsn__word w, const char *text)
{
    return memmem(w.p, w.n, text, strlen(text)) != NULL;
}

/* The open file of a descriptor; an unknown one was opened before the trace began. */
static struct dsn__opened *file_of(struct dsn__source *s, struct dsn__process *p, struct dsn__word argument)
{
    struct strace *t = s->state;
    struct dsn__scan scan = dsn__scan(argument.p, argument.n);
    const struct dsn__word path = path_of(argument);
    struct dsn__opened *o;
    uint64_t fd;

    if (!dsn__scan_u64(&scan, 10, &fd))
        return NULL;
    o = dsn__opened(p, fd);
    if (o && !(path.n > 0 && o->path && (strlen(o->path) != path.n || memcmp(o->path, path.p, path.n) != 0) &&
               path.p[0] == '/' && o->path[0] == '/'))
        return o;
    o = dsn__open(&t->processes, p, fd, path.n > 0 ? path.p : NULL, path.n);
    if (!o)
        return NULL;
    o->seekable = path.n > 0 ? has_places(path.p, path.n) : fd > 2;
    if (o->seekable)
        dsn__note(&s->notes,
                  "some files were open before the trace started: offsets in these are relative to that position");
    return o;
}

static int opened(struct dsn__source *s, struct dsn__process *p, const struct line *l, const struct call *c,
                  struct darshan_trace_event *e)
{
    struct strace *t = s->state;
    const struct dsn__word none = { "", 0 };
    const struct dsn__word flags = c->flags < 0                       ? (struct dsn__word){ "O_TRUNC", 7 }
                                   : (size_t)c->flags < l->narguments ? l->arguments[c->flags]
                                                                      : none;
    struct dsn__word path = l->failed ? none : path_of(l->result);
    struct dsn__opened *o;

    /* "= 3 <0.000012>": only text immediately after the descriptor is its file */
    if (path.n > 0 && path.p - 1 > l->result.p && path.p[-2] == ' ')
        path.n = 0;
    if (path.n == 0 && (size_t)c->path < l->narguments)
        path = unquoted(l->arguments[c->path]);
    if (l->failed) {
        e->flags |= DARSHAN_TRACE_FAILED;
        e->file = ++t->processes.last_id;
        free(t->path);
        t->path = strndup(path.p, path.n);
        e->path = t->path;
        return 1;
    }
    o = dsn__open(&t->processes, p, (uint64_t)l->value, path.p, path.n);
    if (!o)
        return 1; /* a descriptor that does not exist */
    o->seekable = has_places(path.p, path.n);
    o->appends = holds(flags, "O_APPEND");
    o->sized = holds(flags, "O_TRUNC") || holds(flags, "O_EXCL");
    e->file = o->id;
    e->path = o->path;
    return 1;
}

/* Sets the event's file and process; the name remains valid after the file is closed. */
static int about(struct dsn__source *s, struct darshan_trace_event *e, const struct dsn__opened *o)
{
    struct strace *t = s->state;
    char **const keep = e == &t->waiting ? &t->second_path : &t->path;

    e->file = o->id;
    if (o->path && (!*keep || strcmp(*keep, o->path) != 0)) {
        free(*keep);
        *keep = strdup(o->path);
        if (!*keep)
            return dsn__wrong(s, "does not fit into memory");
    }
    e->path = o->path ? *keep : NULL;
    if (!o->seekable)
        e->flags |= DARSHAN_TRACE_NO_OFFSET;
    return 1;
}

/* Bytes at the file offset, or at a given offset. */
static void moved(struct dsn__opened *o, struct darshan_trace_event *e, const uint64_t *at)
{
    if (at) {
        e->offset = *at;
    } else if (o->appends && e->op == DARSHAN_TRACE_WRITE) {
        if (o->sized)
            e->offset = o->size;
        else
            e->flags |= DARSHAN_TRACE_NO_OFFSET;
    } else {
        e->offset = o->position;
    }
    if (e->flags & DARSHAN_TRACE_NO_OFFSET)
        e->offset = 0;
    if (e->offset > INT64_MAX - e->length)
        e->offset = 0;
    if (!at)
        o->position = e->offset + e->length;
    if (e->op == DARSHAN_TRACE_WRITE && e->offset + e->length > o->size)
        o->size = e->offset + e->length;
}

/* ------------------------------------------------------------------ calls */

/* "[8192]", "8192" or NULL. Returns 0 if there is no offset. */
static int place_in(struct dsn__word w, uint64_t *at)
{
    struct dsn__scan s = dsn__scan(w.p, w.n);

    dsn__scan_byte(&s, '[');
    return dsn__scan_u64(&s, 10, at);
}

/* One side of a copy. */
static int side(struct dsn__source *s, struct dsn__process *p, struct dsn__word fd, const struct dsn__word *at, int op,
                struct darshan_trace_event *e)
{
    struct dsn__opened *o = file_of(s, p, fd);
    uint64_t place;
    int given;

    if (!o)
        return 0;
    e->op = (uint8_t)op;
    if (about(s, e, o) < 0)
        return -1;
    given = at && place_in(*at, &place);
    moved(o, e, given ? &place : NULL);
    return 1;
}

/* A copy is a read and a write. */
static int copied(struct dsn__source *s, struct dsn__process *p, const struct line *l, enum kind kind,
                  struct darshan_trace_event *e)
{
    struct strace *t = s->state;
    const struct dsn__word *a = l->arguments;
    int rc;

    if (l->narguments < 4)
        return 0;
    t->waiting = *e;
    rc = kind == COPIES ? side(s, p, a[0], &a[1], DARSHAN_TRACE_READ, e)
                        : side(s, p, a[1], &a[2], DARSHAN_TRACE_READ, e);
    if (rc <= 0)
        return rc;
    rc = kind == COPIES ? side(s, p, a[2], &a[3], DARSHAN_TRACE_WRITE, &t->waiting)
                        : side(s, p, a[0], NULL, DARSHAN_TRACE_WRITE, &t->waiting);
    if (rc < 0)
        return rc;
    t->waits = rc > 0;
    return 1;
}

static int transferred(struct dsn__source *s, struct dsn__process *p, const struct line *l, const struct call *c,
                       struct darshan_trace_event *e)
{
    const size_t last = c->kind == AT_LAST_BUT ? 2 : 1;
    struct dsn__opened *o = l->narguments > 0 ? file_of(s, p, l->arguments[0]) : NULL;
    uint64_t at;

    if (!o)
        return 0;
    if (about(s, e, o) < 0)
        return -1;
    if (c->kind != AT_CURSOR && (l->narguments <= last || !place_in(l->arguments[l->narguments - last], &at)))
        return 0;
    moved(o, e, c->kind == AT_CURSOR ? NULL : &at);
    return 1;
}

/* Calls whose first argument is a descriptor and that move no data. */
static int other(struct dsn__source *s, struct dsn__process *p, const struct line *l, const struct call *c,
                 struct darshan_trace_event *e)
{
    struct dsn__opened *o = l->narguments > 0 ? file_of(s, p, l->arguments[0]) : NULL;
    uint64_t v;
    struct dsn__scan fd;

    if (!o)
        return 0;
    if (about(s, e, o) < 0)
        return -1;
    e->length = 0;
    if (c->kind == SEEKS && !l->failed) {
        e->offset = o->position = (uint64_t)l->value;
    } else if (c->kind == TRUNCATES && l->narguments > 1 && dsn__word_u64(l->arguments[1], 10, &v)) {
        e->offset = o->size = v;
    } else if (c->kind == CLOSES) {
        fd = dsn__scan(l->arguments[0].p, l->arguments[0].n);
        if (dsn__scan_u64(&fd, 10, &v))
            dsn__close(p, v);
    }
    return 1;
}

/* A file that need not be open. */
static int resized(struct dsn__source *s, const struct line *l, struct darshan_trace_event *e)
{
    struct strace *t = s->state;
    const struct dsn__word path = l->narguments > 0 ? unquoted(l->arguments[0]) : (struct dsn__word){ "", 0 };
    uint64_t size;

    if (path.n == 0 || l->narguments < 2 || !dsn__word_u64(l->arguments[1], 10, &size))
        return 0;
    free(t->path);
    t->path = strndup(path.p, path.n);
    e->path = t->path;
    e->file = ++t->processes.last_id;
    e->offset = l->failed ? 0 : size;
    e->length = 0;
    return 1;
}

/* New descriptors and processes; no events. */
static int descended(struct dsn__source *s, struct dsn__process *p, const struct line *l, enum kind kind)
{
    struct strace *t = s->state;
    struct dsn__scan fd = dsn__scan(l->narguments ? l->arguments[0].p : "", l->narguments ? l->arguments[0].n : 0);
    int shared = 0, ok = 1;
    uint64_t from;

    if (l->failed)
        return 0;
    if (kind == FORKS) {
        for (size_t i = 0; i < l->narguments; i++)
            shared |= holds(l->arguments[i], "CLONE_FILES");
        ok = dsn__inherit(&t->processes, p->id, (uint64_t)l->value, shared);
    } else if ((kind == DUPLICATES || (l->narguments > 1 && begins(l->arguments[1].p, l->arguments[1].n, "F_DUPFD"))) &&
               file_of(s, p, l->narguments ? l->arguments[0] : (struct dsn__word){ "", 0 }) &&
               dsn__scan_u64(&fd, 10, &from)) {
        ok = dsn__duplicate(p, from, (uint64_t)l->value);
    }
    return ok ? 0 : dsn__wrong(s, "has too many files for the memory");
}

/* The event of a call: 1; 0: none; -1. */
static int call(struct dsn__source *s, const struct line *l, const struct call *c, struct darshan_trace_event *e)
{
    struct strace *t = s->state;
    struct dsn__process *p = dsn__process_of(&t->processes, l->process);

    if (!p)
        return dsn__wrong(s, "has too many processes for the memory");
    *e = (struct darshan_trace_event){ .start = l->start,
                                       .duration = l->duration,
                                       .process = l->process,
                                       .op = (uint8_t)c->op,
                                       .flags = l->failed ? DARSHAN_TRACE_FAILED : 0,
                                       .length = l->failed ? 0 : (uint64_t)l->value };
    switch (c->kind) {
    case AT_CURSOR:
    case AT_LAST:
    case AT_LAST_BUT:
        return transferred(s, p, l, c, e);
    case OPENS:
        e->length = 0;
        return opened(s, p, l, c, e);
    case RESIZES:
        return resized(s, l, e);
    case COPIES:
    case SENDS:
        return copied(s, p, l, c->kind, e);
    case CLOSES:
    case SEEKS:
    case SYNCS:
    case TRUNCATES:
        return other(s, p, l, c, e);
    case DUPLICATES:
    case CONTROLS:
    case FORKS:
        break;
    }
    return descended(s, p, l, c->kind);
}

/* ------------------------------------------------------------------ lines */

/* "read(3</x>, <unfinished ...>": kept until the call is resumed. Returns 0 if it is not one. */
static int unfinished(struct dsn__source *s, struct dsn__scan rest, const struct line *l)
{
    static const char mark[] = "<unfinished ...>";
    const size_t n = (size_t)(rest.end - rest.p), length = sizeof mark - 1;
    struct strace *t = s->state;
    struct dsn__process *p;

    if (n < length || memcmp(rest.end - length, mark, length) != 0)
        return 0;
    p = dsn__process_of(&t->processes, l->process);
    if (!p)
        return dsn__wrong(s, "has too many processes for the memory");
    free(p->pending);
    p->pending = n - length < LONGEST_PART ? strndup(rest.p, n - length) : NULL;
    p->pending_start = l->start;
    return 1;
}

/* "<... read resumed>"abc", 3) = 3 <0.1>": reassembles the call. 1; 0: its start is unknown; -1. */
static int resumed(struct dsn__source *s, struct dsn__scan *rest, struct line *l)
{
    struct strace *t = s->state;
    struct dsn__process *p = dsn__process_of(&t->processes, l->process);
    const char *end = memmem(rest->p, (size_t)(rest->end - rest->p), " resumed>", 9);
    size_t n, m;

    if (!p || !p->pending || !end)
        return 0;
    n = strlen(p->pending);
    m = (size_t)(rest->end - (end + 9));
    free(t->whole);
    t->whole = malloc(n + m);
    if (!t->whole)
        return dsn__wrong(s, "does not fit into memory");
    memcpy(t->whole, p->pending, n);
    memcpy(t->whole + n, end + 9, m);
    *rest = dsn__scan(t->whole, n + m);
    l->start = p->pending_start;
    free(p->pending);
    p->pending = NULL;
    return 1;
}

/* Continues times of day after midnight. */
static uint64_t on_one_line(struct strace *t, uint64_t ns)
{
    if (t->last_of_day > ns && t->last_of_day - ns > 43200000000000u)
        t->midnight += 86400000000000u;
    t->last_of_day = ns;
    return t->midnight + ns;
}

/* The start of a line, up to the call. 1; 0: it has no time. */
static int take_head(struct strace *t, struct dsn__scan *scan, struct line *l)
{
    l->process = t->process;
    take_process(scan, &l->process);
    if (!take_time(scan, &l->start, &t->times_of_day))
        return 0;
    t->timed = 1;
    if (t->times_of_day)
        l->start = on_one_line(t, l->start);
    while (scan->p < scan->end && *scan->p == ' ')
        scan->p++;
    return 1;
}

/* The event of a line: 1; 0: none; -1. */
static int line_event(struct dsn__source *s, const char *text, size_t n, struct darshan_trace_event *e)
{
    struct strace *t = s->state;
    struct dsn__scan scan = dsn__scan(text, n);
    struct line l = { 0 };
    const struct call *c;
    int rc;

    if (!take_head(t, &scan, &l)) {
        dsn__note(&s->notes, "lines without time (strace has -ttt for that) are left out");
        return 0;
    }
    if (begins(scan.p, (size_t)(scan.end - scan.p), "+++ ")) {
        struct dsn__process *p = dsn__process_of(&t->processes, l.process);

        if (p)
            dsn__exit(p);
        return 0;
    }
    rc = unfinished(s, scan, &l);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    if (begins(scan.p, (size_t)(scan.end - scan.p), "<... ")) {
        rc = resumed(s, &scan, &l);
        if (rc <= 0)
            return rc;
    }
    l.name = dsn__scan_word(&scan, "(");
    c = call_of(l.name);
    if (!c || !take_arguments(&scan, &l) || !take_result(&scan, &l))
        return 0;
    return call(s, &l, c, e);
}

int dsn__strace_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    struct strace *t = s->state;
    const char *line;
    size_t n;
    int rc;

    if (t->waits) {
        t->waits = 0;
        *e = t->waiting;
        return 1;
    }
    while ((rc = dsn__line(s, &line, &n)) > 0) {
        rc = line_event(s, line, n, e);
        if (rc != 0)
            return rc;
    }
    if (rc == 0 && !t->timed)
        return dsn__wrong(s, "has no line with a time: strace writes them with -ttt -T -y");
    return rc;
}

int dsn__strace_probe(const unsigned char *head, size_t n)
{
    struct dsn__scan s = dsn__scan((const char *)head, n);
    struct dsn__word line;
    struct strace t = { 0 };
    int found = DSN__NO;

    for (int i = 0; i < 10 && dsn__scan_line(&s, &line); i++) {
        struct dsn__scan scan = dsn__scan(line.p, line.n);
        struct line l = { 0 };

        if (!take_head(&t, &scan, &l))
            continue;
        l.name = dsn__scan_word(&scan, "(");
        if (l.name.n > 0 && scan.p < scan.end && *scan.p == '(' && take_arguments(&scan, &l) && take_result(&scan, &l))
            return DSN__SURELY;
        if (l.name.n > 0 && (dsn__is(l.name, "+++") || dsn__is(l.name, "---") || dsn__is(l.name, "<...")))
            found = DSN__MAYBE;
    }
    return found;
}

/* "out.123" of -ff, where lines have no process. */
static uint64_t process_of_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    uint64_t id;

    return dot && dsn__word_u64((struct dsn__word){ dot + 1, strlen(dot + 1) }, 10, &id) ? id : 0;
}

int dsn__strace_open(struct dsn__source *s)
{
    struct strace *t = calloc(1, sizeof *t);
    struct dsn__scan scan;
    struct dsn__word line;
    const unsigned char *head;
    uint64_t ns;
    size_t n;

    s->state = t;
    if (!t)
        return dsn__wrong(s, "does not fit into memory") > 0;
    dsn__processes_init(&t->processes);
    t->process = process_of_name(s->path);
    head = dsn__input_peek(&s->in, &n);
    for (scan = dsn__scan((const char *)head, n); dsn__scan_line(&scan, &line);) {
        struct dsn__scan first = dsn__scan(line.p, line.n);
        uint64_t process;
        int of_day;

        take_process(&first, &process);
        if (take_time(&first, &ns, &of_day)) {
            s->clock = of_day ? DSN__ANYWHERE : DSN__CALENDAR;
            break;
        }
    }
    return 1;
}

void dsn__strace_close(struct dsn__source *s)
{
    struct strace *t = s->state;

    if (!t)
        return;
    dsn__processes_free(&t->processes);
    free(t->whole);
    free(t->path);
    free(t->second_path);
    free(t);
}
