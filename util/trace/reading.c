/* reading.c - reads one trace of any format, or several merged, as events in order
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/grow.h"
#include "util/lib/idmap.h"
#include "pairmap.h"
#include "sorter.h"
#include "stamps.h"

#define MEMORY   ((size_t)64 << 20)
#define CPU_MORE 0x8000u /* flag of an event in the sorter: its CPU time is to be summed (DSN__CPU_MORE) */
/* Likewise: its CPU time is an index into `of_threads`, shifted, and one of a thread therein. */
#define CPU_THREAD 0x4000u

/* End of a process's calls so far, and its estimated CPU time. */
struct estimate {
    uint64_t end, cpu;
};

struct darshan_trace {
    struct dsn__source *source; /* being read; NULL: all events are in the sorter */
    struct dsn__sorter *sorter;
    struct darshan_trace_info info;
    struct dsn__notes notes;
    struct dsn__comments comments;
    struct darshan_trace_error err; /* to be reported after the last event; "": none */
    uint64_t last;                  /* start of the previous event */
    uint64_t base;                  /* ns: difference between the sorter's times and the trace's */
    int estimates;                  /* CPU times */
    int on_clock;                   /* the trace began before its processes */
    struct dsn__idmap processes;
    struct estimate *estimate;
    size_t estimate_room;
    struct of_threads {
        struct dsn__stamps *stamps;
        uint64_t shift; /* ns: start of their log, on the sorter's clock */
    } * of_threads;
    size_t nof_threads;
    int several;
    struct dsn__pairmap ids; /* several traces: (id, hash of the name) -> index into new_id */
    uint64_t *new_id;
    size_t new_id_room;
    struct dsn__idmap taken; /* ids in use */
    uint64_t free_id;
    struct dsn__idmap owners; /* several traces: process -> number of the first trace that has it */
    struct dsn__pairmap runs; /* several traces: (process, its host's name) -> index into new_process */
    struct dsn__idmap placed; /* processes of which a host is known */
    uint64_t *new_process;
    size_t new_process_room;
    uint64_t free_process;
};

/* ------------------------------------------------------------------ one source */

static void close_source(struct dsn__source *s)
{
    if (s->row && s->row->close)
        s->row->close(s);
    dsn__input_close(&s->in);
    dsn__stamps_free(s->stamps);
    free(s);
}

/* The row that is most certain of the first bytes. */
static const struct dsn__row *recognise(struct dsn__source *s)
{
    const struct dsn__row *best = NULL;
    const unsigned char *head;
    size_t n;
    int most = DSN__NO;

    head = dsn__input_peek(&s->in, &n);
    for (size_t i = 0; i < dsn__nrows; i++) {
        const int sure = dsn__rows[i].probe ? dsn__rows[i].probe(head, n) : DSN__NO;

        if (sure > most) {
            most = sure;
            best = &dsn__rows[i];
        }
    }
    return best;
}

/* The row that was requested, or that fits; NULL with s->err. */
static const struct dsn__row *choose(struct dsn__source *s)
{
    const struct dsn__row *row;
    size_t n;

    if (s->options.format) {
        row = dsn__row_named(s->options.format);
        if (!row || !row->open)
            dsn__wrong(s, "cannot be read as %s, which is not an input format; darshan-trace --formats lists them",
                       s->options.format);
        return row && row->open ? row : NULL;
    }
    row = recognise(s);
    dsn__input_peek(&s->in, &n);
    if (row)
        return row;
    if (dsn__input_failed(&s->in))
        dsn__wrong(s, "%s%s", s->in.error > 0 ? "cannot be read: " : "", dsn__input_failed(&s->in));
    else if (n == 0)
        dsn__wrong(s, "is empty");
    else
        dsn__wrong(s, "is not in a recognised format; specify it with --from");
    return NULL;
}

