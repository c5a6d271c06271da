/* source.h - what a reader and a writer of a format are to the rest of util/trace
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
        const char *text; /* what it is about: the same once only */
        uint64_t times;
        char told[200];
    } note[DSN__TRACE_NOTES];
};

/* Notes `text`, a constant, once more. */
void dsn__note(struct dsn__notes *notes, const char *text);

/* Adds those of another list. */
void dsn__notes_add(struct dsn__notes *to, const struct dsn__notes *from);

/* A note as printed: the number of times, and the text. */
const char *dsn__note_told(struct dsn__note *n);

/* Sets an error, if `err` is not NULL. Returns 0. */
int dsn__trace_say(struct darshan_trace_error *err, const char *text);

/* ------------------------------------------------------------------ reading */

struct dsn__row;

/* What times of a trace are counted from. */
enum dsn__clock {
    DSN__BEGINNING, /* of the trace, or info.epoch if that is set */
    DSN__CALENDAR,  /* 1970 */
    DSN__ANYWHERE   /* boot, or midnight: the first event is the beginning */
};

/* A trace being read. */
struct dsn__source {
    const struct dsn__row *row;
    const char *path;
    struct darshan_trace_options options;
    struct dsn__input in;
    struct darshan_trace_info info;
    struct dsn__notes notes;
    struct darshan_trace_error err;
    enum dsn__clock clock;      /* of the starts that the reader tells */
    int unordered;              /* this one is not in the order that those of its format are in */
    void *state;                /* the reader's */
    struct dsn__stamps *stamps; /* an event's CPU time is the number of its thread in these; NULL: it is what it says */
};

/* Sets what is wrong, and returns -1. */
int dsn__wrong(struct dsn__source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, "line 7 ..." before it. */
int dsn__wrong_line(struct dsn__source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next line of the trace: 1; 0 at its end; -1 if it cannot be read (told). */
int dsn__line(struct dsn__source *s, const char **line, size_t *n);

/* ------------------------------------------------------------------ writing */

struct dsn__sink {
    const struct dsn__row *row;
    struct dsn_text out;
    const char *prefix;
    struct darshan_trace_info info;
    struct dsn__notes notes;
    struct darshan_trace_error err;
    uint64_t last; /* start of the event before, ns */
    void *state;
};

/* ------------------------------------------------------------------ rows */

/* How sure a reader is that the first bytes of a trace are of its format. */
enum { DSN__NO, DSN__MAYBE, DSN__LIKELY, DSN__SURELY };

struct dsn__row {
    struct darshan_trace_format about;
    unsigned traits;
    const char *also; /* other names, each with a blank on both sides; NULL: none */

    int (*probe)(const unsigned char *head, size_t n); /* one of the above; NULL: only if it is asked for */
    int (*open)(struct dsn__source *s);                /* 1, or 0 with s->err */
    int (*next)(struct dsn__source *s, struct darshan_trace_event *e); /* 1, 0 at the end, -1 with s->err */
    void (*close)(struct dsn__source *s);

    int (*begin)(struct dsn__sink *s);                                    /* 1, or 0 with s->err */
    int (*put)(struct dsn__sink *s, const struct darshan_trace_event *e); /* 1, or 0 with s->err */
    int (*end)(struct dsn__sink *s);                                      /* 1, or 0 with s->err */
    void (*release)(struct dsn__sink *s);
};

#define DSN__ORDERED 1u /* events come in the order of their start */
#define DSN__CPU     2u /* they have CPU times, or none are wanted */
#define DSN__PATH    4u /* is read by its name, not as a stream */
#define DSN__CPU_MORE                                                                                                  \
    8u /* an event's CPU time is what was used since the one before of its thread: summed for the process when in
        * order */

extern const struct dsn__row dsn__rows[];
extern const size_t dsn__nrows;

const struct dsn__row *dsn__row_named(const char *name);

#endif
