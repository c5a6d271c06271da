/* calls.c - reads the file of calls that a process writes under DARSHAN_TRACE (darshan-log-format/calls.h)
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chunks are allocated to threads, so that only the calls of each thread are in order. The CPU time of an event is what
 * its thread has used since its previous call (see dsn__row.traits); it is summed for the process once all events are
 * sorted. Without a timestamp record the time between two calls counts as CPU time; the next such record corrects
 * that. */
#include <config.h>
#include "readers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "darshan-log-format/calls.h"
#include "util/lib/grow.h"
#include "util/lib/idmap.h"
#include "bytes.h"
#include "texts.h"

#define MAX_NS (UINT64_MAX / 4)

_Static_assert((int)DSN_CALL_READ == DARSHAN_TRACE_READ && (int)DSN_CALL_WRITE == DARSHAN_TRACE_WRITE &&
                   (int)DSN_CALL_OPEN == DARSHAN_TRACE_OPEN && (int)DSN_CALL_CLOSE == DARSHAN_TRACE_CLOSE &&
                   (int)DSN_CALL_SEEK == DARSHAN_TRACE_SEEK && (int)DSN_CALL_SYNC == DARSHAN_TRACE_SYNC &&
                   (int)DSN_CALL_TRUNCATE == DARSHAN_TRACE_TRUNCATE,
               "calls are numbered alike");

/* CPU time of a thread, ns. */
struct thread {
    uint64_t used; /* by the last stamp, plus the time between calls since */
    uint64_t told; /* assigned to events */
};

struct calls {
    uint64_t process;
    uint64_t epoch, first;  /* the same time: ns since 1970, ticks */
    uint64_t chunks, chunk; /* total, and started */
    uint64_t first_file;    /* first file number of this process's file */
    uint64_t most_file;     /* the highest in all events so far */
    double tick;            /* ns */
    const char *host;
    struct dsn__texts texts;
    struct dsn__idmap files;   /* file number -> number of its name */
    struct dsn__idmap threads; /* thread number -> index */
    struct thread *thread;
    size_t thread_room;

    /* In the current chunk. */
    const unsigned char *at, *end;
    uint64_t last, offset, length; /* ticks, bytes: of the previous call */
    uint32_t file;
    uint32_t now; /* index of the thread; DSN_IDMAP_NONE: unknown */
};

int dsn__calls_probe(const unsigned char *head, size_t n)
{
    return n >= 8 && dsn__le64(head) == DSN_CALLS_MAGIC ? DSN__SURELY : DSN__NO;
}

/* ------------------------------------------------------------------ the head */

static uint64_t number(const unsigned char *head, size_t at)
{
    return dsn__le64(head + at);
}

#define NUMBER(head, field) number(head, offsetof(struct dsn_calls_head, field))

/* The length of a tick, from the earliest and the latest known pair of times; between 0.1 and 20 GHz. */
static double tick_of(const unsigned char *head)
{
    const double ticks = (double)NUMBER(head, last.ticks) - (double)NUMBER(head, first.ticks);
    const double ns = (double)NUMBER(head, last.ns) - (double)NUMBER(head, first.ns);

    return ticks > 0 && ns >= ticks * 0.05 && ns <= ticks * 10 ? ns / ticks : 0;
}

static const char *text_of(struct calls *c, const unsigned char *text, size_t room)
{
    const uint32_t n = dsn__texts_add(&c->texts, (const char *)text, strnlen((const char *)text, room));

    return dsn__texts_text(&c->texts, n);
}

