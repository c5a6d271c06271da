/* sorter.c - sorted runs of events, and their merge
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "sorter.h"

#include <stdlib.h>
#include <string.h>

#include "spill.h"
#include "texts.h"

#define BUFFER 512 /* events of a run in memory while merging */

/* An event in the sorter. */
struct item {
    uint64_t start, process, cpu, index;
    uint64_t duration, offset, length, file, call;
    uint32_t batch, path, host;
    uint16_t flags;
    uint8_t op, kind;
};

struct run {
    uint64_t at, left; /* offset in the file; remaining items */
    struct item *items;
    size_t next, n; /* indexes into `items` */
};

struct dsn__sorter {
    struct item *items; /* collected; in the end the last run */
    size_t n, room;
    struct run *runs;
    size_t nruns, most_runs;
    struct dsn__spill file;
    struct run **heap; /* heap of runs by next item: heap[0] has the earliest */
    size_t nheap;
    struct item *buffers;
    struct dsn__texts names;
};

static const char no_memory[] = "does not fit into memory to sort its events";
static const char no_space[] = "does not fit into $TMPDIR to sort its events";

struct dsn__sorter *dsn__sorter_new(size_t memory)
{
    struct dsn__sorter *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->file.fd = -1;
    s->room = memory / sizeof *s->items;
    if (s->room < 4 * BUFFER)
        s->room = 4 * BUFFER;
    s->most_runs = s->room / BUFFER;
    dsn__texts_init(&s->names);
    s->runs = calloc(s->most_runs + 1, sizeof *s->runs);
    if (!s->runs) {
        free(s);
        return NULL;
    }
    return s;
}

void dsn__sorter_free(struct dsn__sorter *s)
{
    if (!s)
        return;
    if (s->file.fd >= 0)
        dsn__spill_close(&s->file);
    dsn__texts_free(&s->names);
    free(s->items);
    free(s->buffers);
    free(s->heap);
    free(s->runs);
    free(s);
}

/* By start, then process, then order of arrival, then all other members, so that only identical events are equal. */
static int compare(const struct item *a, const struct item *b)
{
#define BY(member)                                                                                                     \
    if (a->member != b->member)                                                                                        \
    return a->member < b->member ? -1 : 1
    BY(start);
    BY(process);
    BY(cpu);
    BY(batch);
    BY(index);
    BY(file);
    BY(offset);
    BY(length);
    BY(duration);
    BY(op);
    BY(kind);
    BY(flags);
    BY(call);
#undef BY
    return 0;
}

static int compare_items(const void *a, const void *b)
{
    return compare(a, b);
}

static void sort(struct item *items, size_t n)
{
    size_t i = 1;

    while (i < n && compare(&items[i - 1], &items[i]) <= 0)
        i++;
    if (i < n)
        qsort(items, n, sizeof *items, compare_items);
}

/* ------------------------------------------------------------------ merging */

/* Ensures that the run's next item is in memory. 0: it has none; -1: the file cannot be read. */
static int fill(struct dsn__sorter *s, struct run *r)
{
    const size_t n = r->left < BUFFER ? (size_t)r->left : BUFFER;

    if (r->next < r->n)
        return 1;
    if (n == 0)
        return 0;
    if (!dsn__spill_get(&s->file, r->at, r->items, n * sizeof *r->items))
        return -1;
    r->at += n * sizeof *r->items;
    r->left -= n;
    r->next = 0;
    r->n = n;
    return 1;
}

static int before(const struct run *a, const struct run *b)
{
    return compare(&a->items[a->next], &b->items[b->next]) < 0;
}

static void sink(struct dsn__sorter *s, size_t i)
{
    struct run *const r = s->heap[i];

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= s->nheap)
            break;
        if (child + 1 < s->nheap && before(s->heap[child + 1], s->heap[child]))
            child++;
        if (!before(s->heap[child], r))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = r;
}

/* Starts merging all runs. */
static const char *begin_merge(struct dsn__sorter *s)
{
    int rc;

    if (!s->heap)
        s->heap = calloc(s->most_runs + 1, sizeof(struct run *));
    if (!s->buffers && s->file.fd >= 0)
        s->buffers = malloc((s->most_runs + 1) * BUFFER * sizeof *s->buffers);
    if (!s->heap || (!s->buffers && s->file.fd >= 0))
        return no_memory;
    if (s->file.fd >= 0 && !dsn__spill_flush(&s->file))
        return no_space;
    s->nheap = 0;
    for (size_t i = 0; i < s->nruns; i++) {
        if (!s->runs[i].items && s->buffers)
            s->runs[i].items = s->buffers + i * BUFFER;
        rc = fill(s, &s->runs[i]);
        if (rc < 0)
            return no_space;
        if (rc > 0)
            s->heap[s->nheap++] = &s->runs[i];
    }
    for (size_t i = s->nheap / 2; i-- > 0;)
        sink(s, i);
    return NULL;
}

