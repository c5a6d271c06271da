/* source.h - interface between the formats' readers and writers and the rest of util/trace
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A format is a row of the table in formats.c. Private to util/trace. */
#ifndef DSN_TRACE_SOURCE_H
#define DSN_TRACE_SOURCE_H

#include "util/lib/text.h"
#include "input.h"
#include "trace.h"

/* ------------------------------------------------------------------ notes */

#define DSN__TRACE_NOTES 12

struct dsn__notes {
    size_t n;
    struct dsn__note {
        const char *text; /* identifies the note: counted, not repeated */
        uint64_t times;
        char told[200];
    } note[DSN__TRACE_NOTES];
};

/* Counts `text`, a constant, once more. */
void dsn__note(struct dsn__notes *notes, const char *text);

/* Adds the notes of another list. */
void dsn__notes_add(struct dsn__notes *to, const struct dsn__notes *from);

/* A note as printed: its count and text. */
const char *dsn__note_told(struct dsn__note *n);

/* Sets an error unless `err` is NULL. Returns 0. */
int dsn__trace_say(struct darshan_trace_error *err, const char *text);

/* ------------------------------------------------------------------ comments */

#define DSN__COMMENTS_MOST ((size_t)4 << 20) /* bytes */

struct dsn__comments {
    char **text;
    size_t n, room, bytes;
};

/* Keeps a comment unless there are too many, or no memory: then returns 0. */
int dsn__comments_add(struct dsn__comments *c, const char *text, size_t n);
void dsn__comments_free(struct dsn__comments *c);

/* ------------------------------------------------------------------ reading */

struct dsn__row;

/* The origin of a trace's times. */
enum dsn__clock {
    DSN__BEGINNING, /* start of the trace, or info.epoch if that is set */
    DSN__CALENDAR,  /* 1970 */
    DSN__ANYWHERE   /* boot, or midnight: the trace starts with its first event */
};

/* A trace being read. */
struct dsn__source {
    const struct dsn__row *row;
    const char *path;
    struct darshan_trace_options options;
    struct dsn__input in;
    struct darshan_trace_info info;
    struct dsn__notes notes;
    struct dsn__comments *comments; /* of the handle */
    struct darshan_trace_error err;
    enum dsn__clock clock;      /* origin of the reader's start times */
    int unordered;              /* this trace is unordered, although its format is ordered */
    void *state;                /* the reader's */
    struct dsn__stamps *stamps; /* an event's CPU time is the index of its thread in these; NULL: it is the time
                                 * itself */
};

/* For the error of a reader that comes upon the beginning of another trace. */
#define DSN__ANOTHER "begins another trace: do not join files by cat, but give each of them to darshan-trace merge"

/* Sets the error, and returns -1. */
int dsn__wrong(struct dsn__source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, prefixed by the line number. */
int dsn__wrong_line(struct dsn__source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next line of the trace: 1; 0 at the end; -1 if it cannot be read (reported). */
int dsn__line(struct dsn__source *s, const char **line, size_t *n);

/* ------------------------------------------------------------------ writing */

struct dsn__trace_sink {
    const struct dsn__row *row;
    struct dsn_text out;
    const char *prefix;
    struct darshan_trace_info info;
    struct dsn__notes notes;
    struct darshan_trace_error err;
    uint64_t last; /* start of the previous event, ns */
    void *state;
};

/* ------------------------------------------------------------------ rows */

/* How certain a reader is that the first bytes of a trace are of its format. */
enum { DSN__NO, DSN__MAYBE, DSN__LIKELY, DSN__SURELY };

struct dsn__row {
    struct darshan_trace_format about;
    unsigned traits;
    const char *comment; /* how a comment begins; NULL: there are none */
    const char *also;    /* other names, each surrounded by blanks; NULL: none */

    int (*probe)(const unsigned char *head, size_t n); /* one of the above; NULL: never recognised automatically */
    int (*open)(struct dsn__source *s);                /* 1, or 0 with s->err */
    int (*next)(struct dsn__source *s, struct darshan_trace_event *e); /* 1, 0 at the end, -1 with s->err */
    void (*close)(struct dsn__source *s);

    int (*begin)(struct dsn__trace_sink *s);                                    /* 1, or 0 with s->err */
    int (*put)(struct dsn__trace_sink *s, const struct darshan_trace_event *e); /* 1, or 0 with s->err */
    int (*end)(struct dsn__trace_sink *s);                                      /* 1, or 0 with s->err */
    void (*release)(struct dsn__trace_sink *s);
};

#define DSN__ORDERED 1u /* events are ordered by start */
#define DSN__CPU     2u /* they have CPU times, or need none */
#define DSN__PATH    4u /* read by name, not as a stream */
#define DSN__CPU_MORE                                                                                                  \
    8u /* an event's CPU time is that since its thread's previous event, to be summed for the process after sorting */

extern const struct dsn__row dsn__rows[];
extern const size_t dsn__nrows;

const struct dsn__row *dsn__row_named(const char *name);

#endif