/* NULL with *err. */
static struct dsn__source *open_source(const char *path, const struct darshan_trace_options *options,
                                       struct darshan_trace_error *err)
{
    struct dsn__source *s = calloc(1, sizeof *s);
    int fd;

    if (!s) {
        dsn__trace_say(err, "does not fit into memory");
        return NULL;
    }
    s->in.fd = -1;
    s->path = path;
    s->options = *options;
    fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        dsn__wrong(s, "cannot be opened: %s", strerror(errno));
    else if (!dsn__input_open(&s->in, fd))
        dsn__wrong(s, "does not fit into memory");
    else if ((s->row = choose(s)) != NULL) {
        s->info.format = s->row->about.name;
        if (s->row->open(s))
            return s;
    }
    dsn__trace_say(err, s->err.text);
    close_source(s);
    return NULL;
}

/* ------------------------------------------------------------------ several, or one that has to be put in order */

/* A trace with an unknown clock starts together with the others, which is known after all have been read. */
struct clocks {
    int pass; /* 0: traces with a known clock; 1: the others */
    int any;  /* there is a clock */
    int real; /* which has the date */
    uint64_t epoch;
};

static void take_info(struct darshan_trace *t, const struct dsn__source *s, int first)
{
    const struct darshan_trace_info *from = &s->info;
    struct darshan_trace_info *to = &t->info;
    const uint64_t left_out = to->left_out + from->left_out, bytes = to->bytes + s->in.taken;

    if (first) {
        *to = *from;
    } else {
        to->tick_us = from->tick_us < to->tick_us ? from->tick_us : to->tick_us;
        to->physical |= from->physical;
        to->thinned |= from->thinned;
        to->directives |= from->directives;
        to->cpu = from->cpu > to->cpu ? from->cpu : to->cpu;
        if (strcmp(to->format, from->format) != 0)
            to->format = "several";
    }
    to->left_out = left_out;
    to->bytes = bytes;
    to->batch = 0;
}

/* Notes a process that another trace has, too, unless it may be the same: it is if both are batches of one trace, and
 * probably if the host is the same, by which processes are distinguished later. Returns 0 if out of memory. */
static int check_owner(struct darshan_trace *t, const struct darshan_trace_event *e, uint32_t number)
{
    const uint32_t of = dsn__idmap_add(&t->owners, e->process, number);

    if (of != number && of != DSN_IDMAP_NONE && !e->host && e->batch == 0 && !(e->flags & DARSHAN_TRACE_PHYSICAL))
        dsn__note(&t->notes,
                  "some operations are of a process whose number another trace has, too: without a name of their "
                  "host they count as one process");
    return of != DSN_IDMAP_NONE;
}

/* Moves all events of a source to the sorter; `of`: its CPU times of threads, or NULL. Returns 0 on a fatal error;
 * damage is only recorded. */
static int drain_events(struct darshan_trace *t, struct dsn__source *s, uint32_t number, struct of_threads *of,
                        struct clocks *clocks, int *later)
{
    struct darshan_trace_event e;
    uint64_t index = 0, start;
    const char *wrong;
    int rc;

    while ((rc = s->row->next(s, &e)) > 0) {
        const int absolute = s->clock == DSN__CALENDAR || (s->clock == DSN__ANYWHERE && !t->several);
        const int known = absolute || s->info.epoch != 0;

        if (index == 0 && clocks->pass == 0 && !known && t->several) {
            *later = 1;
            return 1;
        }
        start = absolute ? e.start : e.start + (known ? s->info.epoch : clocks->epoch);
        if (known) {
            const uint64_t begin = absolute ? start : s->info.epoch;

            clocks->epoch = clocks->any && clocks->epoch < begin ? clocks->epoch : begin;
            clocks->any = 1;
        }
        t->on_clock |= s->clock != DSN__BEGINNING;
        clocks->real |= s->clock != DSN__ANYWHERE;
        if (of) {
            of->shift = start - e.start;
            e.cpu |= (uint64_t)(of - t->of_threads) << 32;
            e.flags |= CPU_THREAD;
        } else if (!(s->row->traits & DSN__CPU)) {
            e.cpu = 0;
        }
        e.start = start;
        if (s->row->traits & DSN__CPU_MORE)
            e.flags |= CPU_MORE;
        if (t->several && !check_owner(t, &e, number))
            return dsn__trace_say(&t->err, "has too many processes for the memory");
        wrong = dsn__sorter_put(t->sorter, &e, index++);
        if (wrong)
            return dsn__trace_say(&t->err, wrong);
    }
    if (rc < 0 && !t->err.text[0])
        dsn__trace_say(&t->err, s->err.text);
    return 1;
}