/* Removes the earliest item: 1, 0, -1. */
static int take_earliest(struct dsn__sorter *s, struct item *out)
{
    struct run *r;
    int rc;

    if (s->nheap == 0)
        return 0;
    r = s->heap[0];
    *out = r->items[r->next++];
    rc = fill(s, r);
    if (rc < 0)
        return -1;
    if (rc == 0)
        s->heap[0] = s->heap[--s->nheap];
    if (s->nheap > 0)
        sink(s, 0);
    return 1;
}

/* Merges as many runs as possible into one. */
static const char *unite(struct dsn__sorter *s)
{
    struct dsn__spill file = { .fd = -1 };
    const char *wrong = begin_merge(s);
    struct item item;
    uint64_t n = 0;
    int rc = 0;

    if (wrong)
        return wrong;
    if (!dsn__spill_open(&file))
        return no_space;
    while ((rc = take_earliest(s, &item)) > 0 && dsn__spill_put(&file, &item, sizeof item))
        n++;
    dsn__spill_close(&s->file);
    s->file = file;
    memset(s->runs, 0, (s->most_runs + 1) * sizeof *s->runs);
    s->runs[0].left = n;
    s->nruns = 1;
    return rc == 0 ? NULL : no_space;
}

/* ------------------------------------------------------------------ putting in */

/* Writes the items in memory to the file. */
static const char *write_run(struct dsn__sorter *s)
{
    const char *wrong = s->nruns == s->most_runs ? unite(s) : NULL;

    if (wrong)
        return wrong;
    if (s->file.fd < 0 && !dsn__spill_open(&s->file))
        return no_space;
    sort(s->items, s->n);
    s->runs[s->nruns++] = (struct run){ .at = s->file.size, .left = s->n };
    if (!dsn__spill_put(&s->file, s->items, s->n * sizeof *s->items))
        return no_space;
    s->n = 0;
    return NULL;
}

static uint32_t number(struct dsn__sorter *s, const char *text)
{
    return text ? dsn__texts_add(&s->names, text, strlen(text)) : DSN__NO_TEXT;
}

const char *dsn__sorter_put(struct dsn__sorter *s, const struct darshan_trace_event *e, uint64_t index)
{
    const uint32_t path = number(s, e->path), host = number(s, e->host);
    const char *wrong;

    if (!s->items)
        s->items = malloc(s->room * sizeof *s->items);
    if (!s->items || (e->path && path == DSN__NO_TEXT) || (e->host && host == DSN__NO_TEXT))
        return no_memory;
    if (s->n == s->room && (wrong = write_run(s)) != NULL)
        return wrong;
    s->items[s->n++] = (struct item){ e->start, e->process, e->cpu, index, e->duration, e->offset, e->length, e->file,
                                      e->call,  e->batch,   path,   host,  e->flags,    e->op,     e->kind };
    return NULL;
}

const char *dsn__sorter_begin(struct dsn__sorter *s)
{
    const char *wrong;

    if (s->nruns == 0) { /* everything is in memory */
        sort(s->items, s->n);
        s->runs[s->nruns++] = (struct run){ .items = s->items, .n = s->n };
    } else {
        wrong = write_run(s);
        if (wrong)
            return wrong;
        free(s->items);
        s->items = NULL;
    }
    return begin_merge(s);
}

int dsn__sorter_next(struct dsn__sorter *s, struct darshan_trace_event *e)
{
    struct item i;
    const int rc = take_earliest(s, &i);

    if (rc <= 0)
        return rc;
    *e = (struct darshan_trace_event){ .start = i.start,
                                       .duration = i.duration,
                                       .cpu = i.cpu,
                                       .offset = i.offset,
                                       .length = i.length,
                                       .file = i.file,
                                       .process = i.process,
                                       .call = i.call,
                                       .op = i.op,
                                       .kind = i.kind,
                                       .flags = i.flags,
                                       .batch = i.batch,
                                       .path = dsn__texts_text(&s->names, i.path),
                                       .host = dsn__texts_text(&s->names, i.host) };
    return 1;
}