static int read_head(struct dsn__source *s, struct calls *c)
{
    const unsigned char *head = dsn__input_bytes(&s->in, DSN_CALLS_HEAD);
    int64_t rank;

    if (!head || NUMBER(head, magic) != DSN_CALLS_MAGIC)
        return dsn__wrong(s, "does not begin with the head of a file of calls");
    if (dsn__le32(head + offsetof(struct dsn_calls_head, version)) != DSN_CALLS_VERSION ||
        dsn__le32(head + offsetof(struct dsn_calls_head, head_size)) != DSN_CALLS_HEAD ||
        dsn__le32(head + offsetof(struct dsn_calls_head, chunk_size)) != DSN_CALLS_CHUNK)
        return dsn__wrong(s, "is a file of calls of another version than %d", DSN_CALLS_VERSION);
    rank = (int64_t)NUMBER(head, rank);
    c->process = rank >= 0 ? (uint64_t)rank : NUMBER(head, process);
    c->epoch = NUMBER(head, epoch);
    c->first = NUMBER(head, first.ticks);
    c->chunks = NUMBER(head, taken);
    c->chunk = 0;
    c->tick = tick_of(head);
    c->host = text_of(c, head + offsetof(struct dsn_calls_head, host), sizeof((struct dsn_calls_head *)0)->host);
    if (c->epoch > MAX_NS)
        return dsn__wrong(s, "says that it began more than 146 years after 1970");
    if (c->tick == 0)
        return dsn__wrong(s, "does not say how long a tick of its clock is");
    if (!c->host)
        return dsn__wrong(s, "does not fit into memory");
    s->info.left_out += NUMBER(head, left_out);
    s->info.thinned = s->info.left_out > 0;
    s->info.tick_us = 1;
    s->info.cpu = DARSHAN_TRACE_CPU_RECORDED;
    s->info.directives = 1;
    s->clock = DSN__CALENDAR;
    return 1;
}

int dsn__calls_open(struct dsn__source *s)
{
    struct calls *c = calloc(1, sizeof *c);

    s->state = c;
    if (!c)
        return dsn__wrong(s, "does not fit into memory") > 0;
    dsn__texts_init(&c->texts);
    dsn__idmap_init(&c->files);
    dsn__idmap_init(&c->threads);
    return read_head(s, c) > 0;
}

void dsn__calls_close(struct dsn__source *s)
{
    struct calls *c = s->state;

    if (!c)
        return;
    dsn__texts_free(&c->texts);
    dsn__idmap_free(&c->files);
    dsn__idmap_free(&c->threads);
    free(c->thread);
    free(c);
}

/* ------------------------------------------------------------------ records */

static int damaged(struct dsn__source *s, const struct calls *c, const char *what)
{
    return dsn__wrong(s, "has a record that %s, %zd bytes before byte %" PRIu64, what, (ssize_t)(c->end - c->at),
                      s->in.taken);
}

static int is_zero(const unsigned char *bytes, size_t n)
{
    while (n > 0 && bytes[n - 1] == 0)
        n--;
    return n == 0;
}

/* Concatenated files. The hole after the calls of a killed process is skipped in a pipe; in a file, where it may have
 * any size, it is the end. 1, 0, -1. */
static int next_file(struct dsn__source *s, struct calls *c)
{
    const int is_pipe = lseek(s->in.fd, 0, SEEK_CUR) < 0;
    const unsigned char *head;
    size_t n;

    while (head = dsn__input_peek(&s->in, &n), is_pipe && n >= DSN_CALLS_HEAD && is_zero(head, DSN_CALLS_HEAD))
        dsn__input_skip(&s->in, DSN_CALLS_HEAD);
    if (n < DSN_CALLS_HEAD || !dsn__calls_probe(head, n))
        return 0;
    dsn__idmap_free(&c->files);
    dsn__idmap_free(&c->threads);
    dsn__idmap_init(&c->files);
    dsn__idmap_init(&c->threads);
    free(c->thread);
    c->thread = NULL;
    c->thread_room = 0;
    c->first_file = c->most_file;
    return read_head(s, c);
}