/* Takes ownership of the CPU times of threads, which are assigned to events when these leave the sorter. */
static int drain(struct darshan_trace *t, struct dsn__source *s, uint32_t number, struct clocks *clocks, int *later)
{
    struct of_threads *of = NULL;
    int rc;

    if (s->stamps) {
        if (!dsn_resize(&t->of_threads, t->nof_threads + 1, sizeof *t->of_threads))
            return dsn__trace_say(&t->err, "needs more memory than there is");
        of = &t->of_threads[t->nof_threads];
        *of = (struct of_threads){ .stamps = s->stamps };
    }
    rc = drain_events(t, s, number, of, clocks, later);
    if (of && !*later) {
        t->nof_threads++;
        s->stamps = NULL;
    }
    return rc;
}

static int is_estimated(const struct dsn__source *s)
{
    return !(s->row->traits & DSN__CPU) && s->info.cpu != DARSHAN_TRACE_CPU_RECORDED;
}

/* Adds which of several traces the error is about. */
static void blame(struct darshan_trace_error *err, const char *path)
{
    char text[sizeof err->text];

    if (strncmp(err->text, "in ", 3) == 0)
        return;
    dsn_text_fit(text, 90, 80, 30, path);
    snprintf(text + strlen(text), sizeof text - strlen(text), ": %.140s", err->text);
    snprintf(err->text, sizeof err->text, "in %.230s", text);
}

static int collect_one(struct darshan_trace *t, const char *path, uint32_t number,
                       const struct darshan_trace_options *options, struct clocks *clocks, int *later, int *first)
{
    const int had = t->err.text[0] != '\0';
    const size_t comments = t->comments.n;
    struct dsn__source *s = open_source(path, options, &t->err);
    int rc;

    *later = 0;
    if (!s) {
        blame(&t->err, path);
        return 0;
    }
    s->comments = &t->comments;
    rc = drain(t, s, number, clocks, later);
    if (!*later) {
        take_info(t, s, *first);
        t->estimates |= is_estimated(s);
        dsn__notes_add(&t->notes, &s->notes);
        *first = 0;
    } else {
        while (t->comments.n > comments) /* they are read again */
            free(t->comments.text[--t->comments.n]);
    }
    if (!had && t->err.text[0])
        blame(&t->err, path);
    close_source(s);
    return rc;
}

/* Moves all events to the sorter: first the traces with a clock, then those without. Returns 0 with t->err. */
static int collect(struct darshan_trace *t, const char *const *paths, size_t n,
                   const struct darshan_trace_options *options)
{
    struct clocks clocks = { 0 };
    unsigned char *waits = calloc(n, 1);
    int later, first = 1, ok = waits != NULL;
    const char *wrong;

    if (!waits)
        return dsn__trace_say(&t->err, "does not fit into memory");
    for (size_t i = 0; ok && i < n; i++) {
        ok = collect_one(t, paths[i], (uint32_t)i, options, &clocks, &later, &first);
        waits[i] = (unsigned char)later;
    }
    clocks.pass = 1;
    for (size_t i = 0; ok && i < n; i++) {
        if (!waits[i])
            continue;
        if (clocks.any)
            dsn__note(&t->notes, "some traces have no start time and are placed at the start of the others");
        ok = collect_one(t, paths[i], (uint32_t)i, options, &clocks, &later, &first);
    }
    free(waits);
    t->base = clocks.any ? clocks.epoch : 0;
    t->info.epoch = clocks.real ? t->base : 0;
    if (ok && (wrong = dsn__sorter_begin(t->sorter)) != NULL)
        ok = dsn__trace_say(&t->err, wrong);
    return ok;
}

/* ------------------------------------------------------------------ opening */

static int refuse(struct darshan_trace *t, struct darshan_trace_error *err)
{
    dsn__trace_say(err, t->err.text);
    darshan_trace_close(t);
    return 0;
}

/* Whether events need not be sorted. If the first event determines when the trace began, they must be in order. */
static int is_in_order(const struct dsn__source *s, const struct darshan_trace_options *o)
{
    const int as_found = o->as_found && s->clock != DSN__CALENDAR;

    return (s->row->traits & DSN__ORDERED || as_found) && !s->unordered;
}

int darshan_trace_open_many(const char *const *paths, size_t n, const struct darshan_trace_options *options,
                            struct darshan_trace **out, struct darshan_trace_error *err)
{
    const struct darshan_trace_options none = { 0 }, *const o = options ? options : &none;
    struct darshan_trace *t = calloc(1, sizeof *t);

    *out = NULL;
    if (!t)
        return dsn__trace_say(err, "does not fit into memory");
    dsn__idmap_init(&t->processes);
    dsn__pairmap_init(&t->ids);
    dsn__idmap_init(&t->taken);
    dsn__idmap_init(&t->owners);
    dsn__pairmap_init(&t->runs);
    dsn__idmap_init(&t->placed);
    t->several = n > 1;
    if (n == 1) {
        t->source = open_source(paths[0], o, &t->err);
        if (!t->source)
            return refuse(t, err);
        t->source->comments = &t->comments;
        t->estimates = is_estimated(t->source);
        t->info = t->source->info;
    }
    if (!t->source || !is_in_order(t->source, o)) {
        struct clocks clocks = { .pass = 1 };
        const char *wrong;
        int later = 0;

        t->sorter = dsn__sorter_new(o->memory ? o->memory : MEMORY);
        if (!t->sorter) {
            dsn__trace_say(&t->err, "does not fit into memory");
            return refuse(t, err);
        }
        if (!t->source) {
            if (!collect(t, paths, n, o))
                return refuse(t, err);
        } else {
            if (!drain(t, t->source, 0, &clocks, &later))
                return refuse(t, err);
            t->info.left_out = t->info.bytes = 0;
            take_info(t, t->source, 1);
            dsn__notes_add(&t->notes, &t->source->notes);
            close_source(t->source);
            t->source = NULL;
            t->base = clocks.any ? clocks.epoch : 0;
            t->info.epoch = clocks.real ? t->base : 0;
            if ((wrong = dsn__sorter_begin(t->sorter)) != NULL) {
                dsn__trace_say(&t->err, wrong);
                return refuse(t, err);
            }
        }
    }
    if (t->estimates && !t->info.physical)
        t->info.cpu = DARSHAN_TRACE_CPU_ESTIMATED;
    *out = t;
    return 1;
}

int darshan_trace_open(const char *path, const struct darshan_trace_options *options, struct darshan_trace **out,
                       struct darshan_trace_error *err)
{
    return darshan_trace_open_many(&path, 1, options, out, err);
}

void darshan_trace_close(struct darshan_trace *t)
{
    if (!t)
        return;
    if (t->source)
        close_source(t->source);
    dsn__sorter_free(t->sorter);
    dsn__idmap_free(&t->processes);
    dsn__idmap_free(&t->taken);
    dsn__idmap_free(&t->owners);
    dsn__pairmap_free(&t->runs);
    dsn__idmap_free(&t->placed);
    dsn__comments_free(&t->comments);
    dsn__pairmap_free(&t->ids);
    for (size_t i = 0; i < t->nof_threads; i++)
        dsn__stamps_free(t->of_threads[i].stamps);
    free(t->of_threads);
    free(t->estimate);
    free(t->new_id);
    free(t->new_process);
    free(t);
}