/* The next chunk that is not empty. 1, 0, -1. */
static int next_chunk(struct dsn__source *s, struct calls *c)
{
    const struct dsn_calls_chunk *const none = NULL;
    int rc = 1;

    while (rc > 0) {
        const unsigned char *chunk;
        uint32_t used;

        if (c->chunk >= c->chunks) {
            rc = next_file(s, c);
            continue;
        }
        chunk = dsn__input_bytes(&s->in, DSN_CALLS_CHUNK);
        if (!chunk)
            return dsn__wrong(s, "%s",
                              dsn__input_failed(&s->in) ? dsn__input_failed(&s->in)
                                                        : "ends before the last of its chunks does");
        c->chunk++;
        if (dsn__le32(chunk) == 0)
            continue;
        used = dsn__le32(chunk + sizeof none->magic);
        if (dsn__le32(chunk) != DSN_CALLS_CHUNK_MAGIC || used > DSN_CALLS_CHUNK - sizeof *none)
            return dsn__wrong(s, "has a damaged chunk before byte %" PRIu64, s->in.taken);
        c->at = chunk + sizeof *none;
        c->end = c->at + used;
        c->now = DSN_IDMAP_NONE;
        return 1;
    }
    return rc;
}

static int take_name(struct dsn__source *s, struct calls *c)
{
    const size_t left = (size_t)(c->end - c->at);
    uint32_t name, file;
    size_t n;

    if (left < DSN_CALLS_NAME_HEAD || left - DSN_CALLS_NAME_HEAD < (n = dsn__le16(c->at + 6)))
        return damaged(s, c, "names a file and is truncated");
    file = dsn__le32(c->at + 2);
    name = dsn__texts_add(&c->texts, (const char *)c->at + DSN_CALLS_NAME_HEAD, n);
    if (name == DSN__NO_TEXT || dsn__idmap_add(&c->files, file, name) == DSN_IDMAP_NONE)
        return dsn__wrong(s, "has too many files for the memory");
    dsn__idmap_set(&c->files, file, name);
    c->at += DSN_CALLS_NAME_HEAD + n;
    return 1;
}

static int take_stamp(struct dsn__source *s, struct calls *c)
{
    const size_t before = c->threads.used;
    uint64_t cpu;

    if ((size_t)(c->end - c->at) < DSN_CALLS_STAMP_SIZE)
        return damaged(s, c, "has a time and is truncated");
    c->now = dsn__idmap_add(&c->threads, dsn__le32(c->at + 2), (uint32_t)before);
    if (c->now == DSN_IDMAP_NONE || !dsn_grow_zeroed(&c->thread, &c->thread_room, sizeof *c->thread, c->now))
        return dsn__wrong(s, "has too many threads for the memory");
    cpu = dsn__le64(c->at + 6);
    c->last = dsn__le64(c->at + 14);
    c->offset = c->length = c->file = 0;
    if (cpu <= MAX_NS)
        c->thread[c->now].used = cpu;
    c->at += DSN_CALLS_STAMP_SIZE;
    return 1;
}

/* Reads an integer of the number of bytes given by the code: 1 if there were so many. */
static int take_bytes(const unsigned char **at, const unsigned char *end, unsigned size, uint64_t *out)
{
    *out = 0;
    if ((size_t)(end - *at) < size)
        return 0;
    for (unsigned i = 0; i < size; i++)
        *out |= (uint64_t)(*at)[i] << 8 * i;
    *at += size;
    return 1;
}

/* A decoded record of a call. */
struct call {
    uint64_t start, duration, file, offset, length;
};

static int take_call(struct dsn__source *s, struct calls *c, unsigned head, struct call *out)
{
    const unsigned char *at = c->at + 2;
    const unsigned code[] = { head >> DSN_CALLS_START & 3, head >> DSN_CALLS_DURATION & 3, head >> DSN_CALLS_FILE & 3,
                              head >> DSN_CALLS_OFFSET & 3, head >> DSN_CALLS_LENGTH & 3 };

    if (!take_bytes(&at, c->end, 1u << code[0], &out->start) ||
        !take_bytes(&at, c->end, 1u << code[1], &out->duration) ||
        !take_bytes(&at, c->end, (1u << code[2]) >> 1, &out->file) ||
        !take_bytes(&at, c->end, (1u << code[3]) & ~1u, &out->offset) ||
        !take_bytes(&at, c->end, (1u << code[4]) & ~1u, &out->length))
        return damaged(s, c, "is of a call and is truncated");
    out->file = code[2] ? out->file : c->file;
    out->offset = code[3] ? out->offset : c->offset;
    out->length = code[4] ? out->length : c->length;
    if (out->offset > INT64_MAX || out->length > INT64_MAX)
        return damaged(s, c, "is of more bytes than a file can have");
    c->at = at;
    return 1;
}