/* ------------------------------------------------------------------ events */

/* Converts CPU times, which are a thread's since its previous event, to sums for the process; if unknown, uses the time
 * between its calls. Returns 0 if out of memory. */
static int tell_cpu(struct darshan_trace *t, struct darshan_trace_event *e)
{
    const size_t before = t->processes.used;
    const uint32_t at = dsn__idmap_add(&t->processes, e->process, (uint32_t)before);
    struct estimate *p;

    if (at == DSN_IDMAP_NONE || !dsn_grow_zeroed(&t->estimate, &t->estimate_room, sizeof *t->estimate, at))
        return 0;
    p = &t->estimate[at];
    if (e->flags & CPU_THREAD) {
        const struct of_threads *of = &t->of_threads[e->cpu >> 32];

        e->flags &= (uint16_t)~CPU_THREAD;
        p->cpu += dsn__stamps_used(of->stamps, (uint32_t)e->cpu, e->start + t->base - of->shift, e->duration);
        e->cpu = p->cpu = p->cpu < INT64_MAX ? p->cpu : INT64_MAX;
        return 1;
    }
    if (e->flags & CPU_MORE) {
        e->flags &= (uint16_t)~CPU_MORE;
        e->cpu = p->cpu += e->cpu;
        return 1;
    }
    if (at == before && t->on_clock) /* it may have just started */
        p->end = e->start;
    if (e->start > p->end)
        p->cpu += e->start - p->end;
    if (e->start + e->duration > p->end)
        p->end = e->start + e->duration;
    e->cpu = p->cpu;
    return 1;
}

/* In several traces two names may have the same id: the later one gets the first unused id. */
static int own_id(struct darshan_trace *t, struct darshan_trace_event *e)
{
    const size_t before = t->ids.used;
    const uint32_t at = dsn__pairmap_add(&t->ids, e->file, (uint64_t)(uintptr_t)e->path, 0); /* names are unique */

    if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&t->new_id, &t->new_id_room, sizeof *t->new_id, at))
        return 0;
    if (at == before) {
        uint64_t id = e->file;
        const size_t given = t->taken.used;

        if (dsn__idmap_add(&t->taken, id, 0) == DSN_IDMAP_NONE)
            return 0;
        while (t->taken.used == given) {
            id = ++t->free_id;
            if (dsn__idmap_add(&t->taken, id, 0) == DSN_IDMAP_NONE)
                return 0;
        }
        t->new_id[at] = id;
    }
    e->file = t->new_id[at];
    return 1;
}

/* In several traces processes of different hosts may have the same number: that of the later host gets the first one that
 * no trace has. */
static int own_process(struct darshan_trace *t, struct darshan_trace_event *e)
{
    const size_t before = t->runs.used, placed = t->placed.used;
    const uint32_t at = dsn__pairmap_add(&t->runs, e->process, (uint64_t)(uintptr_t)e->host, 0); /* names are unique */

    if (at == DSN__PAIR_NONE || !dsn_grow_zeroed(&t->new_process, &t->new_process_room, sizeof *t->new_process, at))
        return 0;
    if (at == before) {
        t->new_process[at] = e->process;
        if (dsn__idmap_add(&t->placed, e->process, 0) == DSN_IDMAP_NONE)
            return 0;
        if (t->placed.used == placed) { /* on another host */
            const size_t given = t->owners.used;

            dsn__note(&t->notes, "some processes of different hosts have the same number: that of the later one is "
                                 "replaced by an unused one");
            while (t->owners.used == given)
                if (dsn__idmap_add(&t->owners, ++t->free_process, 0) == DSN_IDMAP_NONE)
                    return 0;
            t->new_process[at] = t->free_process;
        }
    }
    e->process = t->new_process[at];
    return 1;
}

static int next_of_sorter(struct darshan_trace *t, struct darshan_trace_event *e)
{
    const int rc = dsn__sorter_next(t->sorter, e);

    if (rc < 0)
        dsn__trace_say(&t->err, "has events that cannot be read back from the temporary file in $TMPDIR");
    if (rc == 0 && t->err.text[0])
        return -1; /* the damage at the end of the trace */
    if (rc > 0) {
        e->start -= t->base;
        if (e->start > INT64_MAX) {
            dsn__trace_say(&t->err, "has events more than 292 years apart");
            return -1;
        }
        if (t->several && e->host && !own_process(t, e)) {
            dsn__trace_say(&t->err, "has too many processes for the memory");
            return -1;
        }
        if (t->several && !(e->flags & DARSHAN_TRACE_PHYSICAL) && !own_id(t, e)) {
            dsn__trace_say(&t->err, "has too many files for the memory");
            return -1;
        }
    }
    return rc;
}

static int next_of_source(struct darshan_trace *t, struct darshan_trace_event *e)
{
    struct dsn__source *s = t->source;
    const int rc = s->row->next(s, e);

    t->info = s->info;
    t->info.bytes = s->in.taken;
    if (t->estimates && !t->info.physical)
        t->info.cpu = DARSHAN_TRACE_CPU_ESTIMATED;
    if (rc < 0)
        t->err = s->err;
    if (rc <= 0)
        return rc;
    if (s->clock == DSN__CALENDAR) {
        if (s->info.epoch == 0)
            t->info.epoch = s->info.epoch = e->start;
        e->start = e->start > s->info.epoch ? e->start - s->info.epoch : 0;
    }
    if (e->start < t->last && !s->options.as_found) {
        dsn__note(&s->notes, "some events started before the preceding one; their start is set to that one's");
        e->start = t->last;
    }
    t->last = e->start;
    return 1;
}

int darshan_trace_next(struct darshan_trace *t, struct darshan_trace_event *out, struct darshan_trace_error *err)
{
    int rc = t->source ? next_of_source(t, out) : next_of_sorter(t, out);

    if (rc > 0 && (t->estimates || (out->flags & (CPU_MORE | CPU_THREAD))) && !(out->flags & DARSHAN_TRACE_PHYSICAL) &&
        !tell_cpu(t, out)) {
        dsn__trace_say(&t->err, "has too many processes for the memory");
        rc = -1;
    }
    if (rc < 0)
        dsn__trace_say(err, t->err.text);
    return rc;
}

const struct darshan_trace_info *darshan_trace_info(const struct darshan_trace *t)
{
    return &t->info;
}

static const struct dsn__notes *notes_of(const struct darshan_trace *t)
{
    return t->source ? &t->source->notes : &t->notes;
}

size_t darshan_trace_notes(const struct darshan_trace *t)
{
    return notes_of(t)->n;
}

const char *darshan_trace_note(const struct darshan_trace *t, size_t i)
{
    return dsn__note_told((struct dsn__note *)&notes_of(t)->note[i]);
}

/* ------------------------------------------------------------------ comments */

int dsn__comments_add(struct dsn__comments *c, const char *text, size_t n)
{
    char *copy;

    if (n > DSN__COMMENTS_MOST - c->bytes || !dsn_grow(&c->text, &c->room, sizeof *c->text, c->n) ||
        !(copy = strndup(text, n)))
        return 0;
    c->text[c->n++] = copy;
    c->bytes += n;
    return 1;
}

void dsn__comments_free(struct dsn__comments *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->text[i]);
    free(c->text);
}

size_t darshan_trace_comments(const struct darshan_trace *t)
{
    return t->comments.n;
}

const char *darshan_trace_comment(const struct darshan_trace *t, size_t i)
{
    return t->comments.text[i];
}