/* Converts ticks to ns since 1970. 0: out of range. */
static int time_of(const struct calls *c, uint64_t ticks, uint64_t *out)
{
    const double since = (double)(int64_t)(ticks - c->first) * c->tick;

    if (since > (double)MAX_NS || since < -(double)c->epoch)
        return 0;
    *out = c->epoch + (uint64_t)(int64_t)since;
    return 1;
}

/* CPU time of the thread since the last value returned. */
static uint64_t cpu_of(struct calls *c, double pause)
{
    struct thread *t = &c->thread[c->now];
    uint64_t more;

    if (pause > 0 && pause < (double)MAX_NS && t->used < MAX_NS)
        t->used += (uint64_t)pause;
    more = t->used > t->told ? t->used - t->told : 0;
    t->told += more;
    return more;
}

/* A stamp before the call has the time used until the call ended: time between calls has been counted up to it. */
static int tell(struct dsn__source *s, struct calls *c, unsigned head, int stamped, struct darshan_trace_event *e)
{
    const unsigned op = (head & 15) - 1;
    struct call call = { 0 };
    uint64_t start, file;
    uint32_t name;
    double pause;

    if (c->now == DSN_IDMAP_NONE)
        return damaged(s, c, "is of an unknown thread");
    if (take_call(s, c, head, &call) < 0)
        return -1;
    pause = stamped ? 0 : (double)(int64_t)call.start * c->tick;
    call.start += c->last;
    c->last = call.start + call.duration;
    c->file = (uint32_t)call.file;
    if (op <= DSN_CALL_WRITE) {
        c->offset = call.offset + call.length;
        c->length = call.length;
    }
    if (!time_of(c, call.start, &start) || (double)call.duration * c->tick > (double)MAX_NS)
        return damaged(s, c, "is of a call beyond 146 years");
    name = dsn__idmap_get(&c->files, call.file);
    file = c->first_file + call.file;
    c->most_file = file > c->most_file ? file : c->most_file;
    *e = (struct darshan_trace_event){ .start = start,
                                       .duration = (uint64_t)((double)call.duration * c->tick),
                                       .cpu = cpu_of(c, pause),
                                       .offset = call.offset,
                                       .length = op <= DSN_CALL_WRITE ? call.length : 0,
                                       .file = file,
                                       .process = c->process,
                                       .op = (uint8_t)op,
                                       .flags = head >> DSN_CALLS_ASYNC & 1 ? DARSHAN_TRACE_ASYNC : 0,
                                       .path = name == DSN_IDMAP_NONE ? NULL : dsn__texts_text(&c->texts, name),
                                       .host = c->host };
    return 1;
}

int dsn__calls_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    struct calls *c = s->state;
    int rc = 1, stamped = 0;

    while (rc > 0) {
        unsigned head;

        if (c->at == c->end) {
            rc = next_chunk(s, c);
            continue;
        }
        if (c->end - c->at < 2)
            return damaged(s, c, "is cut");
        head = dsn__le16(c->at);
        switch (head & 15) {
        case DSN_CALLS_NAME:
            rc = take_name(s, c);
            break;
        case DSN_CALLS_STAMP:
            rc = take_stamp(s, c);
            stamped = 1;
            break;
        default:
            if ((head & 15) == 0 || (head & 15) > DSN_NCALLS)
                return damaged(s, c, "is of an unknown kind");
            return tell(s, c, head, stamped, e);
        }
    }
    return rc;
}
